#pragma once
// The machine code of a kernel, as far as its time depends on it: the pipe that each instruction keeps busy, the
// results that it waits for, and its branches. Instructions have 128 bits, as on every GPU since compute capability
// 7.0.

#include <cstddef>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/measure/instruction_words.hpp"

namespace gpumem::program {

using measure::instruction_bytes;

/// The pipe that an instruction is issued to. MachineInstruction::cycles says how long a warp keeps it busy.
enum class Pipe : std::uint8_t {
  issue,    ///< nothing but its turn
  fp32,     ///< additions and products of floats; half of it also products of integers, and sums of two
  integer,  ///< sums of three, logic, shifts, comparisons, choices
  fp64,
  special,  ///< reciprocals, roots, exponentials, sines, most conversions
  memory,   ///< loads, stores, shuffles
  tensor,
  barrier  ///< arrivals at barriers of a block
};
inline constexpr std::size_t pipes = 8;

/// Accesses by instructions that not every version of the sanitizer's library reports.
enum class Hidden : std::uint8_t { nothing, tensor_load, tensor_store, tensor_reduction, bulk_copy, matrix_product };

struct MachineInstruction {
  enum class Kind : std::uint8_t {
    plain,
    off_chip_load,  ///< or whatever else waits for L2
    shared_load,
    store,
    wait,
    fence,  ///< waits until other multiprocessors see what the warp has stored
    branch,
    call,      ///< goes to its target and comes back
    indirect,  ///< branches to where a register says
    end
  };
  Kind kind = Kind::plain;
  Pipe pipe = Pipe::issue;
  double cycles = 1;             ///< that a warp keeps the pipe of its scheduler busy, on compute capability 9.0
  double turns = 1;              ///< cycles for which its scheduler issues nothing else
  unsigned stall = 1;            ///< cycles until the warp's next instruction may be issued
  unsigned waits_for = 0;        ///< scoreboards, a bit each, that have to be free first
  int sets = -1;                 ///< scoreboard that is taken until the result is there; -1: none
  int reads = -1;                ///< scoreboard that is taken until the operands have been read; -1: none
  bool always = true;            ///< not predicated
  bool divergent = false;        ///< a branch that a warp takes only where its threads have parted
  std::size_t target = 0;        ///< of a branch or call: the index of an instruction
  bool seen = false;             ///< accesses memory, which a callback tells of whenever it runs
  bool on_stack = false;         ///< a load or store of local memory at a constant distance from the stack's top
  int stack_offset = 0;          ///< bytes, of such an access
  unsigned bytes = 0;            ///< a thread, of such an access
  bool past_l1 = false;          ///< a load that sees what all blocks have stored (volatile, atomic)
  bool loads_again = false;      ///< and that each round of its loop repeats at the same address
  bool adds_floats = false;      ///< an atomic, of floating point
  bool swaps_shared = false;     ///< compares and swaps in shared memory
  bool computes_floats = false;  ///< adds or multiplies 32-bit floats
  unsigned wavefronts = 0;       ///< of shared memory at least, by ldmatrix or stmatrix
  Hidden hidden = Hidden::nothing;
};

/// The instructions of a kernel, compiled for compute capability `major`.x; empty if the encoding is not known.
[[nodiscard]] std::vector<MachineInstruction> instructions_of(std::string_view code, unsigned major);

}  // namespace gpumem::program
