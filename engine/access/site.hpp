#pragma once
// An access site: one place in a kernel that touches memory, described so that it can be counted on the host.

#include <cstdint>
#include <functional>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/access/request.hpp"
#include "engine/access/space.hpp"

namespace gpumem::access {

/// Requests of a site that cost the same each.
struct RequestKind {
  std::uint64_t request = 0;  ///< one of them
  std::uint64_t count = 0;    ///< their number in the launch
};

/// The cost of a site's requests, averaged over a launch.
struct SiteCost {
  double sectors_per_request = 0;
  double lines_per_request = 0;
  double wavefronts_per_request = 0;  ///< 0 if requests are not costed in wavefronts
  double addresses_per_request = 0;   ///< 0 if they are not costed in addresses
  double efficiency = 0;              ///< useful bytes / (sectors x 32)
};

/// The blocks of memory that all requests of a launch touch together, each counted once.
struct Footprint {
  double sectors = 0;
  double partial_sectors = 0;  ///< sectors of which not every byte is touched
  double atoms = 0;            ///< 64-byte DRAM atoms
  double partial_atoms = 0;    ///< atoms of which only one sector is touched
  double lines = 0;
  double line_pairs = 0;  ///< aligned 256-byte blocks
  unsigned channels = 0;  ///< of atom_channels, those that an atom touched belongs to
};

struct SiteSummary {
  SiteCost cost;
  Footprint footprint;
};

struct Site {
  std::string name;  ///< in a person's words: "source", "target", "tile"
  Space space = Space::global;
  Op op = Op::load;
  unsigned word_bytes = 4;
  unsigned instructions = 1;   ///< copies of the instruction in the compiled kernel (loop unrolling)
  std::uint64_t requests = 0;  ///< warp requests of one launch
  std::uint64_t passes = 1;    ///< times that these go over the same addresses: requests / passes each time
  bool kept_in_l1 = true;      ///< of loads: L1 serves what they or others ask for again
  std::uint64_t fetches = 1;   ///< of loads kept in L1: times that L1s fetch what they touch, each for other blocks
  std::uint64_t feeds = 1;     ///< of loads kept in L1: blocks that one such fetch brings the data (multicast)
  /// Requests after which the launch repeats itself further on in memory; 1 if every run of requests is like any other.
  std::uint64_t period_requests = 1;
  /// Bytes by which every address grows in a period, with the same lanes active. If that is proved, all is counted
  /// exactly (periodic.hpp). Absent: not proved.
  std::optional<std::int64_t> growth_bytes = std::nullopt;
  /// Requests of each pass, from the first on, for which that is proved. The others may belong to a warp that is cut
  /// off.
  std::uint64_t regular_requests = ~std::uint64_t{0};
  /// Bytes of the array that the site lies in, beyond which its footprint cannot grow; 0 if they are not known.
  std::uint64_t extent_bytes = 0;
  /// The k-th request of a launch, k < requests. Consecutive k are neighbours in the launch, so a short run of them is
  /// representative of the whole. May be left out if costed(space, op) has no rule.
  std::function<WarpRequest(std::uint64_t k)> request;
  /// All kinds of requests, if these are few; their counts add up to `requests`. The cost of a launch is then exact,
  /// whatever its length and its edges. Empty: not known.
  std::vector<RequestKind> kinds = {};
  std::optional<SiteSummary> summary = {};  ///< if all requests were counted already
  /// Fills in requests first, first + 1, ... of the launch, see Requests::fill. They come in the launch's order: warp
  /// after warp of a block's first turn, then of its second one, and so on. Requests that are not issued are among
  /// them; those beyond the last have no active lanes.
  std::function<void(std::uint64_t first, std::span<WarpRequest> requests)> fill = {};
  std::uint64_t evaluated = 0;  ///< the requests that `fill` has
  bool described = false;       ///< its pattern is not known beforehand: reports describe it
};

/// Counts a site. A launch of up to twice `exact_requests` requests is evaluated as a whole, and the result is exact. A
/// longer launch is extrapolated from the growth between its first and second run of that many requests. A run takes as
/// many more as make whole periods of the site, if those are short enough to evaluate. Extrapolation is exact for
/// patterns that repeat within such a run (every pattern that is affine in the element index does). Costs are exact if
/// the site knows its kinds. All is exact if the site knows by how much it grows; words beyond its extent are then a
/// usage error. No footprint grows beyond the site's extent. The summary is empty if the site's requests are not costed
/// in anything yet.
[[nodiscard]] SiteSummary summarise(const Site& site, std::uint64_t exact_requests = 128);

}  // namespace gpumem::access
