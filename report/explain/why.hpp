#pragma once
// What limits a case and what would change it, in words with the figures they rest on: from the stages, the access
// sites, the counters and the difference to the best case of the same sweep. Never from the probe's name.

#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

struct Explanation {
  std::string brief;  ///< at most 60 columns, for a table's cell
  std::string full;   ///< one to four sentences
};

/// One for each of the results. Empty for a case that did not run, and where neither a prediction nor counters say what
/// limits it.
[[nodiscard]] std::vector<Explanation> explanations(std::span<const Record> results);

/// Fills `why` and `why_brief` of every record.
void add_explanations(std::vector<Record>& results);

}  // namespace gpumem::report
