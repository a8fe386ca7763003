#include "engine/measure/machine_accesses.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <iterator>

#include "engine/measure/machine_code.hpp"

namespace gpumem::measure {

namespace {

using access::Op;
using access::Space;
using NamedSpace = std::optional<Space>;
constexpr NamedSpace generic = std::nullopt;

// The encodings below were settled by having nvdisasm 13.5 disassemble every value of the twelve bits of the opcode
// with many values of the others, for each of these architectures, and checked against what it says of kernels compiled
// by nvcc 13.0 for those of them that it compiles for. 10.1 is what CUDA 12 calls 11.0.
constexpr unsigned known_architectures[] = {75, 80, 86, 87, 88, 89, 90, 100, 101, 103, 110, 120, 121};

/// Bits 12 to 15: "@!PT" is never executed. The compiler puts such loads before LDGSTS.
constexpr bool never_executed(const InstructionWords& instruction) { return (instruction.low >> 12U & 0xfU) == 0xf; }

/// Bits 73 to 75 of loads and stores: U8, S8, U16, S16, 32, 64, 128, and U.128 (7.5 alone).
constexpr unsigned stated_bytes(const InstructionWords& instruction) {
  constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  return bytes[instruction.high >> 9U & 7U];
}

/// Bits 24 to 31: 255 is RZ, or URZ, and stands where there is no index.
constexpr bool has_index(const InstructionWords& instruction) { return (instruction.low >> 24U & 0xffU) != 0xff; }

/// CALL and JMP to an absolute address, JMX, JMXU. Subroutines of the kernel are called relative to the caller.
constexpr unsigned leaves_the_kernel[] = {0x143, 0x14a, 0x14c, 0x159};

enum class Width {
  stated,
  bytes32,  ///< always
  unnamed   ///< in a register, a descriptor or a format; or the encoding differs between architectures
};

struct Row {
  unsigned operation;
  NamedSpace space;
  Op op;
  Width width = Width::unnamed;
};

// Left out: what graphics shaders alone have (ALD, AST, ISBERD, ISBEWR, LDTRAM), and moves of tensor memory (LDTM,
// STTM).
constexpr Row rows[] = {
    {0x180, generic, Op::load, Width::stated},         // LD
    {0x185, generic, Op::store, Width::stated},        // ST
    {0x18a, generic, Op::atomic},                      // ATOM
    {0x18b, generic, Op::atomic},                      // ATOM.CAS
    {0x1a2, generic, Op::atomic},                      // ATOM of floating point
    {0x181, Space::global, Op::load, Width::stated},   // LDG
    {0x17e, Space::global, Op::load, Width::bytes32},  // LDG.256
    {0x1a4, Space::global, Op::load},                  // LDGMC
    {0x1a5, Space::global, Op::load},
    {0x186, Space::global, Op::store, Width::stated},   // STG
    {0x17f, Space::global, Op::store, Width::bytes32},  // STG.256
    {0x1a8, Space::global, Op::atomic},                 // ATOMG
    {0x1a9, Space::global, Op::atomic},                 // ATOMG.CAS
    {0x1a3, Space::global, Op::atomic},                 // ATOMG of floating point
    {0x18e, Space::global, Op::atomic},                 // RED, REDG
    {0x1a6, Space::global, Op::atomic},                 // REDG of floating point
    {0x183, Space::local, Op::load, Width::stated},     // LDL
    {0x187, Space::local, Op::store, Width::stated},    // STL
    {0x184, Space::shared, Op::load, Width::stated},    // LDS
    {0x188, Space::shared, Op::store, Width::stated},   // STS
    {0x18c, Space::shared, Op::atomic},                 // ATOMS
    {0x18d, Space::shared, Op::atomic},                 // ATOMS.CAS
    {0x03b, Space::shared, Op::load},                   // LDSM
    {0x044, Space::shared, Op::store},                  // STSM
    {0x1cb, Space::shared, Op::store},                  // UMEMSETS
    {0x1f0, Space::shared, Op::load},                   // HGMMA, IGMMA, BGMMA, QGMMA
    {0x1f1, Space::shared, Op::load},
    {0x1f2, Space::shared, Op::load},
    {0x1f3, Space::shared, Op::load},
    {0x1e7, Space::shared, Op::load},     // UTCCP
    {0x1ea, Space::shared, Op::load},     // UTCHMMA and its like
    {0x1bd, Space::cluster, Op::store},   // STAS
    {0x1be, Space::cluster, Op::atomic},  // REDAS
    {0x1ae, Space::global, Op::load},     // LDGSTS
    {0x1ae, Space::shared, Op::store},
    {0x1ba, Space::global, Op::load},  // UBLKCP, in one direction or the other
    {0x1ba, Space::shared, Op::store},
    {0x1bb, Space::global, Op::atomic},  // UBLKRED
    {0x1b4, Space::global, Op::load},    // UTMALDG
    {0x1b4, Space::shared, Op::store},
    {0x1b5, Space::global, Op::store},  // UTMASTG
    {0x1b5, Space::shared, Op::load},
    {0x1b6, Space::global, Op::atomic},                 // UTMAREDG
    {0x177, generic, Op::store},                        // USTGR
    {0x178, generic, Op::atomic},                       // UREDGR
    {0x182, Space::constant, Op::load, Width::stated},  // LDC
    {0x1ac, Space::constant, Op::load, Width::stated},  // LDCU
    {0x160, Space::texture, Op::load},                  // TEX
    {0x161, Space::texture, Op::load},
    {0x162, Space::texture, Op::load},
    {0x163, Space::texture, Op::load},  // TLD4
    {0x164, Space::texture, Op::load},
    {0x165, Space::texture, Op::load},
    {0x166, Space::texture, Op::load},  // TLD
    {0x167, Space::texture, Op::load},
    {0x168, Space::texture, Op::load},
    {0x16c, Space::texture, Op::load},  // TXD
    {0x16d, Space::texture, Op::load},
    {0x16e, Space::texture, Op::load},
    {0x197, Space::texture, Op::load},  // SULD
    {0x198, Space::texture, Op::load},
    {0x199, Space::texture, Op::load},
    {0x19a, Space::texture, Op::load},
    {0x19b, Space::texture, Op::store},  // SUST
    {0x19c, Space::texture, Op::store},
    {0x19d, Space::texture, Op::store},
    {0x19e, Space::texture, Op::store},
    {0x193, Space::texture, Op::atomic},  // SUATOM
    {0x194, Space::texture, Op::atomic},
    {0x195, Space::texture, Op::atomic},
    {0x196, Space::texture, Op::atomic},
    {0x19f, Space::texture, Op::atomic},  // SURED
    {0x1a0, Space::texture, Op::atomic},
};

unsigned bytes_of(const Row& row, const InstructionWords& instruction) {
  switch (row.width) {
    case Width::stated:
      return stated_bytes(instruction);
    case Width::bytes32:
      return 32;
    case Width::unnamed:
      break;
  }
  return 0;
}

bool alike(const MachineAccess& a, const MachineAccess& b) {
  return a.space == b.space && a.op == b.op && a.bytes == b.bytes;
}

void add(std::vector<MachineAccess>& accesses, const MachineAccess& access) {
  const auto same = std::ranges::find_if(accesses, [&](const MachineAccess& other) { return alike(access, other); });
  if (same == accesses.end()) {
    accesses.push_back(access);
  } else {
    same->count += access.count;
  }
}

std::string words(const MachineAccess& access) {
  const std::string width = access.bytes == 0 ? "" : fmt::format("{}-byte ", access.bytes);
  return fmt::format("{}{} {}", width, access.space ? to_string(*access.space) : "generic", to_string(access.op));
}

/// An access that is tolerated without a site: a kernel may hold up to `most_tolerated` such instructions.
struct Tolerated {
  NamedSpace space;
  Op op;
  unsigned most_bytes;
};

constexpr unsigned most_tolerated = 2;
constexpr Tolerated tolerated[] = {
    {Space::global, Op::store, 8},  // a checksum
    {Space::local, Op::store, 4},   // registers spilled
    {Space::local, Op::load, 4},
};

bool is_tolerated(const MachineAccess& access, std::span<const MachineAccess> all) {
  for (const Tolerated& kind : tolerated) {
    if (access.space != kind.space || access.op != kind.op || access.bytes == 0 || access.bytes > kind.most_bytes)
      continue;
    unsigned together = 0;
    for (const MachineAccess& other : all) {
      if (other.space == kind.space && other.op == kind.op) together += other.count;
    }
    return together <= most_tolerated;
  }
  return false;
}

}  // namespace

std::optional<std::vector<MachineAccess>> machine_accesses(std::string_view cubin, const std::string& mangled_kernel) {
  const auto code = machine_code_of(cubin, mangled_kernel);
  if (!code || std::ranges::find(known_architectures, code->compute_capability) == std::end(known_architectures)) {
    return std::nullopt;
  }
  std::vector<MachineAccess> accesses;
  for (std::size_t i = 0; i < code->instructions(); ++i) {
    const InstructionWords instruction = code->at(i);
    if (never_executed(instruction)) continue;
    const unsigned operation = instruction.operation();
    if (std::ranges::find(leaves_the_kernel, operation) != std::end(leaves_the_kernel)) return std::nullopt;
    for (const Row& row : rows) {
      if (row.operation != operation || (row.space == Space::constant && !has_index(instruction))) continue;
      add(accesses, {row.space, row.op, bytes_of(row, instruction), 1});
    }
  }
  return accesses;
}

std::optional<std::string> differs_from(std::span<const MachineAccess> accesses,
                                        std::span<const access::Site> declared) {
  std::vector<MachineAccess> expected;
  for (const access::Site& site : declared) {
    add(expected, {row_of(site.space).instructions_name, site.op, site.word_bytes, site.instructions});
  }
  std::vector<MachineAccess> beside;
  for (const MachineAccess& access : accesses) {
    const bool covered = std::ranges::any_of(
        expected, [&](const MachineAccess& other) { return other.space == access.space && other.op == access.op; });
    if (covered) {
      add(expected,
          {access.space, access.op, access.bytes, 0});  // of a width that none of them has: none of it is expected
    } else {
      add(beside, access);
    }
  }

  std::vector<std::string> differences;
  for (const MachineAccess& wanted : expected) {
    const auto present =
        std::ranges::find_if(accesses, [&](const MachineAccess& access) { return alike(access, wanted); });
    const unsigned count = present == accesses.end() ? 0 : present->count;
    if (count != wanted.count) {
      differences.push_back(fmt::format("{} x {} instead of {}", count, words(wanted), wanted.count));
    }
  }
  for (const MachineAccess& access : beside) {
    if (!is_tolerated(access, beside)) {
      differences.push_back(fmt::format("{} x {}, which no site declares", access.count, words(access)));
    }
  }
  if (differences.empty()) return std::nullopt;
  return fmt::format("{}", fmt::join(differences, "; "));
}

}  // namespace gpumem::measure
