#include "program/watch/modules.hpp"

#include <elf.h>

#include <cstring>

namespace gpumem::inject {

namespace {

constexpr std::size_t most_kept_bytes = std::size_t{256} << 20U;

/// The content of a section of an ELF file of 64 bits; empty where it has none of that name.
std::string_view section_of(std::string_view file, std::string_view name) {
  Elf64_Ehdr header;
  if (file.size() < sizeof(header)) return {};
  std::memcpy(&header, file.data(), sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return {};
  const auto section_at = [&](std::size_t index, Elf64_Shdr& section) {
    if (header.e_shoff > file.size() || (file.size() - header.e_shoff) / sizeof(section) <= index) return false;
    std::memcpy(&section, file.data() + header.e_shoff + index * sizeof(section), sizeof(section));
    return section.sh_type != SHT_NOBITS && section.sh_offset <= file.size() &&
           section.sh_size <= file.size() - section.sh_offset;
  };
  Elf64_Shdr names;
  if (!section_at(header.e_shstrndx, names)) return {};
  const std::string_view text = file.substr(names.sh_offset, names.sh_size);
  const std::string wanted = std::string(name) + '\0';
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!section_at(i, section) || section.sh_name >= text.size()) continue;
    if (text.substr(section.sh_name, wanted.size()) == wanted) return file.substr(section.sh_offset, section.sh_size);
  }
  return {};
}

/// Returns the offset of the kernel's parameters in constant bank 0, as ptxas notes it; 0 if it notes none.
/// `attributes` is a list. Each entry begins with a format, a name and two more bytes, which are the length of the
/// value that follows in format 4.
std::uint32_t parameter_offset(std::string_view attributes) {
  constexpr std::size_t head = 4;
  constexpr char with_value = 4;
  constexpr char parameter_bank = 0x0a;  // the value: a symbol, then the offset and the size
  while (attributes.size() >= head) {
    std::uint16_t bytes = 0;
    std::memcpy(&bytes, attributes.data() + 2, sizeof(bytes));
    const char format = attributes[0];
    const char attribute = attributes[1];
    attributes.remove_prefix(head);
    if (format != with_value) continue;
    if (attributes.size() < bytes) return 0;
    std::uint16_t offset = 0;
    if (attribute == parameter_bank && bytes >= head + sizeof(offset)) {
      std::memcpy(&offset, attributes.data() + head, sizeof(offset));
      return offset;
    }
    attributes.remove_prefix(bytes);
  }
  return 0;
}

}  // namespace

void Modules::keep(CUmodule module, const char* cubin, std::size_t bytes) {
  if (cubin == nullptr) return;
  const std::lock_guard lock(mutex_);
  if (kept_bytes_ + bytes > most_kept_bytes) return;
  Image& image = images_[module];
  kept_bytes_ += bytes - image.code.size();
  image = {.code = {cubin, cubin + bytes}};
}

void Modules::drop(CUmodule module) {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(module);
  if (found == images_.end()) return;
  kept_bytes_ -= found->second.code.size();
  images_.erase(found);
}

std::uint32_t Modules::image_of(CUmodule module) {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(module);
  if (found == images_.end()) return 0;
  Image& image = found->second;
  if (image.number == 0 && !section_of(image.text(), ".debug_line").empty()) {
    image.number = ++written_;
    output_.write_event(EventKind::image,
                        {part_of(ImageEvent{.image = image.number}), std::as_bytes(std::span(image.code))});
  }
  return image.number;
}

void Modules::write_code(std::uint32_t kernel, CUmodule module, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(module);
  if (found == images_.end()) return;
  const std::string_view image = found->second.text();
  const std::string_view code = section_of(image, ".text." + name);
  if (code.empty()) return;
  const CodeEvent event{.kernel = kernel, .parameter_offset = parameter_offset(section_of(image, ".nv.info." + name))};
  output_.write_event(EventKind::code, {part_of(event), part_of(code)});
}

CodeTraits Modules::traits_of(CUmodule module, const std::string& name) {
  const std::lock_guard lock(mutex_);
  const auto found = images_.find(module);
  if (found == images_.end()) return {};
  const std::string_view image = found->second.text();
  const std::string_view code = section_of(image, ".text." + name);
  const bool has_relocations =
      !section_of(image, ".rel.text." + name).empty() || !section_of(image, ".rela.text." + name).empty();
  if (code.empty()) return {};
  return {.independent = !blocks_may_wait(code, has_relocations),
          .loops = has_loops(code),
          .accesses = accesses_of(code, has_relocations)};
}

}  // namespace gpumem::inject
