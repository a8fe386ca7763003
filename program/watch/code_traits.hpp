#pragma once
// Traits of a kernel's machine code that tell how long its blocks may take: whether they wait for each other, and
// whether they go round loops. No CUDA.
//
// program/machine_code reads the same code once more, after the program has ended: it prices every instruction for
// a compute capability and follows its operands through tables and containers. A guest asks two questions when a kernel
// first appears, whatever the GPU, and should bring along as little as possible. The words and fields that both read
// are decoded in one place, engine/measure/instruction_words.hpp.

#include <cstddef>
#include <string_view>

#include "engine/measure/instruction_words.hpp"

namespace gpumem::inject {

/// A block that waits for another reads memory again and again, past the cache of its multiprocessor: by loads that
/// are stronger than those of a block (volatile, acquire, relaxed), or by atomics that return something.
/// `has_relocations`: some addresses in it are those of other code or data, so that nobody knows here what it calls.
[[nodiscard]] inline bool blocks_may_wait(std::string_view code, bool has_relocations) {
  bool calls = false;
  for (std::size_t i = 0; i < code.size() / measure::instruction_bytes; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    switch (words.operation()) {
      case 0x17e:    // LDG.256
      case 0x180:    // LD
      case 0x181: {  // LDG
        const unsigned order = words.order();
        if (order != 0 && order != 4 && order != 5) return true;
        break;
      }
      case 0x18a:  // ATOM
      case 0x18b:
      case 0x1a2:
      case 0x1a3:  // ATOMG
      case 0x1a8:
      case 0x1a9:
        return true;
      case 0x143:  // CALL, absolute and relative
      case 0x144:
      case 0x149:  // BRX
      case 0x14a:  // JMP, JMX: somewhere else
      case 0x14c:
        calls = true;
        break;
      default:
        break;
    }
  }
  return calls && has_relocations;
}

/// Returns true if some branch leads back, or to a place that the code does not tell.
[[nodiscard]] inline bool has_loops(std::string_view code) {
  for (std::size_t i = 0; i < code.size() / measure::instruction_bytes; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    switch (words.operation()) {
      case 0x143:  // CALL
      case 0x144:
      case 0x149:  // BRX
      case 0x14a:  // JMP, JMX
      case 0x14c:
        return true;
      case 0x147: {  // BRA; the code ends in one to itself, 16 bytes back, in either encoding of the distance
        const auto upper = words.upper_distance();
        const unsigned lower = words.lower_distance();
        if (upper < 0 && !(upper == -4 && lower == 0) && !(upper == -1 && lower == 0xfc)) return true;
        break;
      }
      default:
        break;
    }
  }
  return false;
}

}  // namespace gpumem::inject
