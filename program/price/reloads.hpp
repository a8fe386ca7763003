#pragma once
// Data that each block of a launch loads from L2 again, although other blocks have loaded it.

#include <cstdint>
#include <optional>
#include <vector>

#include "engine/model/profile.hpp"
#include "program/price/pricing.hpp"

namespace gpumem::program {

struct Reloads {
  std::size_t site = 0;     ///< index into the launch's: the load with the most sectors from L2
  double array_bytes = 0;   ///< different bytes that blocks load again
  double times_loaded = 0;  ///< how often each of these comes from L2
  double saved_bytes = 0;   ///< from L2, of a launch
  Saving saving;
};

/// Returns the loads that blocks repeat, and the time of a launch that goes away if only as many blocks load as the GPU
/// holds at once, each doing the work of several. Returns nullopt unless requests of L1 or sectors of L2 limit the
/// launch, each byte comes from L2 at least eight times and at most about once a block, and there are at least twice as
/// many blocks as the GPU holds.
///
/// `seen` are the launch's sites as far as they were seen. If that is a part of the blocks, the launch's sums take each
/// part for one that loads data of its own, and only `seen` tells how much there is.
[[nodiscard]] std::optional<Reloads> reloads_of(const LaunchSums& launch, const std::vector<inject::Site>& seen,
                                                const Pricing& pricing, const model::Profile& profile);

}  // namespace gpumem::program
