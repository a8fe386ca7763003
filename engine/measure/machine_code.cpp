#include "engine/measure/machine_code.hpp"

#include <elf.h>

#include <cstring>

namespace gpumem::measure {

namespace {

/// A structure at an offset, as far as the file has it.
template <class T>
std::optional<T> read_at(std::string_view file, std::uint64_t offset) {
  T value{};
  if (offset > file.size() || file.size() - offset < sizeof value) return std::nullopt;
  std::memcpy(&value, file.data() + offset, sizeof value);
  return value;
}

std::optional<std::string_view> bytes_of(std::string_view file, const Elf64_Shdr& section) {
  if (section.sh_type == SHT_NOBITS || section.sh_offset > file.size()) return std::nullopt;
  if (section.sh_size > file.size() - section.sh_offset) return std::nullopt;
  return file.substr(section.sh_offset, section.sh_size);
}

/// True if the text at this offset of a string table, up to its terminator, is `name`.
bool is_named(std::string_view names, std::uint32_t offset, std::string_view name) {
  if (offset > names.size()) return false;
  return names.substr(offset).starts_with(name) && names.substr(offset).find('\0') == name.size();
}

/// The real architecture, from the flags: their lowest byte up to CUDA 12 (ABI 7), the next one since CUDA 13 (ABI 8).
/// Settled with cubins of NVRTC 12.4 and of nvcc 13.0 for compute capability 7.5 to 12.1.
std::optional<unsigned> compute_capability_of(const Elf64_Ehdr& header) {
  if (header.e_ident[EI_ABIVERSION] == 7) return header.e_flags & 0xffU;
  if (header.e_ident[EI_ABIVERSION] == 8) return header.e_flags >> 8U & 0xffU;
  return std::nullopt;
}

}  // namespace

std::optional<MachineCode> machine_code_of(std::string_view cubin, const std::string& mangled_kernel) {
  const auto header = read_at<Elf64_Ehdr>(cubin, 0);
  if (!header || std::memcmp(header->e_ident, ELFMAG, SELFMAG) != 0 || header->e_ident[EI_CLASS] != ELFCLASS64 ||
      header->e_machine != EM_CUDA || header->e_shentsize != sizeof(Elf64_Shdr)) {
    return std::nullopt;
  }
  const auto compute_capability = compute_capability_of(*header);
  const auto section = [&](std::uint64_t i) {
    return read_at<Elf64_Shdr>(cubin, header->e_shoff + i * sizeof(Elf64_Shdr));
  };
  const auto name_section = section(header->e_shstrndx);
  const auto names = name_section ? bytes_of(cubin, *name_section) : std::nullopt;
  if (!compute_capability || !names) return std::nullopt;

  const std::string wanted = ".text." + mangled_kernel;
  for (std::uint64_t i = 0; i < header->e_shnum; ++i) {
    const auto section_header = section(i);
    if (!section_header || section_header->sh_type != SHT_PROGBITS ||
        !is_named(*names, section_header->sh_name, wanted))
      continue;
    const auto bytes = bytes_of(cubin, *section_header);
    if (!bytes || bytes->empty() || bytes->size() % instruction_bytes != 0) return std::nullopt;
    return MachineCode{*compute_capability, *bytes};
  }
  return std::nullopt;
}

}  // namespace gpumem::measure
