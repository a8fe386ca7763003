#pragma once
// What the requests shown of a site tell that its sums do not: how its words lie to each other.

#include "engine/access/request.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::app {

inline constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};

/// Blocks of memory for each sector that a site touches.
struct SectorSpread {
  double atoms = 0.5;
  double lines = 0.25;
  double line_pairs = 0.125;
};

/// By the requests shown: runs of sectors as long as a line or longer are taken to go on in the next request, shorter
/// ones to be all there is around them.
[[nodiscard]] SectorSpread spread_of(const inject::Site& site);

/// Returns true if the launch's requests together touch most of the memory that they go over, even if each touches
/// little of a line: at a byte a lane, a request touches a sector, and four requests touch a line. Returns false if too
/// few requests are shown, if lanes of a request are not side by side, or if the same memory is fetched again and
/// again.
[[nodiscard]] bool lies_dense(const inject::Site& site);

/// Runs of words next to each other that requests go to at irregular distances, as rows of a table that indices choose:
/// who calls them can align them, not bring them together.
struct ScatteredRuns {
  double runs = 0;     ///< of a request; 0: none, or at regular distances, or single words
  double sectors = 0;  ///< of a request, if each run begins with a sector
};
[[nodiscard]] ScatteredRuns scattered_runs(const inject::Site& site);

/// Whether lanes store to sectors of their own, at distances that differ.
[[nodiscard]] bool scatters(const inject::Site& site);

/// Wavefronts that the site's loads take in the banks of L1, by the requests shown: lanes that go to different lines
/// meet only where their words lie in one bank.
[[nodiscard]] double l1_wavefronts_of(const inject::Site& site);

/// Turns that an atomic takes in each sector that it touches: different words of a sector are updated in one, lanes
/// that meet at a word one after another. By the requests shown.
[[nodiscard]] double turns_per_sector(const inject::Site& site);

}  // namespace gpumem::app
