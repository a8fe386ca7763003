#pragma once
// Traits of a kernel's machine code that tell how long its blocks may take: whether they wait for each other, and
// whether they go round loops. An instruction has 16 bytes, as of compute capability 7.0 and later. No CUDA.

#include <cstddef>
#include <cstdint>
#include <cstring>
#include <string_view>

namespace gpumem::inject {

/// A block that waits for another reads memory again and again, past the cache of its multiprocessor: by loads that
/// are stronger than those of a block (volatile, acquire, relaxed), or by atomics that return something.
/// `has_relocations`: some addresses in it are those of other code or data, so that nobody knows here what it calls.
[[nodiscard]] inline bool blocks_may_wait(std::string_view code, bool has_relocations) {
  constexpr std::size_t instruction_bytes = 16;
  bool calls = false;
  for (; code.size() >= instruction_bytes; code.remove_prefix(instruction_bytes)) {
    std::uint64_t low = 0;
    std::uint64_t high = 0;
    std::memcpy(&low, code.data(), sizeof(low));
    std::memcpy(&high, code.data() + sizeof(low), sizeof(high));
    switch (low & 0x1ffU) {
      case 0x17e:    // LDG.256
      case 0x180:    // LD
      case 0x181: {  // LDG
        // Bits 77 to 80, tried with sm_90: weak 0, constant 4, of a block 5; of a GPU 7, of a system 10.
        const std::uint64_t strength = high >> 13U & 0xfU;
        if (strength != 0 && strength != 4 && strength != 5) return true;
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
  constexpr std::size_t instruction_bytes = 16;
  for (; code.size() >= instruction_bytes; code.remove_prefix(instruction_bytes)) {
    std::uint64_t low = 0;
    std::memcpy(&low, code.data(), sizeof(low));
    const std::uint64_t operation = low & 0x1ffU;
    if (operation == 0x149 || operation == 0x14a || operation == 0x14c || operation == 0x143 || operation == 0x144) {
      return true;  // BRX, JMP, JMX and calls
    }
    if (operation != 0x147) continue;  // BRA
    // The distance counts from the next instruction, in units of 4 bytes from bit 34 on. Since compute capability 9.0
    // these are units of 1024 bytes, and bits 16 to 23 have those of 4. The code ends in a branch to itself.
    const auto distance = static_cast<std::int64_t>(low) >> 34;
    const bool to_itself = distance == -4 || (distance == -1 && (low >> 16U & 0xffU) == 0xfc);
    if (distance < 0 && !to_itself) return true;
  }
  return false;
}

}  // namespace gpumem::inject
