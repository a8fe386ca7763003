#pragma once
// Finds how the words of a site lie relative to each other, from its shown requests: its sums do not tell that.

#include "engine/access/request.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::program {

inline constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};

/// Blocks of memory for each sector that a site touches.
struct SectorSpread {
  double atoms = 0.5;
  double lines = 0.25;
  double line_pairs = 0.125;
};

/// Estimates the spread from the requests shown. Runs of sectors that are at least as long as a line are assumed to go
/// on in the next request; shorter runs are assumed to have no touched neighbours.
[[nodiscard]] SectorSpread spread_of(const inject::Site& site);

/// Returns true if the launch's requests together touch most of the memory that they go over, even if each touches
/// little of a line: at a byte a lane, a request touches a sector, and four requests touch a line. Returns false if too
/// few requests are shown, if lanes of a request are not side by side, or if the same memory is fetched again and
/// again.
[[nodiscard]] bool lies_dense(const inject::Site& site);

/// Runs of adjacent words that requests access at irregular distances, like rows of a table chosen by indices. A user
/// can align the rows, but not bring them together.
struct ScatteredRuns {
  double runs = 0;     ///< of a request; 0: none, or at regular distances, or single words
  double sectors = 0;  ///< of a request, if each run begins with a sector
};
[[nodiscard]] ScatteredRuns scattered_runs(const inject::Site& site);

/// True if lanes store to separate sectors, at distances that differ.
[[nodiscard]] bool scatters(const inject::Site& site);

/// Estimates the wavefronts of the site's loads in the banks of L1, from the requests shown. Lanes that access
/// different lines conflict only if their words lie in one bank.
[[nodiscard]] double l1_wavefronts_of(const inject::Site& site);

/// Estimates the turns that an atomic takes in each sector it touches, from the requests shown. Different words of a
/// sector are updated in one turn; lanes that meet at a word take a turn each.
[[nodiscard]] double turns_per_sector(const inject::Site& site);

}  // namespace gpumem::program
