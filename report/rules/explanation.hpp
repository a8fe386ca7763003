#pragma once
// An explanation of a case, in words.

#include <string>

namespace gpumem::report {

/// Explains in words and figures what limits a case and what would change it. An explanation rests on the stages, the
/// access sites, the counters and the difference to the best case of the same sweep, never on the probe's name.
struct Explanation {
  std::string brief;  ///< at most 60 columns, for a table's cell
  std::string full;   ///< one to four sentences
};

}  // namespace gpumem::report
