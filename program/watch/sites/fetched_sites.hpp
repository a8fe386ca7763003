#pragma once
// The table of a sample, fetched from the GPU after the launch.

#include <vector>

#include "program/watch/raw_format.hpp"
#include "program/watch/sites/repeat_rule.hpp"
#include "program/watch/sites/sample.hpp"
#include "program/watch/sites/sanitizer.hpp"

namespace gpumem::inject {

struct FetchedSites {
  std::vector<Site> sites;        ///< in the order of the code
  std::vector<SeenRange> ranges;  ///< of each site, in no order; empty unless the sample is repeatable
};

/// Fetches the sites of the table, which it leaves in `tables.copy`. Returns false if that is not possible.
[[nodiscard]] bool fetch_sites(const Sanitizer& sanitizer, const SampleTables& tables, const Sample& sample,
                               FetchedSites& fetched);
/// Fetches the loads of each warp and sums them up in the event. Returns false if that is not possible.
[[nodiscard]] bool fetch_loads(const SampleTables& tables, const Sample& sample, SampleEvent& event);

}  // namespace gpumem::inject
