#pragma once
// Reads the memory instructions of a compiled kernel from its machine code, and compares them with the access sites
// that its case declares. tests/machine_code checks the kernels that are built into the program. These functions check
// those that are compiled while it runs, because another version of the compiler may merge, split or drop accesses.

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

/// Returns all accesses of a kernel, in the order of their first instructions. Loads of constants count only with an
/// index, because parameters are read from the same banks. Absent if the accesses are not known: the cubin cannot be
/// read or is for an architecture newer than the table of encodings, or the kernel calls code outside it.
[[nodiscard]] std::optional<std::vector<MachineAccess>> machine_accesses(std::string_view cubin,
                                                                         const std::string& mangled_kernel);

/// Says in one line how a kernel's accesses differ from the declared sites; absent if they do not. In a space and
/// direction that sites declare, the instructions must be the declared ones, in number and width. Beside them the
/// kernel may hold up to two global stores of at most 8 bytes each (a checksum), and up to two registers spilled.
[[nodiscard]] std::optional<std::string> differs_from(std::span<const MachineAccess> accesses,
                                                      std::span<const access::Site> declared);

}  // namespace gpumem::measure
