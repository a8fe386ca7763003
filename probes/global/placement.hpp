#pragma once
// Launches in which each thread accesses several elements that its place alone decides. The place is worked out once
// per thread. A pattern of the element's index (global_probe.cuh) would take as many instructions for every element,
// and between two elements of 4 bytes there is no time for them.
//
// A placement is a trivially copyable functor:
//
//   std::uint64_t operator()(std::uint64_t thread, std::uint32_t which) const   the thread's element of this number
//   bool active(std::uint64_t thread, std::uint32_t which) const                whether it is accessed
//   std::uint32_t word_bytes() const                                            of an element
//   std::uint32_t elements_per_thread() const
//   std::uint64_t threads() const                                               that take part, a multiple of a warp's
//   std::uint64_t extent() const                                                elements of an array
//   std::uint64_t useful() const                                                elements accessed
//   std::uint64_t period_warps() const                                          after which the launch repeats itself
//   std::optional<access::Period> period() const                                that of requests, if it is proved
//   {first, active} of_warp(std::uint64_t warp, std::uint32_t which) const      the first lane's element; active lanes
//   std::uint64_t lane_offset(std::uint32_t lane) const                         a lane's element less the first lane's
//
// The last three may be missing, the last two together. A launch whose periods overlap by more than a few has no
// period(): it would have to be evaluated to the end (access/periodic.hpp).
//
// A thread of the kernel stands for one of these threads, or for several a block's width apart so that enough bytes are
// in flight. So a "thread" of a placement with few elements is not a thread of the kernel.

#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/access/lanes.hpp"
#include "engine/access/site.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::global {

inline constexpr std::uint32_t placed_block_threads = 256;

/// The number of a placement's threads that one of the kernel stands for, so that it has at least 16 bytes in flight.
[[nodiscard]] constexpr std::uint32_t placed_per_thread(std::uint32_t word_bytes, std::uint32_t elements) {
  constexpr std::uint32_t bytes = 16;
  return (bytes + word_bytes * elements - 1) / (word_bytes * elements);
}

/// A placement as a pattern of the launch's elements (global_probe.cuh): on each turn a block's threads take one
/// element. The check of the output uses the pattern. The kernel asks the placement, because it then need not divide.
template <class Placement>
struct PlacedPattern {
  Placement placement;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    return placement(thread(i), which(i));
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t i) const { return placement.active(thread(i), which(i)); }
  [[nodiscard]] std::uint64_t extent(std::uint64_t /*count*/) const { return placement.extent(); }
  [[nodiscard]] std::uint64_t useful(std::uint64_t /*count*/) const { return placement.useful(); }

 private:
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t thread(std::uint64_t i) const {
    return i / placed_block_threads / placement.elements_per_thread() * placed_block_threads + i % placed_block_threads;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t which(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i / placed_block_threads % placement.elements_per_thread());
  }
};

template <class Placement>
[[nodiscard]] Launch launch_of(Op op, const Placement& placement) {
  const std::uint64_t blocks = (placement.threads() + placed_block_threads - 1) / placed_block_threads;
  const std::uint32_t turns = placed_per_thread(placement.word_bytes(), placement.elements_per_thread());
  return {.op = op,
          .word_bytes = placement.word_bytes(),
          .count = blocks * placed_block_threads * placement.elements_per_thread(),
          .tile = {placed_block_threads, placement.elements_per_thread() * turns}};
}

/// The requests of a placement, counted warp by warp.
template <class Placement>
class PlacedRequests {
 public:
  explicit PlacedRequests(const Placement& placement) : placement_(placement) {
    if constexpr (same_for_all_warps) {
      for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
        offset_bytes_[lane] = placement.lane_offset(lane) * placement.word_bytes();
      }
    }
  }

  /// Makes the k-th request of one without active lanes that has the size of its word.
  void fill(std::uint64_t k, access::WarpRequest& request) const {
    const auto which = static_cast<std::uint32_t>(k % placement_.elements_per_thread());
    const std::uint64_t warp = k / placement_.elements_per_thread();
    if constexpr (same_for_all_warps) {
      const auto [first, active] = placement_.of_warp(warp, which);
      access::place_lanes(first * placement_.word_bytes(), offset_bytes_, request);
      request.active = active;
    } else {
      for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
        const std::uint64_t thread = warp * access::warp_lanes + lane;
        if (!placement_.active(thread, which)) continue;
        request.address[lane] = placement_(thread, which) * placement_.word_bytes();
        request.active |= std::uint32_t{1} << lane;
      }
    }
  }

  [[nodiscard]] access::WarpRequest operator()(std::uint64_t k) const {
    access::WarpRequest request;
    request.word_bytes = placement_.word_bytes();
    fill(k, request);
    return request;
  }

 private:
  static constexpr bool same_for_all_warps = requires(const Placement& placement) { placement.lane_offset(0); };

  Placement placement_;
  std::uint64_t offset_bytes_[access::warp_lanes] = {};  ///< of each lane behind the first
};

/// Returns the number, counted warp by warp, of the launch's k-th request. In the launch's order all warps of a block
/// take their first instruction, then their second, and so on.
template <class Placement>
[[nodiscard]] std::uint64_t in_order_of_warps(const Launch& launch, const Placement& placement, std::uint64_t k) {
  constexpr std::uint64_t warps = placed_block_threads / access::warp_lanes;
  const std::uint64_t elements = placement.elements_per_thread();
  const std::uint64_t per_thread = launch.tile.elements_per_thread;
  const std::uint64_t turns = per_thread / elements;
  const std::uint64_t block = k / (per_thread * warps);
  const std::uint64_t instruction = k / warps % per_thread;
  return ((block * turns + instruction / elements) * warps + k % warps) * elements + instruction % elements;
}

/// Describes a launch of a placement, all but the name of its kernel.
template <class Placement>
[[nodiscard]] Workload workload_of_placed(const Launch& launch, const Placement& placement, access::Space space) {
  Workload workload = workload_of(launch, PlacedPattern<Placement>{placement}, space);
  workload.address_cycles = narrow_cycles(launch, placed_cycles);
  for (access::Site& site : workload.sites) {
    site.requests = placement.threads() / access::warp_lanes * placement.elements_per_thread();
    site.period_requests = placement.period_warps() * placement.elements_per_thread();
    site.request = PlacedRequests(placement);
    if constexpr (requires { placement.period(); }) {
      if (const auto period = placement.period()) set_period(site, *period);
    }
  }
  return workload;
}

/// The way in which the model predicts a case.
enum class Modelling {
  summed,     ///< its stages know what they need from sums
  simulated,  ///< accesses come back to what caches may have lost: it has to simulate the launch
  none,
};

/// Lets the model simulate the launch.
template <class Placement>
void allow_simulation(Workload& workload, const Launch& launch, const Placement& placement) {
  for (access::Site& site : workload.sites) {
    site.summary = access::summarise(site);
    site.evaluated = launch.blocks() * placed_block_threads / access::warp_lanes * launch.tile.elements_per_thread;
    site.fill = [=, placed = PlacedRequests(placement)](std::uint64_t first, std::span<access::WarpRequest> requests) {
      constexpr std::uint64_t warps = placed_block_threads / access::warp_lanes;
      std::uint64_t k = 0;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        // Within a turn of a block, each request is one warp further on than the one before.
        const bool begins = i == 0 || (first + i) % warps == 0;
        k = begins ? in_order_of_warps(launch, placement, first + i) : k + placement.elements_per_thread();
        placed.fill(k, requests[i]);
      }
    };
  }
}

}  // namespace gpumem::global
