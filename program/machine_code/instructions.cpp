#include "program/machine_code/instructions.hpp"

#include <algorithm>

#include "engine/model/arithmetic.hpp"
#include "program/machine_code/strong_loads.hpp"

namespace gpumem::program {

namespace {

using Kind = MachineInstruction::Kind;

constexpr unsigned oldest = 7;

/// Widths are lanes per cycle of a multiprocessor of compute capability 9.0 (CUDA C++ Programming Guide, "Arithmetic
/// Instructions"), a quarter of which each of the four schedulers has. The guide has no rows for VIADD, IMAD.WIDE,
/// IMAD.HI and FCHK: they are as kernels that repeat them were timed on an H100 (docs/method/programs.md).
/// busiest_pipe() knows the widths of others.
struct Row {
  unsigned operation;
  Pipe pipe;
  double cycles;
  Kind kind = Kind::plain;
  Hidden hidden = Hidden::nothing;
};

constexpr unsigned shuffle = 0x189;
constexpr unsigned fence = 0x192;
constexpr unsigned load_matrix = 0x03b;
constexpr unsigned store_matrix = 0x044;
constexpr unsigned load_local = 0x183;
constexpr unsigned store_local = 0x187;
constexpr unsigned multiply_floats = 0x020;
constexpr unsigned add_floats = 0x021;
constexpr unsigned fuse_floats = 0x023;

constexpr double half_rate = 2;     // 64 lanes
constexpr double quarter_rate = 4;  // 32
constexpr double special_rate = 8;  // 16
// The multiprocessor takes a warp's arrival at a barrier every 2 cycles. One block of n warps takes 12.5 + 2.0 n cycles
// a barrier on an H100, for 1 to 32 warps, and several blocks of 64 warps together 129 to 135
// (docs/method/programs.md).
constexpr double barrier_rate = 2 * schedulers;

// A warp whose lanes have 4, 16 or 32 different values takes 18.2, 40.3 or 76.1 cycles on an H100. Nothing tells how
// many they have, so few are assumed.
constexpr double match_rate = 18;

constexpr Row rows[] = {
    {multiply_floats, Pipe::fp32, 1},                                          // FMUL
    {add_floats, Pipe::fp32, 1},                                               // FADD
    {fuse_floats, Pipe::fp32, 1},                                              // FFMA
    {0x030, Pipe::fp32, 1},                                                    // HADD2
    {0x031, Pipe::fp32, 1},                                                    // HFMA2
    {0x032, Pipe::fp32, 1},                                                    // HMUL2
    {0x035, Pipe::fp32, 1},                                                    // HFMA2
    {0x024, Pipe::fp32, half_rate},                                            // IMAD
    {0x025, Pipe::fp32, quarter_rate},                                         // IMAD.WIDE
    {0x026, Pipe::fp32, half_rate},                                            // IDP
    {0x027, Pipe::fp32, quarter_rate},                                         // IMAD.HI
    {0x036, Pipe::fp32, half_rate},                                            // VIADD
    {0x006, Pipe::integer, half_rate},                                         // VOTE
    {0x007, Pipe::integer, half_rate},                                         // SEL
    {0x008, Pipe::integer, half_rate},                                         // FSEL
    {0x009, Pipe::integer, half_rate},                                         // FMNMX
    {0x00b, Pipe::integer, half_rate},                                         // FSETP
    {0x00c, Pipe::integer, half_rate},                                         // ISETP
    {0x010, Pipe::integer, half_rate},                                         // IADD3
    {0x011, Pipe::integer, half_rate},                                         // LEA
    {0x012, Pipe::integer, half_rate},                                         // LOP3
    {0x013, Pipe::integer, half_rate},                                         // IABS
    {0x016, Pipe::integer, half_rate},                                         // PRMT
    {0x017, Pipe::integer, half_rate},                                         // IMNMX
    {0x019, Pipe::integer, half_rate},                                         // SHF
    {0x01c, Pipe::integer, half_rate},                                         // PLOP3
    {0x03e, Pipe::integer, half_rate},                                         // F2FP
    {0x045, Pipe::integer, half_rate},                                         // I2FP
    {0x046, Pipe::integer, half_rate},                                         // VIADDMNMX
    {0x048, Pipe::integer, half_rate},                                         // VIMNMX
    {0x028, Pipe::fp64, half_rate},                                            // DMUL
    {0x029, Pipe::fp64, half_rate},                                            // DADD
    {0x02a, Pipe::fp64, half_rate},                                            // DSETP
    {0x02b, Pipe::fp64, half_rate},                                            // DFMA
    {0x100, Pipe::special, special_rate},                                      // FLO
    {0x101, Pipe::special, special_rate},                                      // BREV
    {0x102, Pipe::special, special_rate},                                      // FCHK
    {0x105, Pipe::special, special_rate},                                      // F2I
    {0x106, Pipe::special, special_rate},                                      // I2F
    {0x107, Pipe::special, special_rate},                                      // FRND
    {0x108, Pipe::special, special_rate},                                      // MUFU
    {0x109, Pipe::special, special_rate},                                      // POPC
    {0x110, Pipe::special, special_rate},                                      // F2F
    {0x111, Pipe::special, special_rate},                                      // F2I of 64 bits
    {0x112, Pipe::special, special_rate},                                      // I2F of 64 bits
    {0x113, Pipe::special, special_rate},                                      // FRND of 64 bits
    {0x1c4, Pipe::special, special_rate},                                      // REDUX
    {0x1a1, Pipe::special, match_rate},                                        // MATCH
    {0x180, Pipe::memory, 0, Kind::off_chip_load},                             // LD
    {0x181, Pipe::memory, 0, Kind::off_chip_load},                             // LDG
    {load_local, Pipe::memory, 0, Kind::off_chip_load},                        // LDL
    {0x17e, Pipe::memory, 0, Kind::off_chip_load},                             // LDG.256
    {0x18a, Pipe::memory, 0, Kind::off_chip_load},                             // ATOM
    {0x18b, Pipe::memory, 0, Kind::off_chip_load},                             // ATOM.CAS
    {0x1a2, Pipe::memory, 0, Kind::off_chip_load},                             // ATOM of floating point
    {0x1a3, Pipe::memory, 0, Kind::off_chip_load},                             // ATOMG of floating point
    {0x1a8, Pipe::memory, 0, Kind::off_chip_load},                             // ATOMG
    {0x1a9, Pipe::memory, 0, Kind::off_chip_load},                             // ATOMG.CAS
    {0x1ae, Pipe::memory, 0, Kind::off_chip_load},                             // LDGSTS
    {0x184, Pipe::memory, 0, Kind::shared_load},                               // LDS
    {shuffle, Pipe::memory, quarter_rate, Kind::shared_load},                  // SHFL
    {0x18c, Pipe::memory, 0, Kind::shared_load},                               // ATOMS
    {0x18d, Pipe::memory, 0, Kind::shared_load},                               // ATOMS.CAS
    {0x182, Pipe::issue, 1, Kind::shared_load},                                // LDC
    {0x185, Pipe::memory, 0, Kind::store},                                     // ST
    {0x17f, Pipe::memory, 0, Kind::store},                                     // STG.256
    {0x186, Pipe::memory, 0, Kind::store},                                     // STG
    {store_local, Pipe::memory, 0, Kind::store},                               // STL
    {0x188, Pipe::memory, 0, Kind::store},                                     // STS
    {0x18e, Pipe::memory, 0, Kind::store},                                     // RED
    {0x1a6, Pipe::memory, 0, Kind::store},                                     // RED of floating point
    {0x03c, Pipe::tensor, special_rate},                                       // HMMA
    {0x11d, Pipe::barrier, barrier_rate, Kind::wait},                          // BAR
    {fence, Pipe::issue, 1, Kind::fence},                                      // MEMBAR
    {0x147, Pipe::issue, 1, Kind::branch},                                     // BRA
    {0x144, Pipe::issue, 1, Kind::call},                                       // CALL
    {0x149, Pipe::issue, 1, Kind::indirect},                                   // BRX
    {0x14d, Pipe::issue, 1, Kind::end},                                        // EXIT
    {0x150, Pipe::issue, 1, Kind::end},                                        // RET
    {load_matrix, Pipe::memory, 0, Kind::shared_load},                         // LDSM
    {store_matrix, Pipe::memory, 0, Kind::plain},                              // STSM
    {0x1f0, Pipe::tensor, special_rate, Kind::plain, Hidden::matrix_product},  // HGMMA, IGMMA, BGMMA, QGMMA
    {0x1f1, Pipe::tensor, special_rate, Kind::plain, Hidden::matrix_product},
    {0x1f2, Pipe::tensor, special_rate, Kind::plain, Hidden::matrix_product},
    {0x1f3, Pipe::tensor, special_rate, Kind::plain, Hidden::matrix_product},
    {0x1b4, Pipe::memory, 0, Kind::plain, Hidden::tensor_load},       // UTMALDG
    {0x1b5, Pipe::memory, 0, Kind::plain, Hidden::tensor_store},      // UTMASTG
    {0x1b6, Pipe::memory, 0, Kind::plain, Hidden::tensor_reduction},  // UTMAREDG
    {0x1ba, Pipe::memory, 0, Kind::plain, Hidden::bulk_copy},         // UBLKCP
    {0x1bb, Pipe::memory, 0, Kind::plain, Hidden::bulk_copy},         // UBLKRED
};

std::uint64_t bits(std::uint64_t word, unsigned from, unsigned count) {
  return word >> from & ((std::uint64_t{1} << count) - 1);
}

/// Bytes from the next instruction.
std::int64_t branch_distance(const measure::InstructionWords& branch, unsigned major) {
  const std::int64_t upper = branch.upper_distance();
  return major >= 9 ? upper * 1024 + std::int64_t{branch.lower_distance()} * 4 : upper * 4;
}

/// The compiler keeps the top of the stack in R1, from which it addresses what it spills. The last 24 bits of the lower
/// word are the distance; bits 9 to 11 of the upper one say how many bytes.
void read_stack_access(MachineInstruction& instruction, unsigned operation, std::uint64_t low, std::uint64_t high) {
  constexpr unsigned stack_top = 1;
  constexpr unsigned bytes[] = {1, 1, 2, 2, 4, 8, 16, 16};
  const bool is_local = operation == load_local || operation == store_local;
  instruction.on_stack = is_local && bits(low, 24, 8) == stack_top;
  if (!instruction.on_stack) return;
  instruction.stack_offset = static_cast<int>(static_cast<std::int64_t>(low) >> 40);
  instruction.bytes = bytes[bits(high, 9, 3)];
}

int scoreboard(std::uint64_t field) {
  constexpr std::uint64_t none = 7;
  return field == none ? -1 : static_cast<int>(field);
}

}  // namespace

std::vector<MachineInstruction> instructions_of(std::string_view code, unsigned major) {
  std::vector<MachineInstruction> all;
  if (major < oldest) return all;
  const std::size_t count = code.size() / instruction_bytes;
  all.resize(count);
  for (std::size_t i = 0; i < count; ++i) {
    const measure::InstructionWords words = measure::words_at(code, i);
    const auto [low, high] = words;
    MachineInstruction& instruction = all[i];
    const unsigned operation = words.operation();
    const auto* row = std::ranges::find(rows, operation, &Row::operation);
    if (row != std::end(rows)) {
      instruction.pipe = row->pipe;
      instruction.cycles = row->cycles;
      instruction.kind = row->kind;
      instruction.hidden = row->hidden;
    }
    // The last bits say when the warp goes on, and whom it waits for.
    instruction.stall = std::max(1U, static_cast<unsigned>(bits(high, 41, 4)));
    instruction.sets = scoreboard(bits(high, 46, 3));
    instruction.reads = scoreboard(bits(high, 49, 3));
    instruction.waits_for = static_cast<unsigned>(bits(high, 52, 6));
    instruction.always = bits(low, 12, 4) == 7;
    // Two bits tell for whom: 0 is the block, whose fences take 10 cycles, 2 the GPU.
    if (operation == fence && bits(high, 12, 2) < 2) instruction.kind = MachineInstruction::Kind::plain;
    // As kernels of roots and quotients of doubles take on an H100 (docs/method/programs.md).
    if (instruction.pipe == Pipe::fp64) instruction.turns = 2;
    instruction.computes_floats = operation == multiply_floats || operation == add_floats || operation == fuse_floats;
    instruction.swaps_shared = operation == 0x18d;
    instruction.adds_floats = operation == 0x1a2 || operation == 0x1a3 || operation == 0x1a6;
    const bool accesses = instruction.kind == Kind::off_chip_load || instruction.kind == Kind::shared_load ||
                          instruction.kind == Kind::store;
    instruction.seen = accesses && instruction.pipe == Pipe::memory && operation != shuffle && operation != load_matrix;
    read_stack_access(instruction, operation, low, high);
    // One, two or four matrices of 8 rows of 16 bytes: a wavefront each, if no banks conflict.
    if (operation == load_matrix || operation == store_matrix) instruction.wavefronts = 1U << bits(high, 8, 2);
    const unsigned order = words.order();
    // On 7.5 every load looks strong.
    instruction.past_l1 = major > oldest && instruction.kind == Kind::off_chip_load && (order == 7 || order == 10);
    if (instruction.kind == Kind::branch || instruction.kind == Kind::end) {
      // They have a second predicate, or whatever else decides.
      constexpr std::uint64_t unconditional = 7;
      instruction.always = instruction.always && bits(high, 23, 4) == unconditional && bits(low, 32, 2) == 0;
      instruction.divergent = instruction.kind == Kind::branch && bits(low, 32, 2) == 2;
    }
    if (instruction.kind == Kind::branch || instruction.kind == Kind::call) {
      const std::int64_t to = static_cast<std::int64_t>((i + 1) * instruction_bytes) + branch_distance(words, major);
      const bool inside = to >= 0 && static_cast<std::uint64_t>(to) / instruction_bytes < count;
      instruction.target = inside ? static_cast<std::size_t>(to) / instruction_bytes : count;
    }
  }
  for (std::size_t i = 0; i < count; ++i) all[i].loads_again = all[i].past_l1 && loads_again(code, all, i);
  return all;
}

}  // namespace gpumem::program
