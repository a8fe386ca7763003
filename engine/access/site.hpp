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
  std::uint64_t count = 0;    ///< how many of the launch there are
};

/// What a site's requests cost, averaged over a launch.
struct SiteCost {
  double sectors_per_request = 0;
  double lines_per_request = 0;
  double wavefronts_per_request = 0;  ///< 0 where requests are not costed in wavefronts
  double addresses_per_request = 0;   ///< 0 where they are not costed in addresses
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
  std::string name;  ///< what a person would call it: "source", "target", "tile"
  Space space = Space::global;
  Op op = Op::load;
  unsigned word_bytes = 4;
  unsigned instructions = 1;   ///< copies of the instruction in the compiled kernel (loop unrolling)
  std::uint64_t requests = 0;  ///< warp requests of one launch
  std::uint64_t passes = 1;    ///< times that these go over the same addresses: requests / passes each time
  bool kept_in_l1 = true;      ///< of loads: L1 serves what they or others ask for again
  std::uint64_t fetches = 1;   ///< of loads kept in L1: times that L1s fetch what they touch, each for other blocks
  std::uint64_t feeds = 1;     ///< of loads kept in L1: blocks that one such fetch brings the data (multicast)
  /// Requests after which the launch repeats itself further on in memory; 1 where every run of them is like any other.
  std::uint64_t period_requests = 1;
  /// Bytes that every address has grown by after a period, lanes being active as before it: where that is proved, all
  /// is counted exactly (periodic.hpp). Absent: not proved.
  std::optional<std::int64_t> growth_bytes = std::nullopt;
  /// Of each pass, those that it is proved for: from the first on. The others may be a warp cut off.
  std::uint64_t regular_requests = ~std::uint64_t{0};
  /// The array that the site lies in, as far as its footprint can grow; 0 where that is not known.
  std::uint64_t extent_bytes = 0;
  /// The k-th request of a launch, k < requests. Consecutive k are neighbours in the launch, so a short run of
  /// them is representative of the whole. Where costed(space, op) has no rule it may be left out.
  std::function<WarpRequest(std::uint64_t k)> request;
  /// Where the requests are of a few kinds, all of them, counts adding up to `requests`: what a launch costs is then
  /// exact, whatever its length and its edges. Empty: not known.
  std::vector<RequestKind> kinds = {};
  std::optional<SiteSummary> summary = {};  ///< where somebody has counted all requests
  /// Requests first, first + 1, ... of the launch in its order, warp after warp of a block's first turn, of its second
  /// one, and so on, see Requests::fill. With those that are not issued, and beyond the last without active lanes.
  std::function<void(std::uint64_t first, std::span<WarpRequest> requests)> fill = {};
  std::uint64_t evaluated = 0;  ///< how many requests `fill` has
  bool described = false;       ///< of a pattern that nobody knows beforehand: reports say what it looks like
};

/// Counts a site. Up to twice `exact_requests` requests every one is evaluated and the result is exact; a longer launch
/// is extrapolated from the growth between its first and second run of that many, or of as many more as whole periods
/// of the site take, as long as those are short enough to evaluate. That is exact for patterns that repeat within such
/// a run (every pattern that is affine in the element index does), and costs are exact where the site knows its kinds.
/// All is exact where the site knows by how much it grows; then words beyond its extent are a usage error. No footprint
/// grows beyond the site's extent. Of a site whose requests are not costed in anything yet the summary is empty.
[[nodiscard]] SiteSummary summarise(const Site& site, std::uint64_t exact_requests = 128);

}  // namespace gpumem::access
