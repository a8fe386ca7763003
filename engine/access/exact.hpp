#pragma once
// Counts of a launch of which every request is evaluated: exact for any pattern, in bounded memory, on all cores.

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
  unsigned word_bytes = 4;         ///< 1, 2, 4, 8 or 16
  std::uint64_t count = 0;         ///< warps that come to the instruction, times how often
  std::uint64_t extent_bytes = 0;  ///< no word ends beyond; 0: not known, which takes a second evaluation
  /// Fills in requests first, first + 1, ...: they come with no lane active and with word_bytes set, and addresses of
  /// inactive lanes do not matter. Called by several threads at a time, each request one or more times.
  std::function<void(std::uint64_t first, std::span<WarpRequest> requests)> fill;
};

/// Those of one pass of a site, which has to outlive them. They are evaluated one by one: several times slower than a
/// batch.
[[nodiscard]] Requests requests_of(const Site& site);

/// Sums over a launch.
struct Counts {
  std::uint64_t requests = 0;    ///< issued: those of warps with an active lane
  std::uint64_t sectors = 0;     ///< over the requests, each one's distinct sectors
  std::uint64_t lines = 0;       ///< the same of lines
  std::uint64_t wavefronts = 0;  ///< 0 where requests are not costed in wavefronts
  std::uint64_t addresses = 0;   ///< over the requests, each one's distinct addresses
};

struct ExactSummary {
  Counts counts;
  /// As summarise() has it: costs are averages over `Requests::count`, of which some may not be issued. average() of
  /// `counts.requests` are those of requests issued.
  SiteSummary summary;
};

/// How far a launch reaches.
struct LaunchExtent {
  std::uint64_t accesses = 0;         ///< of active lanes
  std::uint64_t end_byte = 0;         ///< of the word that ends last
  std::uint64_t highest_request = 0;  ///< one that accesses that word
};

/// What counting may use.
struct CountingLimits {
  unsigned threads = 0;  ///< 0: as many as there are processors
  /// For the maps of what is touched: a bit per word and thread. Where that is too little, the launch is evaluated once
  /// for each part of memory that fits. 16 KiB at least are used.
  std::uint64_t memory_bytes = std::uint64_t{1} << 30U;
};

/// Evaluates every request, and counts; `reach`, if given, is filled in. Throws a usage error, which names the first
/// request that is wrong, for words that end beyond the extent, for another word size than the launch's, and where a
/// launch touches so much more memory than `limits` allow for that it would have to be evaluated over a thousand times;
/// and whatever `fill` throws.
[[nodiscard]] ExactSummary summarise_exactly(const Requests& launch, const CountingLimits& limits = {},
                                             LaunchExtent* reach = nullptr);

/// The same of a site. Counts are of all passes together.
[[nodiscard]] ExactSummary summarise_exactly(const Site& site, const CountingLimits& limits = {});

/// What so many requests cost each that cost `counts` together; 0 of none.
[[nodiscard]] SiteCost average(const Counts& counts, std::uint64_t requests, const Costed& costed, unsigned word_bytes);

}  // namespace gpumem::access
