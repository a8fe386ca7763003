#pragma once
// Launches in which each thread accesses several elements that its place alone decides: what is worked out once per
// thread would take a pattern of the element's index (global_probe.cuh) as many instructions for every element, more
// than there is time for between two of 4 bytes.
//
// A placement is a trivially copyable functor:
//
//   std::uint64_t operator()(std::uint64_t thread, std::uint32_t piece) const   element accessed
//   bool active(std::uint64_t thread, std::uint32_t piece) const                whether it is accessed
//   std::uint32_t word_bytes() const                                            of an element
//   std::uint32_t pieces() const                                                of a thread
//   std::uint64_t threads() const                                               that take part, a multiple of a warp's
//   std::uint64_t extent() const                                                elements of an array
//   std::uint64_t useful() const                                                elements accessed
//   std::uint64_t period_warps() const                                          after which the launch repeats itself
//   std::optional<access::Period> period() const                                the same of requests, where it is
//   proved
//   std::uint32_t elements_of(std::uint64_t warp, std::uint32_t piece, std::uint64_t (&element)[32]) const
//                                                                               of all lanes, and which access theirs
//
// The last two may be missing. A launch whose periods overlap by more than a few would have to be evaluated to the end,
// and has none (access/periodic.hpp).
//
// A thread of the kernel stands for one of these or for several a block's width apart, so that enough bytes are on
// their way. Where a placement has few pieces "thread" is therefore a figure of speech.

#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/access/site.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::global {

inline constexpr std::uint32_t piece_block_threads = 256;

/// How many of a placement's threads one of the kernel stands for: it has 16 bytes on their way at least.
[[nodiscard]] constexpr std::uint32_t placed_per_thread(std::uint32_t word_bytes, std::uint32_t pieces) {
  constexpr std::uint32_t bytes = 16;
  return (bytes + word_bytes * pieces - 1) / (word_bytes * pieces);
}

/// A placement as a pattern of the launch's elements (global_probe.cuh): on each turn a block's threads take one piece.
/// What checks the output goes through it; the kernel asks the placement, because it need not divide.
template <class Placement>
struct PiecePattern {
  Placement placement;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    return placement(thread(i), piece(i));
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t i) const { return placement.active(thread(i), piece(i)); }
  [[nodiscard]] std::uint64_t extent(std::uint64_t /*count*/) const { return placement.extent(); }
  [[nodiscard]] std::uint64_t useful(std::uint64_t /*count*/) const { return placement.useful(); }

 private:
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t thread(std::uint64_t i) const {
    return i / piece_block_threads / placement.pieces() * piece_block_threads + i % piece_block_threads;
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t piece(std::uint64_t i) const {
    return static_cast<std::uint32_t>(i / piece_block_threads % placement.pieces());
  }
};

template <class Placement>
[[nodiscard]] Launch launch_of(Op op, const Placement& placement) {
  const std::uint64_t blocks = (placement.threads() + piece_block_threads - 1) / piece_block_threads;
  const std::uint32_t turns = placed_per_thread(placement.word_bytes(), placement.pieces());
  return {.op = op,
          .word_bytes = placement.word_bytes(),
          .count = blocks * piece_block_threads * placement.pieces(),
          .tile = {piece_block_threads, placement.pieces() * turns}};
}

/// The request of a piece, by the warp of `k / pieces`, into one that has no lane active and its word's size set.
template <class Placement>
void fill_piece_request(const Placement& placement, std::uint64_t k, access::WarpRequest& request) {
  const auto piece = static_cast<std::uint32_t>(k % placement.pieces());
  const std::uint64_t warp = k / placement.pieces();
  if constexpr (requires { placement.elements_of(warp, piece, request.address); }) {
    request.active = placement.elements_of(warp, piece, request.address);
    for (std::uint64_t& address : request.address) address *= placement.word_bytes();
  } else {
    for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
      const std::uint64_t thread = warp * access::warp_lanes + lane;
      if (!placement.active(thread, piece)) continue;
      request.address[lane] = placement(thread, piece) * placement.word_bytes();
      request.active |= std::uint32_t{1} << lane;
    }
  }
}

template <class Placement>
[[nodiscard]] access::WarpRequest piece_request(const Placement& placement, std::uint64_t k) {
  access::WarpRequest request;
  request.word_bytes = placement.word_bytes();
  fill_piece_request(placement, k, request);
  return request;
}

/// Which request of the warps one after another is the k-th of the launch in its order: of a block first what all warps
/// do in their first turn.
template <class Placement>
[[nodiscard]] std::uint64_t in_order_of_warps(const Launch& launch, const Placement& placement, std::uint64_t k) {
  constexpr std::uint64_t warps = piece_block_threads / access::warp_lanes;
  const std::uint64_t pieces = placement.pieces();
  const std::uint64_t per_thread = launch.tile.elements_per_thread;
  const std::uint64_t turns = per_thread / pieces;
  const std::uint64_t block = k / (per_thread * warps);
  const std::uint64_t instruction = k / warps % per_thread;
  return ((block * turns + instruction / pieces) * warps + k % warps) * pieces + instruction % pieces;
}

/// What a launch of a placement does, all but the name of its kernel.
template <class Placement>
[[nodiscard]] Workload workload_of_pieces(const Launch& launch, const Placement& placement, access::Space space) {
  Workload workload = workload_of(launch, PiecePattern<Placement>{placement}, space);
  for (access::Site& site : workload.sites) {
    site.requests = placement.threads() / access::warp_lanes * placement.pieces();
    site.period_requests = placement.period_warps() * placement.pieces();
    site.request = [=](std::uint64_t k) { return piece_request(placement, k); };
    if constexpr (requires { placement.period(); }) {
      if (const auto period = placement.period()) set_period(site, *period);
    }
  }
  return workload;
}

/// What the model says of a case.
enum class Reach {
  summed,  ///< its stages know what they need from sums
  played,  ///< accesses come back to what caches may have lost: it has to play the launch
  none,
};

/// Lets the model play the launch.
template <class Placement>
void make_playable(Workload& workload, const Launch& launch, const Placement& placement) {
  for (access::Site& site : workload.sites) {
    site.summary = access::summarise(site);
    site.evaluated = launch.blocks() * piece_block_threads / access::warp_lanes * launch.tile.elements_per_thread;
    site.fill = [=](std::uint64_t first, std::span<access::WarpRequest> requests) {
      constexpr std::uint64_t warps = piece_block_threads / access::warp_lanes;
      std::uint64_t k = 0;
      for (std::size_t i = 0; i < requests.size(); ++i) {
        // Of the warps of a block's turn one is a warp further on than the one before.
        const bool begins = i == 0 || (first + i) % warps == 0;
        k = begins ? in_order_of_warps(launch, placement, first + i) : k + placement.pieces();
        fill_piece_request(placement, k, requests[i]);
      }
    };
  }
}

}  // namespace gpumem::global
