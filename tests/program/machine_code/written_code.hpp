#pragma once
// Machine code of a few instructions, as a test writes it.

#include <cstdint>
#include <string>
#include <vector>

#include "tests/program/raw_writer.hpp"

namespace gpumem::test::machine_code {

// Operations, as nvdisasm names them.
inline constexpr unsigned fadd = 0x221;
inline constexpr unsigned imad = 0x224;
inline constexpr unsigned dfma = 0x22b;
inline constexpr unsigned mufu = 0x308;
inline constexpr unsigned match = 0x3a1;
inline constexpr unsigned ldg = 0x981;
inline constexpr unsigned stg = 0x986;
inline constexpr unsigned lds = 0x984;
inline constexpr unsigned bar = 0x11d;
inline constexpr unsigned bra = 0x947;
inline constexpr unsigned call = 0x944;
inline constexpr unsigned returns = 0x950;
inline constexpr unsigned exits = 0x94d;
inline constexpr unsigned tensor_copy = 0x5b4;

inline constexpr int none = 7;
inline constexpr std::uint64_t unconditional = 7;

/// An instruction for compute capability 9.0.
struct Written {
  unsigned operation = fadd;
  int sets = none;
  unsigned waits_for = 0;
  bool predicated = false;
  int to = -1;  ///< of a branch: the index of an instruction
  unsigned stall = 1;
};

inline std::string code_of(const std::vector<Written>& all) {
  std::string code;
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Written& written = all[i];
    std::uint64_t low = written.operation | (written.predicated ? 0x0000ULL : 0x7000ULL);
    if (written.to >= 0) {
      const auto distance = (static_cast<std::int64_t>(written.to) - static_cast<std::int64_t>(i) - 1) * 16 / 4;
      low |= (static_cast<std::uint64_t>(distance) & 0xff) << 16;
      low |= static_cast<std::uint64_t>(distance >> 8) << 34;
    }
    const std::uint64_t high = unconditional << 23 | std::uint64_t{written.stall} << 41 |
                               static_cast<std::uint64_t>(written.sets) << 46 | std::uint64_t{none} << 49 |
                               std::uint64_t{written.waits_for} << 52;
    code += bytes_of(low) + bytes_of(high);
  }
  return code;
}

}  // namespace gpumem::test::machine_code
