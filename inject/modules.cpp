#include "inject/modules.hpp"

#include <elf.h>

#include <cstring>
#include <mutex>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "inject/output.hpp"

namespace gpumem::inject {

namespace {

constexpr std::size_t most_kept_bytes = std::size_t{256} << 20U;

struct Image {
  std::vector<char> code;
  std::uint32_t number = 0;  ///< once it is written
};

// Never held while anything else is called.
std::mutex mutex;
std::unordered_map<CUmodule, Image> images;
std::size_t kept_bytes = 0;
std::uint32_t written = 0;

/// Whether an ELF file of 64 bits has a section of that name.
bool has_section(const char* file, std::size_t bytes, std::string_view name) {
  Elf64_Ehdr header;
  if (bytes < sizeof(header)) return false;
  std::memcpy(&header, file, sizeof(header));
  if (std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0 || header.e_shentsize != sizeof(Elf64_Shdr)) return false;
  const auto section_at = [&](std::size_t index, Elf64_Shdr& section) {
    if (header.e_shoff > bytes || (bytes - header.e_shoff) / sizeof(section) <= index) return false;
    std::memcpy(&section, file + header.e_shoff + index * sizeof(section), sizeof(section));
    return true;
  };
  Elf64_Shdr names;
  if (!section_at(header.e_shstrndx, names) || names.sh_offset > bytes || names.sh_size > bytes - names.sh_offset) {
    return false;
  }
  const std::string_view text(file + names.sh_offset, names.sh_size);
  const std::string wanted = std::string(name) + '\0';
  for (std::size_t i = 0; i < header.e_shnum; ++i) {
    Elf64_Shdr section;
    if (!section_at(i, section)) return false;
    if (section.sh_name < text.size() && text.substr(section.sh_name, name.size() + 1) == wanted) return true;
  }
  return false;
}

}  // namespace

void keep_module(CUmodule module, const char* cubin, std::size_t bytes) {
  if (cubin == nullptr || !has_section(cubin, bytes, ".debug_line")) return;
  const std::lock_guard lock(mutex);
  if (kept_bytes + bytes > most_kept_bytes) return;
  Image& image = images[module];
  kept_bytes += bytes - image.code.size();
  image = {.code = {cubin, cubin + bytes}};
}

void drop_module(CUmodule module) {
  const std::lock_guard lock(mutex);
  const auto found = images.find(module);
  if (found == images.end()) return;
  kept_bytes -= found->second.code.size();
  images.erase(found);
}

std::uint32_t image_of(CUmodule module) {
  const std::lock_guard lock(mutex);
  const auto found = images.find(module);
  if (found == images.end()) return 0;
  Image& image = found->second;
  if (image.number == 0) {
    image.number = ++written;
    write_event(EventKind::image, {part_of(ImageEvent{.image = image.number}), std::as_bytes(std::span(image.code))});
    kept_bytes -= image.code.size();
    image.code = {};
  }
  return image.number;
}

}  // namespace gpumem::inject
