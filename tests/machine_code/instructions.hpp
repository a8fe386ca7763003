#pragma once
// Reads the loads and stores out of compiled kernels, as PTX or as machine code (SASS), and compares them with the
// access sites that a probe declares.

#include <compare>
#include <map>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "probes/access/site.hpp"

namespace gpumem::machine_code {

/// The space that an instruction names. Generic: the compiler could not tell, and the GPU finds out at run time.
enum class Space { global, shared, generic };

struct Instruction {
  Space space = Space::global;
  access::Op op = access::Op::load;
  unsigned bytes = 0;  ///< per thread
  auto operator<=>(const Instruction&) const = default;
};

[[nodiscard]] std::string to_string(const Instruction& instruction);

/// How many of each instruction stand in a kernel.
using Counts = std::map<Instruction, unsigned>;

/// Kernels by demangled name. Each has an entry per architecture that the text holds it for.
using Kernels = std::map<std::string, std::vector<Counts>>;

[[nodiscard]] Kernels parse_ptx(std::string_view text);
/// The output of `cuobjdump --dump-sass`.
[[nodiscard]] Kernels parse_sass(std::string_view text);

/// What a kernel holds other than its sites declare, a line each; nothing when it is as declared.
///
/// In a space and direction that sites declare, the instructions must be the declared ones, in number and width. What
/// the sites leave out may only be bookkeeping: up to two global stores of at most 8 bytes each (a checksum, a cycle
/// count) and the shared stores that fill what shared loads then read.
[[nodiscard]] std::vector<std::string> differences(const Counts& compiled, std::span<const access::Site> declared);

}  // namespace gpumem::machine_code
