#pragma once
// The words of a machine instruction, and the fields that every reader of machine code needs. Everything is inline:
// the library that `gpumem run` injects has it without the rest of this folder.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gpumem::measure {

/// An instruction of 128 bits, as every GPU since compute capability 7.0 has them.
struct InstructionWords {
  std::uint64_t low = 0;
  std::uint64_t high = 0;

  /// The lower nine bits say what an instruction does, the three above them what kinds of operand it has
  /// (engine/measure/machine_accesses.cpp tells how they were settled).
  [[nodiscard]] constexpr unsigned operation() const { return static_cast<unsigned>(low & 0x1ffU); }

  /// The order of a load: weak 0, constant 4, strong in a block 5, in a GPU 7, in the system 10. It was settled with
  /// nvdisasm for compute capability 8.0 and 9.0.
  [[nodiscard]] constexpr unsigned order() const { return static_cast<unsigned>(high >> 13U & 0xfU); }

  /// The distance of a branch: its upper part, which has a sign, and its lower part. They count from the next
  /// instruction, in units of 1024 and 4 bytes; up to compute capability 8.x the upper part alone does, in units of 4.
  [[nodiscard]] constexpr std::int64_t upper_distance() const { return static_cast<std::int64_t>(low) >> 34; }
  [[nodiscard]] constexpr unsigned lower_distance() const { return static_cast<unsigned>(low >> 16U & 0xffU); }
};

inline constexpr std::size_t instruction_bytes = sizeof(InstructionWords);

/// Returns the words of instruction `i` of the code, which has to hold it.
[[nodiscard]] inline InstructionWords words_at(std::string_view code, std::size_t i) {
  InstructionWords words;
  std::memcpy(&words, code.data() + i * instruction_bytes, instruction_bytes);
  return words;
}

}  // namespace gpumem::measure
