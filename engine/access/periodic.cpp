#include "engine/access/periodic.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <numeric>
#include <optional>
#include <vector>

#include "engine/access/footprint_bitmap.hpp"
#include "engine/access/lanes.hpp"
#include "engine/access/sampled.hpp"
#include "engine/base/error.hpp"

// Why a part is enough. Shifts by whole rounds of the channels, 512 bytes, change neither what a request costs nor what
// a footprint counts: sectors, atoms, lines, pairs of lines, banks and channels all repeat within a round. So take
// periods together until they grow by whole rounds: n of these long periods, each D bytes further on than the one
// before, touch the bytes U(n). Each count f of a footprint is a sum over rounds of something that depends on nothing
// but which of the round's bytes are touched.
//
// Growth. f(U(n + 1)) - f(U(n)) is a sum over the rounds that the long period n touches. With a long period's first to
// last round being S bytes, none of these rounds is touched by a long period that lies S bytes or more before it. In
// these rounds U(n) therefore has only bytes of the m = ceil(S / D) - 1 long periods before it. Once there are that
// many, n >= m, the difference is always the same: f(U(m + 1)) - f(U(m)). It is exact also where it is negative, as
// that of partial sectors may be. With D = 0 nothing is added after the first.
//
// The end. After the N-th long period come the beginning of another one and the launch's irregular end. They add to a
// footprint the same as to that of the last n long periods alone, if they touch no round that an earlier long period
// touches. The beginning touches none if n >= m; for the irregular end n is chosen large enough.
//
// Together: f = f(last n >= m long periods and what comes after them) + (N - n) x (f(U(m + 1)) - f(U(m))). Sums over
// requests are differences of the same kind. Channels are those of the last, as every long period has the same.
//
// If the extent is known, maps of touched words reach from the beginning of memory to the extent. All this is then
// counted (N - n - 1) x D bytes further down, with an extent that is less by as much. If addresses grow, the first long
// periods are there already, and the end is moved. If they shrink, later long periods stand for the first ones. A word
// lies beyond this extent only if it, or one that it stands for, lies beyond the launch's.

