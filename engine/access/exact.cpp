#include "engine/access/exact.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "engine/access/chunks.hpp"
#include "engine/access/footprint_bitmap.hpp"
#include "engine/access/lanes.hpp"
#include "engine/access/touched.hpp"
#include "engine/base/error.hpp"
#include "engine/base/interruption.hpp"

namespace gpumem::access {

namespace {

constexpr std::uint64_t batch_requests = 32;    // 8 KiB: they stay in a core's first cache
constexpr std::uint64_t chunk_requests = 1024;  // that a thread takes at a time
constexpr std::uint64_t most_windows = 1000;
constexpr std::uint64_t memory_end = ~std::uint64_t{0} - 2 * window_bytes;  // so that the end of no window overflows

/// The sums and the reach of one thread's requests.
struct alignas(64) Tally {
  Counts counts;
  LaunchExtent reach;
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t bits = 0;  ///< of all addresses, or-ed
  DistinctNumbers scratch;

  void add(const Tally& other) {
    counts.requests += other.counts.requests;
    counts.sectors += other.counts.sectors;
    counts.lines += other.counts.lines;
    counts.wavefronts += other.counts.wavefronts;
    counts.addresses += other.counts.addresses;
    reach.accesses += other.reach.accesses;
    reaches(other.reach.end_byte, other.reach.highest_request);
    lowest = std::min(lowest, other.lowest);
    bits |= other.bits;
  }

  void reaches(std::uint64_t end_byte, std::uint64_t request) {
    if (end_byte <= reach.end_byte) return;
    reach.end_byte = end_byte;
    reach.highest_request = request;
  }
};

/// One launch being counted.
class Count {
 public:
  Count(const Requests& launch, const CountingLimits& limits)
      : launch_(launch),
        costs_(costed(launch.space, launch.op)),
        end_(std::min(launch.extent_bytes > 0 ? launch.extent_bytes : memory_end, memory_end)),
        memory_bytes_(std::max(limits.memory_bytes, 8 * window_bytes)),
        threads_(threads_for(launch.count, chunk_requests, limits.threads)) {}

  ExactSummary run(LaunchExtent* reach) {
    // Mostly all words lie where words of their size lie, and the extent's map fits: once is enough then.
    const Window all = window(0, end_, launch_.word_bytes);
    const bool at_once = launch_.extent_bytes > 0 && !few(all) && fits(all);
    std::vector<FootprintBitmap> maps = at_once ? maps_of(all) : std::vector<FootprintBitmap>{};
    const Tally tally = measure(maps);
    if (reach != nullptr) *reach = tally.reach;
    const SiteCost cost = average(tally.counts, launch_.count, costs_, launch_.word_bytes);
    if (tally.counts.requests == 0) return {tally.counts, {cost, {}}};
    const auto aligned = static_cast<unsigned>(std::uint64_t{1} << std::countr_zero(tally.bits | launch_.word_bytes));
    const Window touched = window(tally.lowest, tally.reach.end_byte, aligned);
    if (at_once && aligned == launch_.word_bytes) return {tally.counts, {cost, counted(maps, touched).footprint()}};
    maps.clear();
    return {tally.counts, {cost, footprint(touched, tally)}};
  }

 private:
  static Window window(std::uint64_t first_byte, std::uint64_t end_byte, unsigned granule_bytes) {
    const std::uint64_t first = first_byte / window_bytes;
    const std::uint64_t end = (end_byte + window_bytes - 1) / window_bytes;
    return {first * window_bytes, (end - first) * window_bytes, granule_bytes};
  }

  /// True if a list of touched sectors takes less time than a map, which has to be read from end to end.
  [[nodiscard]] bool few(const Window& all) const { return launch_.count < all.map_bytes() / 4096; }

  /// Returns the most bytes of one thread's map. Evaluating the launch many times with many threads, for a small part
  /// each, takes as long as once with few threads. Two threads' maps have to fit, therefore; any room beyond is for
  /// further threads.
  [[nodiscard]] std::uint64_t map_limit() const { return memory_bytes_ / std::min(threads_, 2U); }
  [[nodiscard]] bool fits(const Window& all) const { return all.map_bytes() <= map_limit(); }

