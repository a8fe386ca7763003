#pragma once
// The way of a launch's warps through their kernel's machine code, by how often each access was seen: which blocks of
// instructions ran how often, what that keeps busy, and how often a warp waits for loads.

#include <cstdint>
#include <string_view>
#include <vector>

#include "app/program/machine_code/constant_bank.hpp"
#include "app/program/machine_code/instructions.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::app {

/// An instruction that ran and moved what no site counts.
struct UncountedAccess {
  std::size_t index = 0;  ///< of the instruction
  Hidden hidden = Hidden::nothing;
};

/// Sums over all warps of a launch.
struct WarpPath {
  bool known = false;           ///< false: there is no code, or nobody knows how to read it
  double scheduler_cycles = 0;  ///< that instructions keep schedulers busy, or the busiest of the pipes behind them
  Pipe busiest = Pipe::issue;
  double matrix_wavefronts = 0;  ///< of shared memory at least, for ldmatrix and stmatrix that no site counts
  double barriers = 0;           ///< of their block, that warps wait at
  Chain chains;                  ///< of each warp by itself
  /// That a further load adds to a warp's chain: in the loop in which loads wait least for each other, for a warp that
  /// goes round many times does so there.
  Chain per_load;
  /// Whether warps ask again and again for what others are to store: how often depends on how long that takes, which is
  /// longer while it is seen.
  bool polls = false;
  /// Whether some loop runs nobody knows how often, for nothing in it is seen.
  bool has_unseen_loops = false;
  std::vector<UncountedAccess> uncounted = {};
};

/// How many warps go a way that nothing tells of: as few as can be, as many, or about half of those that could.
enum class UnseenWays : std::uint8_t { fewest, half, most };

/// Of code compiled for compute capability `major`.x. `sites` are those of the launch; `warps` its warps; `constants`
/// what it was launched with, as far as that is known.
[[nodiscard]] WarpPath warp_path(std::string_view code, unsigned major, const std::vector<inject::Site>& sites,
                                 double warps, const model::Rates& rates, const LaunchConstants& constants = {},
                                 UnseenWays unseen = UnseenWays::half);

}  // namespace gpumem::app
