#pragma once
// The way of a launch's warps through their kernel's machine code, from the counts of its accesses: how often each
// block of instructions ran, how busy that keeps the pipes, and how often a warp waits for loads.

#include <array>
#include <cstdint>
#include <string_view>
#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"
#include "program/machine_code/instructions.hpp"
#include "program/read/constant_bank.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// An instruction that ran and whose access no site counts.
struct UncountedAccess {
  std::size_t index = 0;  ///< of the instruction
  Hidden hidden = Hidden::nothing;
};

/// Sums over all warps of a launch.
struct WarpPath {
  bool known = false;  ///< false: there is no code, or nobody knows how to read it
  /// Cycles that instructions keep schedulers busy (Pipe::issue), and the pipes behind them, by Pipe.
  std::array<double, pipes> busy_cycles = {};
  double float_cycles = 0;               ///< of the pipe fp32, those of additions and products of 32-bit floats
  bool multiplies_by_warpgroup = false;  ///< wgmma
  double matrix_wavefronts = 0;          ///< of shared memory at least, for ldmatrix and stmatrix that no site counts
  double barriers = 0;                   ///< of their block, that warps wait at
  Chain chains;                          ///< of each warp by itself
  /// The time that one more load adds to a warp's chain. It is that of the loop whose loads wait least for each other:
  /// a warp that goes round many times does so there.
  Chain per_load;
  /// True if warps load again and again until others have stored. The number of such loads depends on how long that
  /// takes, which is longer while the launch is watched.
  bool polls = false;
  /// True if the times that some loop runs are not known, because nothing in it is seen.
  bool has_unseen_loops = false;
  std::vector<UncountedAccess> uncounted = {};
};

/// The number of warps that go a way that nothing tells of: as few as can be, about half of those that could, or as
/// many as can be.
enum class UnseenWays : std::uint8_t { fewest, half, most };

struct KernelCode {
  std::string_view bytes;
  unsigned major = 0;  ///< compute capability `major`.x, which it was compiled for
};

/// Finds the path. `sites` and `warps` are those of the launch; `constants` is what it was launched with, as far as
/// that is known.
[[nodiscard]] WarpPath warp_path(const KernelCode& code, const std::vector<inject::Site>& sites, double warps,
                                 const model::Rates& rates, const LaunchConstants& constants = {},
                                 UnseenWays unseen = UnseenWays::half);

/// Returns the chain of each warp of a block of `warps` warps that goes every way that the launch's constants allow.
/// Nothing seen tells of it: each load waits, and lanes that compare and swap meet at one word.
[[nodiscard]] Chain longest_way(const KernelCode& code, double warps, const model::Rates& rates,
                                const LaunchConstants& constants);

}  // namespace gpumem::program
