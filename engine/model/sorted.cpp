#include "engine/model/sorted.hpp"

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
  const double bytes_each = summary.footprint.sectors * access::sector_bytes / accesses;
  site.evaluated = site.requests;
  site.fill = [bytes_each, word = site.word_bytes, count = static_cast<std::uint64_t>(accesses)](
                  std::uint64_t first, std::span<access::WarpRequest> filled) {
    for (std::size_t k = 0; k < filled.size(); ++k) {
      for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
        const std::uint64_t i = (first + k) * access::warp_lanes + lane;
        if (i >= count) break;
        filled[k].address[lane] = static_cast<std::uint64_t>(static_cast<double>(i) * bytes_each) / word * word;
        filled[k].active |= std::uint32_t{1} << lane;
      }
    }
  };
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
