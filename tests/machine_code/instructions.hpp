#pragma once
// Reads the accesses out of compiled kernels, as PTX or as machine code (SASS), and compares them with the access sites
// that a probe declares.

#include <compare>
#include <map>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/site.hpp"
#include "tests/machine_code/opcodes.hpp"

namespace gpumem::machine_code {

struct Instruction {
  NamedSpace space = access::Space::global;
  access::Op op = access::Op::load;
  unsigned bytes = 0;  ///< per thread; 0 where the instruction does not say
  auto operator<=>(const Instruction&) const = default;
};

[[nodiscard]] std::string to_string(const Instruction& instruction);

/// The number of each instruction in a kernel. An instruction that moves from one space to another counts in both.
using Counts = std::map<Instruction, unsigned>;

struct Kernel {
  Counts accesses;
  std::set<std::string> unknown;  ///< opcodes that opcodes.cpp has no row for
  bool traps = false;             ///< without accesses: not for this architecture, which lacks the instructions
};

/// Kernels by demangled name. Each has an entry per architecture that the text holds it for.
using Kernels = std::map<std::string, std::vector<Kernel>>;

[[nodiscard]] Kernels parse_ptx(std::string_view text);
/// The output of `cuobjdump --dump-sass`.
[[nodiscard]] Kernels parse_sass(std::string_view text);

/// Returns the differences between a kernel and the sites that it declares, a line each; empty if there are none.
///
/// In a space and direction that sites declare, the instructions must be the declared ones in number and, if they name
/// it, in width. Only bookkeeping may be undeclared: up to two global stores of at most 8 bytes each (a checksum, a
/// cycle count), up to two spilled registers, and the shared stores that fill what shared loads then read. If a site
/// lies in another block's shared memory, generic instructions belong to it: machine code has few others.
[[nodiscard]] std::vector<std::string> differences(const Counts& compiled, std::span<const access::Site> declared);

}  // namespace gpumem::machine_code
