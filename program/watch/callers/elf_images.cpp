#include "program/watch/callers/elf_images.hpp"

#include <elf.h>
#include <unistd.h>

#include <algorithm>
#include <cstring>

namespace gpumem::inject {

namespace {

#if defined(__x86_64__)
constexpr std::uint32_t call_place = R_X86_64_JUMP_SLOT;
constexpr std::uint32_t data_place = R_X86_64_GLOB_DAT;
#elif defined(__aarch64__)
constexpr std::uint32_t call_place = R_AARCH64_JUMP_SLOT;
constexpr std::uint32_t data_place = R_AARCH64_GLOB_DAT;
#else
constexpr std::uint32_t call_place = ~0U;  // nothing is found, and so nothing replaced
constexpr std::uint32_t data_place = ~0U;
#endif

std::uint32_t gnu_hash_of(std::string_view name) {
  std::uint32_t hash = 5381;
  for (const char c : name) hash = hash * 33 + static_cast<unsigned char>(c);
  return hash;
}

template <class T>
const T* memory_at(std::uintptr_t address) {
  return reinterpret_cast<const T*>(address);  // NOLINT(performance-no-int-to-ptr): as the loader has addresses
}

/// DT_GNU_HASH: buckets, each the first of a chain of symbols.
struct GnuHash {
  explicit GnuHash(const std::uint32_t* table)
      : bucket_count(table[0]),
        first_symbol(table[1]),
        buckets(table + 4 + table[2] * (sizeof(ElfW(Addr)) / sizeof(std::uint32_t))),
        chains(buckets + bucket_count) {}

