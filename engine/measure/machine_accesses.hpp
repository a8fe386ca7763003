#pragma once
// Which memory instructions a compiled kernel holds, read off its machine code, and whether they are the access sites
// that its case declares. What tests/machine_code asks of the kernels built into the program, this asks of those that
// are compiled while it runs: a compiler of another version may merge, split or drop accesses.

#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/site.hpp"

namespace gpumem::measure {

/// Instructions of a kernel that do the same.
struct MachineAccess {
  std::optional<access::Space> space = access::Space::global;  ///< absent: generic, and the GPU tells by the address
  access::Op op = access::Op::load;
  unsigned bytes = 0;  ///< per thread; 0 where it is not known how the instruction says that
  unsigned count = 0;  ///< how many stand in the kernel

  bool operator==(const MachineAccess&) const = default;
};

/// All of a kernel's accesses, in the order in which their first instructions stand there. Constants count where an
/// index finds them, for parameters are read from the same banks. Absent where they are not known: the cubin cannot be
/// read, is for an architecture newer than the table of encodings, or the kernel calls what lies outside it.
[[nodiscard]] std::optional<std::vector<MachineAccess>> machine_accesses(std::string_view cubin,
                                                                         const std::string& mangled_kernel);

/// What a kernel holds other than declared, in one line; absent when it is as declared. In a space and direction that
/// sites declare the instructions must be the declared ones, in number and width. Beside them it may hold up to two
/// global stores of at most 8 bytes each (a checksum), and up to two registers spilled.
[[nodiscard]] std::optional<std::string> differs_from(std::span<const MachineAccess> accesses,
                                                      std::span<const access::Site> declared);

}  // namespace gpumem::measure
