#pragma once
// The flags a record may carry (Record::flags): what a reader of its numbers should know.

#include <string>
#include <vector>

namespace gpumem::report {

/// All there are, in the order of docs and schema.
[[nodiscard]] inline const std::vector<std::string>& all_flags() {
  static const std::vector<std::string> names = {
      "cache_resident",             // the data fits into L2, so it is not the memory that was measured
      "partly_cached",              // of what a user's kernel reads, L2 had a part from before
      "wide_interval",              // the time budget ended before the confidence interval was narrow
      "throttled",                  // clocks were lowered for heat or power
      "ecc_errors",                 // memory errors were counted meanwhile
      "contended",                  // another process used the GPU
      "link_degraded",              // the link had less than its full generation or width
      "counts_differ",              // two ways to count the same disagree
      "predicted_from_attributes",  // no stage of this GPU was ever measured
      "predicted_from_guesses"      // the profile assumes what decides this case, or scales it from another GPU's
  };
  return names;
}

}  // namespace gpumem::report