  std::uint32_t bucket_count;
  std::uint32_t first_symbol;
  const std::uint32_t* buckets;
  const std::uint32_t* chains;
};

bool is_defined(const ElfW(Sym) & symbol) {
  const unsigned type = symbol.st_info & 0xfU;
  return symbol.st_shndx != SHN_UNDEF && symbol.st_value != 0 && (type == STT_FUNC || type == STT_OBJECT);
}

}  // namespace

DynamicTables::DynamicTables(const dl_phdr_info& image) : base_(image.dlpi_addr) {
  const ElfW(Dyn)* entry = nullptr;
  for (std::size_t i = 0; i < image.dlpi_phnum; ++i) {
    if (image.dlpi_phdr[i].p_type == PT_DYNAMIC) entry = memory_at<ElfW(Dyn)>(base_ + image.dlpi_phdr[i].p_vaddr);
  }
  if (entry == nullptr) return;
  // The loader has made addresses of what the file has as offsets, but of the vDSO's, which it leaves as they are.
  const auto placed = [&](std::uintptr_t address) { return address < base_ ? base_ + address : address; };
  for (; entry->d_tag != DT_NULL; ++entry) {
    const std::uintptr_t value = entry->d_un.d_val;
    switch (entry->d_tag) {
      case DT_SYMTAB:
        symbols_ = memory_at<ElfW(Sym)>(placed(value));
        break;
      case DT_STRTAB:
        names_ = memory_at<char>(placed(value));
        break;
      case DT_STRSZ:
        names_bytes_ = value;
        break;
      case DT_GNU_HASH:
        gnu_hash_ = memory_at<std::uint32_t>(placed(value));
        break;
      case DT_HASH:
        hash_ = memory_at<std::uint32_t>(placed(value));
        break;
      case DT_JMPREL:
        calls_ = memory_at<ElfW(Rela)>(placed(value));
        break;
      case DT_PLTRELSZ:
        calls_bytes_ = value;
        break;
      case DT_RELA:
        relocations_ = memory_at<ElfW(Rela)>(placed(value));
        break;
      case DT_RELASZ:
        relocations_bytes_ = value;
        break;
      default:
        break;
    }
  }
}

bool DynamicTables::is_named(std::size_t symbol, std::string_view name) const {
  const std::size_t begin = symbols_[symbol].st_name;
  return begin < names_bytes_ && names_bytes_ - begin > name.size() &&
         std::memcmp(names_ + begin, name.data(), name.size()) == 0 && names_[begin + name.size()] == '\0';
}

std::size_t DynamicTables::symbol_count() const {
  if (hash_ != nullptr) return hash_[1];
  if (gnu_hash_ == nullptr) return 0;
  const GnuHash table(gnu_hash_);
  std::uint32_t last = 0;
  for (std::uint32_t i = 0; i < table.bucket_count; ++i) last = std::max(last, table.buckets[i]);
  if (last < table.first_symbol) return table.first_symbol;
  while ((table.chains[last - table.first_symbol] & 1U) == 0) ++last;  // the chain's last one has this bit
  return last + 1;
}

std::uintptr_t DynamicTables::find(std::string_view name) const {
  if (symbols_ == nullptr || names_ == nullptr) return 0;
  const auto address = [&](std::size_t symbol) {
    return is_defined(symbols_[symbol]) && is_named(symbol, name) ? base_ + symbols_[symbol].st_value : 0;
  };
  if (gnu_hash_ != nullptr) {
    const GnuHash table(gnu_hash_);
    if (table.bucket_count == 0) return 0;
    const std::uint32_t hash = gnu_hash_of(name);
    std::uint32_t symbol = table.buckets[hash % table.bucket_count];
    if (symbol < table.first_symbol) return 0;
    for (;; ++symbol) {
      const std::uint32_t chained = table.chains[symbol - table.first_symbol];
      if ((chained | 1U) == (hash | 1U)) {
        if (const std::uintptr_t found = address(symbol); found != 0) return found;
      }
      if ((chained & 1U) != 0) return 0;
    }
  }
  for (std::size_t i = 0, count = symbol_count(); i < count; ++i) {
    if (const std::uintptr_t found = address(i); found != 0) return found;
  }
  return 0;
}

void DynamicTables::each_symbol(const std::function<void(const ElfName&)>& use) const {
  if (symbols_ == nullptr || names_ == nullptr) return;
  for (std::size_t i = 0, count = symbol_count(); i < count; ++i) {
    const ElfW(Sym)& symbol = symbols_[i];
    if (!is_defined(symbol) || symbol.st_name >= names_bytes_) continue;
    use({.address = base_ + symbol.st_value, .bytes = symbol.st_size, .name = names_ + symbol.st_name});
  }
}

void DynamicTables::add_places(const ElfW(Rela) * relocations, std::size_t bytes, std::string_view name,
                               std::vector<void**>& places) const {
  for (std::size_t i = 0; i < bytes / sizeof(ElfW(Rela)); ++i) {
    const auto type = static_cast<std::uint32_t>(ELF64_R_TYPE(relocations[i].r_info));
    if (type != call_place && type != data_place) continue;
    if (!is_named(ELF64_R_SYM(relocations[i].r_info), name)) continue;
    places.push_back(const_cast<void**>(memory_at<void*>(base_ + relocations[i].r_offset)));
  }
}

std::vector<void**> DynamicTables::places_of(std::string_view name) const {
  std::vector<void**> places;
  if (symbols_ == nullptr || names_ == nullptr) return places;
  if (calls_ != nullptr) add_places(calls_, calls_bytes_, name, places);
  if (relocations_ != nullptr) add_places(relocations_, relocations_bytes_, name, places);
  return places;
}

void each_image(const std::function<bool(const dl_phdr_info&)>& use) {
  dl_iterate_phdr(
      [](dl_phdr_info* image, std::size_t, void* data) {
        return (*static_cast<const std::function<bool(const dl_phdr_info&)>*>(data))(*image) ? 1 : 0;
      },
      const_cast<void*>(static_cast<const void*>(&use)));
}

std::uint64_t image_changes() {
  std::uint64_t changes = 0;
  each_image([&](const dl_phdr_info& image) {
    changes = image.dlpi_adds + image.dlpi_subs;
    return true;
  });
  return changes;
}

std::string image_path(const dl_phdr_info& image) {
  if (image.dlpi_name != nullptr && image.dlpi_name[0] != '\0') return image.dlpi_name;
  char path[4096];
  const ssize_t bytes = readlink("/proc/self/exe", path, sizeof(path));
  return bytes > 0 ? std::string(path, static_cast<std::size_t>(bytes)) : std::string();
}

}  // namespace gpumem::inject
