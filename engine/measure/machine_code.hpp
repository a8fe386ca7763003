#pragma once
// Finds a compiled kernel's instructions in a cubin, which is an ELF file. The program does this itself because tools
// that read cubins need not be installed where kernels run.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/measure/instruction_words.hpp"

namespace gpumem::measure {

struct MachineCode {
  unsigned compute_capability = 0;  ///< 90: 9.0
  std::string_view bytes;           ///< in the cubin

  [[nodiscard]] std::size_t instructions() const { return bytes.size() / instruction_bytes; }
  [[nodiscard]] InstructionWords at(std::size_t i) const { return words_at(bytes, i); }  ///< i < instructions()
};

/// Returns the instructions of a kernel and of the subroutines compiled into it, which lie behind it. Absent if the
/// cubin is of an unknown form or holds no such kernel.
[[nodiscard]] std::optional<MachineCode> machine_code_of(std::string_view cubin, const std::string& mangled_kernel);

}  // namespace gpumem::measure
