#include "program/read/elf_file.hpp"

#include <algorithm>

namespace gpumem::program {

namespace {

std::string_view part(std::string_view bytes, std::uint64_t first, std::uint64_t size) {
  if (first > bytes.size() || size > bytes.size() - first) return {};
  return bytes.substr(first, size);
}

std::string_view text_at(std::string_view strings, std::uint64_t place) {
  if (place >= strings.size()) return {};
  strings.remove_prefix(place);
  return strings.substr(0, strings.find('\0'));
}

// As the ELF specification has them, in the order of their bytes.
struct FileHeader {
  char identity[16];
  std::uint16_t type, machine;
  std::uint32_t version;
  std::uint64_t entry, segments, sections;
  std::uint32_t flags;
  std::uint16_t bytes, segment_bytes, segment_count, section_bytes, section_count, names_section;
};
struct SectionHeader {
  std::uint32_t name, type;
  std::uint64_t flags, address, place, bytes;
  std::uint32_t link, info;
  std::uint64_t alignment, entry_bytes;
};
struct Symbol {
  std::uint32_t name;
  std::uint8_t info, other;
  std::uint16_t section;
  std::uint64_t value, bytes;
};
struct Relocation {
  std::uint64_t place, info;
};
static_assert(sizeof(FileHeader) == 64 && sizeof(SectionHeader) == 64 && sizeof(Symbol) == 24);

constexpr std::uint32_t type_symbols = 2;
constexpr std::uint32_t type_rela = 4;
constexpr std::uint32_t type_no_bits = 8;
constexpr std::uint32_t type_rel = 9;
constexpr std::string_view code_prefix = ".text.";

}  // namespace

std::string_view ByteReader::take(std::uint64_t bytes) {
  const std::string_view taken = left_.substr(0, bytes);
  left_.remove_prefix(taken.size());
  return taken;
}

std::string_view ByteReader::text() {
  const std::string_view found = left_.substr(0, left_.find('\0'));
  left_.remove_prefix(std::min(found.size() + 1, left_.size()));
  return found;
}

std::uint64_t ByteReader::unsigned_leb() {
  std::uint64_t value = 0;
  for (unsigned shift = 0; left() > 0; shift += 7) {
    const auto byte = read<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
    if ((byte & 0x80U) == 0) break;
  }
  return value;
}

std::int64_t ByteReader::signed_leb() {
  std::uint64_t value = 0;
  unsigned shift = 0;
  std::uint8_t byte = 0;
  do {
    if (left() == 0) return 0;
    byte = read<std::uint8_t>();
    if (shift < 64) value |= std::uint64_t{byte & 0x7fU} << shift;
    shift += 7;
  } while ((byte & 0x80U) != 0);
  if (shift < 64 && (byte & 0x40U) != 0) value |= ~std::uint64_t{0} << shift;
  return static_cast<std::int64_t>(value);
}

ElfFile::ElfFile(std::string_view bytes) {
  constexpr std::string_view magic = "\177ELF\2\1";  // 64 bits, little-endian
  if (bytes.size() < sizeof(FileHeader) || !bytes.starts_with(magic)) return;
  const auto header = ByteReader(bytes).read<FileHeader>();
  if (header.section_bytes != sizeof(SectionHeader)) return;
  ByteReader table(part(bytes, header.sections, std::uint64_t{header.section_count} * sizeof(SectionHeader)));
  std::vector<SectionHeader> headers;
  while (table.left() >= sizeof(SectionHeader)) headers.push_back(table.read<SectionHeader>());
  const auto content_of = [&](std::uint64_t section) -> std::string_view {
    if (section >= headers.size() || headers[section].type == type_no_bits) return {};
    return part(bytes, headers[section].place, headers[section].bytes);
  };
  const std::string_view names = content_of(header.names_section);
  for (std::size_t i = 0; i < headers.size(); ++i) {
    sections_.push_back({text_at(names, headers[i].name), headers[i].type, content_of(i)});
  }
  const auto symbols = std::ranges::find(headers, type_symbols, &SectionHeader::type);
  if (symbols == headers.end()) return;
  const std::string_view strings = content_of(symbols->link);
  ByteReader entries(content_of(static_cast<std::uint64_t>(symbols - headers.begin())));
  while (entries.left() >= sizeof(Symbol)) {
    const auto symbol = entries.read<Symbol>();
    std::string_view name = text_at(strings, symbol.name);
    if (name.empty() && symbol.section < sections_.size()) {
      name = sections_[symbol.section].name;
      if (name.starts_with(code_prefix)) name.remove_prefix(code_prefix.size());
    }
    symbols_.push_back({name, symbol.value});
  }
}

std::string_view ElfFile::content(std::string_view section) const {
  const auto found = std::ranges::find(sections_, section, &ElfSection::name);
  return found == sections_.end() ? std::string_view() : found->content;
}

std::map<std::uint64_t, ElfRelocation> ElfFile::relocations(std::string_view section) const {
  std::map<std::uint64_t, ElfRelocation> all;
  for (const ElfSection& candidate : sections_) {
    const bool adds = candidate.type == type_rela;
    if (!adds && candidate.type != type_rel) continue;
    const std::string_view prefix = adds ? ".rela" : ".rel";
    if (!candidate.name.starts_with(prefix) || candidate.name.substr(prefix.size()) != section) continue;
    ByteReader entries(candidate.content);
    while (entries.left() >= sizeof(Relocation)) {
      const auto relocation = entries.read<Relocation>();
      const std::uint64_t added = adds ? entries.read<std::uint64_t>() : 0;
      const std::uint64_t symbol = relocation.info >> 32U;
      if (symbol >= symbols_.size()) continue;
      all[relocation.place] = {symbols_[symbol], added};
    }
  }
  return all;
}

}  // namespace gpumem::program