  [[nodiscard]] std::vector<FootprintBitmap> maps_of(const Window& part) const {
    const std::uint64_t room = memory_bytes_ / std::max<std::uint64_t>(1, part.map_bytes());
    std::vector<FootprintBitmap> maps;
    for (unsigned i = 0; i < std::clamp<std::uint64_t>(room, 1, threads_); ++i) maps.emplace_back(part);
    return maps;
  }

  /// Calls visit(thread, k, request) for all requests with an active lane.
  template <class Visit>
  void evaluate(unsigned threads, const Visit& visit) const {
    in_chunks(launch_.count, chunk_requests, threads, [&](unsigned thread, std::uint64_t first, std::uint64_t end) {
      std::array<WarpRequest, batch_requests> batch;
      for (; first < end; first += batch.size()) {
        stop_if_requested();  // the first marks in a large map take long
        const std::span requests = std::span(batch).first(std::min<std::uint64_t>(batch.size(), end - first));
        for (WarpRequest& request : requests) {
          request.active = 0;
          request.word_bytes = launch_.word_bytes;
        }
        launch_.fill(first, requests);
        for (std::size_t i = 0; i < requests.size(); ++i) {
          if (requests[i].active != 0) visit(thread, first + i, requests[i]);
        }
      }
    });
  }

  /// Computes all but the footprint, and marks that in the maps, one for each thread, if there are any.
  [[nodiscard]] Tally measure(std::span<FootprintBitmap> maps) const {
    const unsigned threads = maps.empty() ? threads_ : static_cast<unsigned>(maps.size());
    std::vector<Tally> tallies(threads);
    evaluate(threads, [&](unsigned thread, std::uint64_t k, const WarpRequest& request) {
      const Lanes lanes = lanes_of(request);
      check(k, request, lanes);
      if (!maps.empty()) maps[thread].mark(lanes, launch_.word_bytes);
      Tally& tally = tallies[thread];
      const RequestCost cost = cost_of(lanes, launch_.word_bytes, tally.scratch);
      tally.counts.requests += 1;
      tally.counts.sectors += cost.sectors;
      tally.counts.lines += cost.lines;
      tally.counts.addresses += cost.addresses;
      if (costs_.wavefronts) tally.counts.wavefronts += wavefronts_of(request, launch_.op, tally.scratch);
      tally.reach.accesses += lanes.count;
      tally.reaches(lanes.highest + launch_.word_bytes, k);
      tally.lowest = std::min(tally.lowest, lanes.lowest);
      tally.bits |= lanes.bits;
    });
    Tally sum;
    for (const Tally& tally : tallies) sum.add(tally);
    return sum;
  }

  void check(std::uint64_t k, const WarpRequest& request, const Lanes& lanes) const {
    const auto where = [&] { return "site '" + launch_.name + "', request " + std::to_string(k); };
    if (request.word_bytes != launch_.word_bytes) {
      throw usage_error(where() + ": words of " + std::to_string(request.word_bytes) + " bytes in a launch of " +
                        std::to_string(launch_.word_bytes) + "-byte words; count them as two sites");
    }
    const auto inside = [&](std::uint64_t byte) {
      return end_ >= launch_.word_bytes && byte <= end_ - launch_.word_bytes;
    };
    if (inside(lanes.highest)) return;
    unsigned lane = 0;
    while (!request.lane_active(lane) || inside(request.address[lane])) ++lane;
    throw usage_error(where() + ", lane " + std::to_string(lane) + ": the " + std::to_string(launch_.word_bytes) +
                      "-byte word at byte " + std::to_string(request.address[lane]) + " lies beyond the end, " +
                      std::to_string(end_) + "; make the extent larger, or the index smaller");
  }

  /// Counts a part of the maps beyond which nothing is marked: the extent may be much larger.
  [[nodiscard]] BlockCounts counted(std::span<FootprintBitmap> maps, const Window& part) const {
    for (FootprintBitmap& map : maps) map.settle();
    return count_all(maps, part, threads_);
  }

