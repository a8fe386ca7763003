#pragma once
// The flags a record may carry (Record::flags): what a reader of its numbers should know.

#include <string>
#include <vector>

namespace gpumem::report {

/// All there are, in the order of docs and schema.
[[nodiscard]] inline const std::vector<std::string>& all_flags() {
  static const std::vector<std::string> names = {
      "cache_resident",        // the data fits into L2, so it is not the memory that was measured
      "partly_cached",         // of what a user's kernel reads, L2 had a part from before
      "partly_seen",           // some of a launch's requests were looked at, and the others are taken to be like them
      "seen_by_another_grid",  // no launch of this grid was looked at, but one of another grid of the same kernel
      "time_of_repeat",        // no launch was timed, but the one that was looked at ran once more for its time
      "time_of_another_grid",  // no launch of this grid was timed, but some of another grid of the same kernel
      "time_predicted",        // no launch was timed: the time is what the model predicts
      "launches_differ",       // launches of a user's kernel take or access different amounts
      "wide_interval",         // the time budget ended before the confidence interval was narrow
      "throttled",             // clocks were lowered for heat or power
      "ecc_errors",            // memory errors were counted meanwhile
      "contended",             // another process used the GPU
      "link_degraded",         // the link had less than its full generation or width
      "counts_differ",         // two ways to count the same disagree
      "predicted_from_attributes",  // no stage of this GPU was ever measured
      "predicted_from_guesses"      // the profile assumes what decides this case, or scales it from another GPU's
  };
  return names;
}

}  // namespace gpumem::report
