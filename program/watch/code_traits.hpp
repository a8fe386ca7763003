#pragma once
// Traits of a kernel's machine code. They tell how long its blocks may take: whether they wait for each other, and
// whether they go round loops. They also tell whether the patch sees all that the kernel accesses. No CUDA.
//
// program/machine_code reads the same code once more, after the program has ended: it prices every instruction for
// a compute capability and follows its operands through tables and containers. A guest asks few questions when a kernel
// first appears, whatever the GPU, and should bring along as little as possible. The words and fields that both read
// are decoded in one place, engine/measure/instruction_words.hpp.

#include <algorithm>
#include <cstddef>
#include <cstdint>
#include <iterator>
#include <string_view>
#include <vector>

#include "engine/measure/instruction_words.hpp"

namespace gpumem::inject {

/// The accesses of a kernel, as far as its machine code tells. Instructions are named by their distance in bytes from
/// the kernel's beginning.
struct CodeAccesses {
  bool all_are_told = false;  ///< a callback tells of every access to memory that other launches or the host reach
  std::vector<std::uint64_t> strong;  ///< loads and stores that take part in waiting: volatile, acquire, release
  std::vector<std::uint64_t> bulk;    ///< copies of blocks, which older libraries have no callback for
};

/// Traits of a kernel, as far as its machine code tells.
struct CodeTraits {
  bool independent = false;  ///< no block of it can wait for another
  bool loops = true;
  CodeAccesses accesses = {};
};

/// Returns true if the instruction goes on in a place that may be outside of the kernel's code.
[[nodiscard]] constexpr bool leads_elsewhere(unsigned operation) {
  constexpr unsigned operations[] = {0x143, 0x144,          // CALL, absolute and relative
                                     0x149,                 // BRX
                                     0x14a, 0x14c, 0x159};  // JMP, JMX, JMXU
  return std::ranges::find(operations, operation) != std::end(operations);
}

/// Returns true if the load or store is stronger than one of a block: volatile, acquire, release, relaxed.
[[nodiscard]] constexpr bool is_strong(const measure::InstructionWords& words) {
  const unsigned order = words.order();
  return order != 0 && order != 4 && order != 5;
}

/// A block that waits for another reads memory again and again, past the cache of its multiprocessor: by loads that
/// are stronger than those of a block (volatile, acquire, relaxed), or by atomics that return something.
/// `has_relocations`: some addresses in it are those of other code or data, so that nobody knows here what it calls.
[[nodiscard]] inline bool blocks_may_wait(std::string_view code, bool has_relocations) {
  bool calls = false;
  for (std::size_t i = 0; i < code.size() / measure::instruction_bytes; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    switch (words.operation()) {
      case 0x17e:  // LDG.256
      case 0x180:  // LD
      case 0x181:  // LDG
        if (is_strong(words)) return true;
        break;
      case 0x18a:  // ATOM
      case 0x18b:
      case 0x1a2:
      case 0x1a3:  // ATOMG
      case 0x1a8:
      case 0x1a9:
        return true;
      default:
        calls = calls || leads_elsewhere(words.operation());
        break;
    }
  }
  return calls && has_relocations;
}

/// Returns true if some branch leads back, or to a place that the code does not tell.
[[nodiscard]] inline bool has_loops(std::string_view code) {
  for (std::size_t i = 0; i < code.size() / measure::instruction_bytes; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    if (leads_elsewhere(words.operation())) return true;
    if (words.operation() != 0x147) continue;
    // BRA: the code ends in one to itself, 16 bytes back, in either encoding of the distance.
    const auto upper = words.upper_distance();
    const unsigned lower = words.lower_distance();
    if (upper < 0 && !(upper == -4 && lower == 0) && !(upper == -1 && lower == 0xfc)) return true;
  }
  return false;
}

/// The part that an instruction has in what a kernel accesses.
enum class AccessKind : std::uint8_t {
  told,   ///< a callback tells of it, or it reaches nothing beyond the multiprocessors
  order,  ///< the same, unless others may wait for it (is_strong())
  bulk,   ///< later libraries' callbacks tell of it
  untold  ///< no callback tells of it, or what it does is not known
};

/// engine/measure/machine_accesses.cpp has all instructions that access memory, and tells how they were settled. The
/// others between 0x160 and 0x1be were settled with nvdisasm for compute capabilities 8.0, 9.0, 10.0 and 12.0, the
/// first as far as it has them. On 7.5 every load and store looks strong, so that nothing is overlooked.
[[nodiscard]] constexpr AccessKind access_kind(const measure::InstructionWords& words) {
  switch (words.operation()) {
    case 0x17e:  // LDG.256
    case 0x17f:  // STG.256
    case 0x180:  // LD
    case 0x181:  // LDG
    case 0x185:  // ST
    case 0x186:  // STG
      return AccessKind::order;
    case 0x1b4:  // UTMALDG
    case 0x1ba:  // UBLKCP
      return AccessKind::bulk;
    case 0x18f:  // CCTL: a prefetch, unlike one that discards what a line holds
      return (words.high >> 23U & 0xfU) == 1 ? AccessKind::told : AccessKind::untold;
    case 0x192:  // MEMBAR: others may wait for what is stored behind one of a GPU or a system
      return (words.high >> 12U & 2U) == 0 ? AccessKind::told : AccessKind::untold;
    case 0x182:  // LDC
    case 0x183:  // LDL
    case 0x184:  // LDS
    case 0x187:  // STL
    case 0x188:  // STS
    case 0x189:  // SHFL
    case 0x18a:  // ATOM
    case 0x18b:  // ATOM.CAS
    case 0x18c:  // ATOMS
    case 0x18d:  // ATOMS.CAS
    case 0x18e:  // RED
    case 0x1a1:  // MATCH
    case 0x1a2:  // ATOM and
    case 0x1a3:  // ATOMG of floating point
    case 0x1a6:  // RED of floating point
    case 0x1a7:  // SYNCS, barriers of shared memory
    case 0x1a8:  // ATOMG
    case 0x1a9:  // ATOMG.CAS
    case 0x1aa:  // QSPC
    case 0x1ab:  // ERRBAR
    case 0x1ac:  // LDCU
    case 0x1ae:  // LDGSTS
    case 0x1af:  // LDGDEPBAR
    case 0x1b0:  // ARRIVES
    case 0x1b2:  // SYNCS
    case 0x1b7:  // UTMACMDFLUSH
    case 0x1b8:  // UTMAPF
    case 0x1b9:  // UTMACCTL
    case 0x1bc:  // UBLKPF
    case 0x1bd:  // STAS
    case 0x1be:  // REDAS
      return AccessKind::told;
    default:
      return words.operation() < 0x160 || words.operation() > 0x1be ? AccessKind::told : AccessKind::untold;
  }
}

/// The accesses of a kernel with this code. `has_relocations` is as in blocks_may_wait().
[[nodiscard]] inline CodeAccesses accesses_of(std::string_view code, bool has_relocations) {
  CodeAccesses accesses{.all_are_told = true, .strong = {}, .bulk = {}};
  for (std::size_t i = 0; i < code.size() / measure::instruction_bytes; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    const AccessKind kind = access_kind(words);
    if (kind == AccessKind::untold || (has_relocations && leads_elsewhere(words.operation()))) return {};
    if (kind == AccessKind::order && is_strong(words)) accesses.strong.push_back(i * measure::instruction_bytes);
    if (kind == AccessKind::bulk) accesses.bulk.push_back(i * measure::instruction_bytes);
  }
  return accesses;
}

}  // namespace gpumem::inject
