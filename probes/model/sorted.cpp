#include "probes/model/sorted.hpp"

#include <algorithm>
#include <cmath>

namespace gpumem::model {

namespace {

/// Full warps, the fewest that make so many accesses. What several of them share is asked for once more by each.
void sort(access::Site& site, double accesses) {
  access::SiteSummary& summary = *site.summary;
  const double requests = std::ceil(accesses / access::warp_lanes);
  site.requests = static_cast<std::uint64_t>(requests);
  summary.cost.sectors_per_request = std::max(1.0, summary.footprint.sectors / requests);
  summary.cost.lines_per_request = std::max(1.0, summary.footprint.lines / requests);
  site.fill = nullptr;  // it comes back to nothing
}

}  // namespace

std::optional<double> sorted_gain(const Workload& workload, const Prediction& prediction, const Profile& profile) {
  Workload sorted = workload;
  for (access::Site& site : sorted.sites) {
    if (!site.described || !site.summary) continue;
    const std::uint64_t useful =
        site.op == access::Op::load ? workload.useful_bytes_read : workload.useful_bytes_written;
    if (useful == 0) return std::nullopt;
    sort(site, static_cast<double>(useful) / site.word_bytes);
  }
  return prediction.seconds / predict(sorted, profile).seconds;
}

}  // namespace gpumem::model