  /// Evaluates the launch once for each part of the touched memory that the maps have room for.
  [[nodiscard]] Footprint footprint(const Window& touched, const Tally& tally) const {
    // Requests that a list has room for, if each lane touches two sectors, and the list is copied when it grows.
    const std::uint64_t most_listed = memory_bytes_ / (2 * 2 * sizeof(TouchedSector) * warp_lanes);
    if (few(touched) && tally.counts.requests <= most_listed) return listed();
    const std::uint64_t part_bytes =
        std::min(touched.bytes, map_limit() * touched.granule_bytes * 8 / window_bytes * window_bytes);
    const std::uint64_t parts = (touched.bytes - 1) / part_bytes + 1;
    if (parts > most_windows) {
      throw usage_error("site '" + launch_.name + "': its " + std::to_string(launch_.count) + " requests spread over " +
                        std::to_string(touched.bytes) + " bytes, too many to count what they touch in " +
                        std::to_string(memory_bytes_) + " bytes of memory; use a smaller extent or fewer accesses");
    }
    BlockCounts sum;
    for (std::uint64_t i = 0; i < parts; ++i) {
      const std::uint64_t first = touched.first_byte + i * part_bytes;
      std::vector<FootprintBitmap> maps =
          maps_of(window(first, first + std::min(part_bytes, touched.end() - first), touched.granule_bytes));
      evaluate(static_cast<unsigned>(maps.size()), [&](unsigned thread, std::uint64_t, const WarpRequest& request) {
        maps[thread].mark(lanes_of(request), launch_.word_bytes);
      });
      sum.add(counted(maps, maps.front().window()));
    }
    return sum.footprint();
  }

  [[nodiscard]] Footprint listed() const {
    std::vector<TouchedSector> touched;
    evaluate(1, [&](unsigned, std::uint64_t, const WarpRequest& request) { append_sectors(request, touched); });
    merge(touched);
    return access::count(touched);
  }

  const Requests& launch_;
  Costed costs_;
  std::uint64_t end_;  ///< of memory, as far as the launch may touch it
  std::uint64_t memory_bytes_;
  unsigned threads_;
};

}  // namespace

SiteCost average(const Counts& counts, std::uint64_t requests, const Costed& costed, unsigned word_bytes) {
  if (requests == 0) return {};
  const auto each = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(requests); };
  const double bytes = static_cast<double>(counts.addresses) * word_bytes;
  return {.sectors_per_request = each(counts.sectors),
          .lines_per_request = each(counts.lines),
          .wavefronts_per_request = costed.wavefronts ? each(counts.wavefronts) : 0,
          .addresses_per_request = costed.addresses ? each(counts.addresses) : 0,
          .efficiency = counts.sectors == 0 ? 0 : bytes / (static_cast<double>(counts.sectors) * sector_bytes)};
}

ExactSummary summarise_exactly(const Requests& launch, const CountingLimits& limits, LaunchExtent* reach) {
  if (!costed(launch.space, launch.op).any() || launch.count == 0) return {};
  if (!std::has_single_bit(launch.word_bytes) || launch.word_bytes > sector_bytes) {
    throw usage_error("site '" + launch.name + "': words of " + std::to_string(launch.word_bytes) +
                      " bytes; a lane accesses 1, 2, 4, 8, 16 or 32");
  }
  return Count(launch, limits).run(reach);
}

Requests requests_of(const Site& site) {
  Requests requests{.name = site.name,
                    .space = site.space,
                    .op = site.op,
                    .word_bytes = site.word_bytes,
                    .count = site.requests / std::max<std::uint64_t>(1, site.passes),
                    .extent_bytes = site.extent_bytes,
                    .fill = [&site](std::uint64_t first, std::span<WarpRequest> filled) {
                      for (std::size_t i = 0; i < filled.size(); ++i) filled[i] = site.request(first + i);
                    }};
  if (site.fill) {
    requests.count = site.evaluated;
    requests.fill = site.fill;
  }
  return requests;
}

ExactSummary summarise_exactly(const Site& site, const CountingLimits& limits) {
  const std::uint64_t passes = std::max<std::uint64_t>(1, site.passes);
  ExactSummary exact = summarise_exactly(requests_of(site), limits);
  Counts& counts = exact.counts;
  for (std::uint64_t* sum : {&counts.requests, &counts.sectors, &counts.lines, &counts.wavefronts, &counts.addresses}) {
    *sum *= passes;
  }
  return exact;
}

}  // namespace gpumem::access
