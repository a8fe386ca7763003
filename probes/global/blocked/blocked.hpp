#pragma once
// Runs of consecutive elements, one for each thread: the accesses of the probe `blocked`.

#include <cstdint>
#include <optional>

#include "engine/access/host_device.hpp"
#include "engine/access/periodic.hpp"
#include "engine/access/request.hpp"
#include "probes/global/divisor.hpp"

namespace gpumem::global {

/// A placement (placement.hpp). In a group of 32 threads lane l has the elements l * run to l * run + run - 1 of the
/// group to itself, and on turn j every lane accesses its j-th element. A warp takes four turns, and the next warp the
/// four after those. So with any run a thread has four accesses in flight, and a multiprocessor accesses the whole
/// group within a short time. A run of 1 interleaves the threads. For runs of up to 64, and up to most_elements.
class BlockedPlacement {
 public:
  static constexpr std::uint32_t turns = 4;
  static constexpr std::uint64_t warp_elements = std::uint64_t{turns} * access::warp_lanes;
  static constexpr std::uint64_t most_elements = std::uint64_t{1} << 36U;

  /// Each of `warps` warps accesses warp_elements.
  constexpr BlockedPlacement(std::uint32_t run, std::uint32_t word_bytes, std::uint64_t warps)
      : run_(run),
        run_reciprocal_((reciprocal_one + run - 1) / run),
        next_group_((access::warp_lanes - 1) * run),
        word_bytes_(word_bytes),
        warps_(static_cast<std::uint32_t>(warps)) {}

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t thread, std::uint32_t which) const {
    const std::uint32_t first = warp(thread) * turns;
    const std::uint32_t group = run_.quotient(first);
    const std::uint32_t turn = first - group * run_.divisor();
    const std::uint64_t run = std::uint64_t{group} * access::warp_lanes + thread % access::warp_lanes;
    // A thread goes on in the next group past the end of its run. The first term below is the same for all elements of
    // the thread, and the second is small.
    const std::uint32_t runs_ended = (turn + which) * run_reciprocal_ / reciprocal_one;
    return (run * run_.divisor() + turn) + (which + runs_ended * next_group_);
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t thread, std::uint32_t /*which*/) const {
    return warp(thread) < warps_;
  }
  [[nodiscard]] constexpr std::uint32_t word_bytes() const { return word_bytes_; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t elements_per_thread() const { return turns; }
  [[nodiscard]] constexpr std::uint64_t threads() const { return std::uint64_t{warps_} * access::warp_lanes; }
  /// Covers whole groups, because the last turn of a run that has begun lies at its end.
  [[nodiscard]] constexpr std::uint64_t extent() const {
    const std::uint64_t group = std::uint64_t{access::warp_lanes} * run_.divisor();
    return (useful() + group - 1) / group * group;
  }
  [[nodiscard]] constexpr std::uint64_t useful() const { return warps_ * warp_elements; }
  /// The warps of as many groups as a warp has turns.
  [[nodiscard]] constexpr std::uint64_t period_warps() const { return run_.divisor(); }
  /// A period of warps takes the same turns as the one before, as many groups further on. This holds for all warps.
  [[nodiscard]] constexpr std::optional<access::Period> period() const {
    const std::uint64_t period_elements = period_warps() * warp_elements;
    return access::Period{.requests = period_warps() * turns,
                          .growth_bytes = static_cast<std::int64_t>(period_elements * word_bytes_),
                          .regular = std::uint64_t{warps_} * turns};
  }

 private:
  /// Enough for exact quotients of what is less than 1024 by runs of up to 64, see Divisor.
  static constexpr std::uint32_t reciprocal_one = std::uint32_t{1} << 16U;

  [[nodiscard]] GPUMEM_HOST_DEVICE static constexpr std::uint32_t warp(std::uint64_t thread) {
    return static_cast<std::uint32_t>(thread / access::warp_lanes);
  }

  Divisor run_;
  std::uint32_t run_reciprocal_;  ///< in units of 1 / reciprocal_one
  std::uint32_t next_group_;      ///< elements from the end of a run to the thread's run in the next group
  std::uint32_t word_bytes_;
  std::uint32_t warps_;
};

}  // namespace gpumem::global