namespace gpumem::access {

namespace {

constexpr std::uint64_t round_bytes = std::uint64_t{atom_channels} * dram_atom_bytes;
static_assert(round_bytes % line_pair_bytes == 0 && round_bytes % (bank_count * bank_bytes) == 0);

/// The bytes from the lowest to the highest word that requests access.
struct Hull {
  std::uint64_t begin = ~std::uint64_t{0};
  std::uint64_t end = 0;
  [[nodiscard]] bool empty() const { return begin >= end; }
};

Hull hull_of(const Requests& launch, std::uint64_t first, std::uint64_t end) {
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  for_each_request(launch, first, end - first, [&](std::uint64_t, const WarpRequest& request) {
    const Lanes lanes = lanes_of(request);
    lowest = std::min(lowest, lanes.lowest);
    highest = std::max(highest, lanes.highest);
  });
  if (lowest > highest) return {};
  return {lowest, highest + launch.word_bytes};
}

Hull in_rounds(const Hull& bytes) {
  return {bytes.begin / round_bytes * round_bytes, (bytes.end + round_bytes - 1) / round_bytes * round_bytes};
}

/// The parts of a launch to evaluate, in the terms of the proof.
struct Parts {
  std::uint64_t long_period = 0;  ///< requests
  std::uint64_t overlapping = 0;  ///< m
  std::uint64_t left_out = 0;     ///< N - n, at least 1
  std::uint64_t shift = 0;        ///< |D|; also 0 if only warps without active lanes repeat
  std::uint64_t down = 0;         ///< long periods by which it is counted further down in memory
  bool upwards = true;
  [[nodiscard]] std::uint64_t down_bytes() const { return down * shift; }
};

/// Returns nullopt if evaluating the parts is no gain.
std::optional<Parts> parts_of(const Requests& launch, const Period& period) {
  if (!costed(launch.space, launch.op).any() || period.requests == 0) return std::nullopt;
  const std::uint64_t regular = std::min(period.regular, launch.count);
  const bool upwards = period.growth_bytes > 0;
  const auto growth = static_cast<std::uint64_t>(period.growth_bytes);
  const std::uint64_t distance = upwards ? growth : 0 - growth;
  const std::uint64_t together = round_bytes / std::gcd(distance, round_bytes);
  if (period.requests > regular / together) return std::nullopt;
  const std::uint64_t long_period = together * period.requests;
  const std::uint64_t long_periods = regular / long_period;  // N

  std::uint64_t overlapping = 0;  // m
  std::uint64_t last = 1;         // n, one at least for the channels
  const auto pays = [&] {
    if (last >= long_periods || overlapping >= long_periods) return false;
    const std::uint64_t end = launch.count - (long_periods - last) * long_period;
    return (2 * overlapping + 1) * long_period + end <= launch.count / 2;
  };
  if (!pays()) return std::nullopt;

  Hull touched = hull_of(launch, 0, period.requests);
  // No overflow, as there are words so far from each other.
  const std::uint64_t shift = touched.empty() ? 0 : together * distance;
  if (shift != 0) {
    (upwards ? touched.end : touched.begin) += growth * (together - 1);
    touched = in_rounds(touched);
    overlapping = (touched.end - touched.begin - 1) / shift;
    last = std::max(last, overlapping);
    if (!pays()) return std::nullopt;
    const Hull end = in_rounds(hull_of(launch, regular, launch.count));
    const std::uint64_t way = (long_periods - 1) * shift;  // to the last long period
    if (!end.empty()) {
      const std::uint64_t reached = upwards ? touched.end + way : touched.begin - way;
      const std::uint64_t back =
          upwards ? std::max(reached, end.begin) - end.begin : end.end - std::min(reached, end.end);
      last = std::max(last, back / shift + (back % shift != 0 ? 1 : 0));
    }
  }
  if (!pays()) return std::nullopt;
  const std::uint64_t left_out = long_periods - last;
  const std::uint64_t down = launch.extent_bytes > 0 ? left_out - 1 : 0;
  if (down * shift >= launch.extent_bytes && down * shift > 0) return std::nullopt;  // an error, to be named
  return Parts{long_period, overlapping, left_out, shift, down, upwards};
}

/// Differences of these are exact for counts below 2^53, as all footprints are.
constexpr std::array blocks = {&Footprint::sectors,       &Footprint::partial_sectors, &Footprint::atoms,
                               &Footprint::partial_atoms, &Footprint::lines,           &Footprint::line_pairs};
constexpr std::array sums = {&Counts::requests, &Counts::sectors, &Counts::lines, &Counts::wavefronts,
                             &Counts::addresses};

ExactSummary summarise_parts(const Requests& launch, const Parts& parts, const CountingLimits& limits) {
  const auto summary_of = [&](std::uint64_t first, std::uint64_t count, std::uint64_t down) {
    Requests part = launch;
    part.count = count;
    part.extent_bytes -= parts.down_bytes();
    part.fill = [&, first, down](std::uint64_t k, std::span<WarpRequest> requests) {
      launch.fill(first + k, requests);
      for (WarpRequest& request : requests) {
        for (std::uint64_t& address : request.address) address -= down;
      }
    };
    return summarise_exactly(part, limits);
  };
  const std::uint64_t first = parts.upwards ? 0 : parts.down * parts.long_period;
  const ExactSummary fewer = summary_of(first, parts.overlapping * parts.long_period, 0);
  const ExactSummary more = summary_of(first, (parts.overlapping + 1) * parts.long_period, 0);
  const std::uint64_t last = parts.left_out * parts.long_period;
  ExactSummary all = summary_of(last, launch.count - last, parts.upwards ? parts.down_bytes() : 0);
  for (const auto sum : sums) all.counts.*sum += parts.left_out * (more.counts.*sum - fewer.counts.*sum);
  if (parts.shift != 0) {
    for (const auto number : blocks) {
      const double grown = more.summary.footprint.*number - fewer.summary.footprint.*number;
      all.summary.footprint.*number += static_cast<double>(parts.left_out) * grown;
    }
  }
  all.summary.cost = average(all.counts, launch.count, costed(launch.space, launch.op), launch.word_bytes);
  return all;
}

/// Counts a launch whose periods overlap so much that all of them would have to be evaluated, but are 1, 2, 4 or 8
/// words further on each. Each access of a period then goes along a run, which is marked as a whole. The sums repeat
/// after a long period. Returns nullopt if that is no gain, or if memory is too little.
std::optional<ExactSummary> summarise_runs(const Requests& launch, const Period& period, const CountingLimits& limits) {
  constexpr std::uint64_t most_words = 8;  // further on
  if (!costed(launch.space, launch.op).any()) return std::nullopt;
  const std::uint64_t regular = std::min(period.regular, launch.count);
  const auto step = static_cast<std::uint64_t>(period.growth_bytes);
  if (period.requests == 0 || period.growth_bytes <= 0 || !std::has_single_bit(launch.word_bytes)) return std::nullopt;
  if (step % launch.word_bytes != 0 || step > most_words * launch.word_bytes || !std::has_single_bit(step))
    return std::nullopt;
  const std::uint64_t together = round_bytes / std::gcd(step, round_bytes);
  if (period.requests > regular / together / 2) return std::nullopt;
  const std::uint64_t long_period = together * period.requests;
  const std::uint64_t long_periods = regular / long_period;
  const std::uint64_t end = (launch.extent_bytes + window_bytes - 1) / window_bytes * window_bytes;
  const Window window{0, end, launch.word_bytes};
  if (launch.extent_bytes == 0 || window.map_bytes() > limits.memory_bytes / 2) return std::nullopt;

  const auto part_of = [&](std::uint64_t first, std::uint64_t count) {
    Requests part = launch;
    part.count = count;
    part.fill = [&launch, first](std::uint64_t k, std::span<WarpRequest> requests) {
      launch.fill(first + k, requests);
    };
    return part;
  };
  const std::uint64_t repeated = long_periods * long_period;
  const Counts each = summarise_exactly(part_of(0, long_period), limits).counts;
  ExactSummary all{summarise_exactly(part_of(repeated, launch.count - repeated), limits).counts, {}};
  for (const auto sum : sums) all.counts.*sum += long_periods * (each.*sum);

  std::vector<FootprintBitmap> map;
  map.emplace_back(window);
  const std::uint64_t steps = repeated / period.requests;
  bool inside = true;  // else it is an error, to be named
  for_each_request(launch, 0, period.requests, [&](std::uint64_t, const WarpRequest& request) {
    for (unsigned lane = 0; lane < warp_lanes && inside; ++lane) {
      if (!request.lane_active(lane)) continue;
      const std::uint64_t first = request.address[lane];
      const std::uint64_t way = step * (steps - 1) + launch.word_bytes;
      inside = first % launch.word_bytes == 0 && way <= launch.extent_bytes && first <= launch.extent_bytes - way;
      if (inside) map.front().mark_steps(first, step, steps);
    }
  });
  if (!inside) return std::nullopt;
  for_each_request(launch, repeated, launch.count - repeated, [&](std::uint64_t, const WarpRequest& request) {
    map.front().mark(lanes_of(request), launch.word_bytes);
  });
  map.front().settle();
  all.summary.footprint = count_all(map, window, limits.threads).footprint();
  all.summary.cost = average(all.counts, launch.count, costed(launch.space, launch.op), launch.word_bytes);
  return all;
}

}  // namespace

ExactSummary summarise_periodic(const Requests& launch, const Period& period, const CountingLimits& limits) {
  try {
    if (const std::optional<Parts> parts = parts_of(launch, period)) return summarise_parts(launch, *parts, limits);
    if (const auto all = summarise_runs(launch, period, limits)) return *all;
  } catch (const Error&) {
    // Evaluating the whole launch throws the same error, which then names the first request that has it.
  }
  return summarise_exactly(launch, limits);
}

}  // namespace gpumem::access
