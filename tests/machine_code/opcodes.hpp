#pragma once
// The memory accesses of each opcode, in PTX and in machine code (SASS). Every opcode that may occur has a row, even if
// it accesses nothing, so that an unknown one is noticed instead of passed over.

#include <optional>
#include <string_view>
#include <vector>

#include "engine/access/space.hpp"

namespace gpumem::machine_code {

/// The space that an instruction names. Absent: generic, and the GPU finds out from the address.
using NamedSpace = std::optional<access::Space>;
inline constexpr NamedSpace generic = std::nullopt;

/// The part of an instruction that says how many bytes it moves per thread.
enum class Width {
  modifier,  ///< "v4.u32", "U8", "128"; in machine code 4 bytes if nothing is said
  matrix,    ///< "x4" or "M88.4" matrices of 8 x 8, one word of each per thread
  operand,   ///< the third operand
  unnamed    ///< in a register, a descriptor, or in the format of a texture
};

struct MachineAccess {
  NamedSpace space;
  access::Op op;
};

struct MachineOpcode {
  std::vector<MachineAccess> accesses;  ///< none: it accesses no memory of a site
  Width width = Width::modifier;
};

/// Returns the longest row that begins the opcode and its modifiers, in whole parts: "ATOMS.ARRIVE.64" has the row
/// "ATOMS.ARRIVE". Returns nullopt if there is no row.
[[nodiscard]] std::optional<MachineOpcode> sass_opcode(std::string_view opcode);

/// The same of PTX; the modifiers say the spaces: "cp.async.cg.shared.global" stores into the one named first.
[[nodiscard]] std::optional<MachineOpcode> ptx_opcode(std::string_view opcode);

}  // namespace gpumem::machine_code
