#pragma once
// Counts a launch by evaluating every request: exact for any pattern, in bounded memory, on all cores.

#include <cstdint>
#include <functional>
#include <span>
#include <string>

#include "engine/access/site.hpp"

namespace gpumem::access {

/// The requests of a launch, to be evaluated many at a time.
struct Requests {
  std::string name;  ///< of the site, in errors
  Space space = Space::global;
  Op op = Op::load;
  unsigned word_bytes = 4;         ///< 1, 2, 4, 8, 16 or 32
  std::uint64_t count = 0;         ///< warps that come to the instruction, times how often
  std::uint64_t extent_bytes = 0;  ///< no word ends beyond; 0: not known, which takes a second evaluation
  /// Fills in requests first, first + 1, ...: they come with no lane active and with word_bytes set, and addresses of
  /// inactive lanes do not matter. Called by several threads at a time, each request one or more times.
  std::function<void(std::uint64_t first, std::span<WarpRequest> requests)> fill;
};

/// Returns the requests of one pass of a site, which must outlive them. They are evaluated one by one: several times
/// slower than a batch.
[[nodiscard]] Requests requests_of(const Site& site);

/// Sums over a launch.
struct Counts {
  std::uint64_t requests = 0;    ///< issued: those of warps with an active lane
  std::uint64_t sectors = 0;     ///< over the requests, each one's distinct sectors
  std::uint64_t lines = 0;       ///< the same of lines
  std::uint64_t wavefronts = 0;  ///< 0 if requests are not costed in wavefronts
  std::uint64_t addresses = 0;   ///< over the requests, each one's distinct addresses
};

struct ExactSummary {
  Counts counts;
  /// Costs are averages over `Requests::count`, as in summarise(), although some of these may not be issued. For
  /// averages over issued requests, call average() with `counts.requests`.
  SiteSummary summary;
};

/// The accesses of a launch, and the end of the memory that they reach.
struct LaunchExtent {
  std::uint64_t accesses = 0;         ///< of active lanes
  std::uint64_t end_byte = 0;         ///< of the word that ends last
  std::uint64_t highest_request = 0;  ///< one that accesses that word
};

/// Limits on the threads and the memory that counting uses.
struct CountingLimits {
  unsigned threads = 0;  ///< 0: as many as there are processors
  /// Bytes for the maps of touched words, a bit per word and thread. If they are too few, the launch is evaluated once
  /// for each part of memory that fits. At least 16 KiB are used.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
};

/// Evaluates and counts every request; fills in `reach`, if given. Throws a usage error for words that end beyond the
/// extent, and for another word size than the launch's; it names the first request that is wrong. Throws a usage error,
/// too, if the launch touches so much more memory than `limits` allow for that it would have to be evaluated over a
/// thousand times. Throws what `fill` throws.
[[nodiscard]] ExactSummary summarise_exactly(const Requests& launch, const CountingLimits& limits = {},
                                             LaunchExtent* reach = nullptr);

/// Does the same for a site. Counts are of all passes together.
[[nodiscard]] ExactSummary summarise_exactly(const Site& site, const CountingLimits& limits = {});

/// Returns the mean cost of `requests` requests that cost `counts` together; 0 if there are none.
[[nodiscard]] SiteCost average(const Counts& counts, std::uint64_t requests, const Costed& costed, unsigned word_bytes);

}  // namespace gpumem::access
