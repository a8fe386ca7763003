#include <algorithm>
#include <cmath>

#include "engine/access/sampled.hpp"
#include "engine/model/predict.hpp"

namespace gpumem::model {

namespace {

/// Returns true if a site's accesses come in the order of their addresses, up or down. It looks at runs of requests
/// from all over the launch. Pieces larger than these may come in another order: the few breaks between them cost
/// nothing.
bool is_in_order(const access::Site& site) {
  constexpr std::uint64_t runs = 64;
  constexpr std::uint64_t run_requests = 64;
  const access::Requests launch = access::requests_of(site);
  bool up = true;
  bool down = true;
  std::optional<std::uint64_t> last;
  std::uint64_t next = 0;
  for (std::uint64_t i = 0; i < runs && next < launch.count && (up || down); ++i) {
    const std::uint64_t first = std::max(next, access::place_in_part(launch.count, runs, i));
    next = std::min(first + run_requests, launch.count);
    access::for_each_request(launch, first, next - first, [&](std::uint64_t, const access::WarpRequest& request) {
      for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
        if (!request.lane_active(lane)) continue;
        const std::uint64_t address = request.address[lane];
        up = up && address >= last.value_or(address);
        down = down && address <= last.value_or(address);
        last = address;
      }
    });
  }
  return up || down;
}

/// Replaces the requests of a site by sorted ones: the fewest full warps that make so many accesses. Each request
/// touches at least one sector and one line, even if it shares them with others.
void sort(access::Site& site, double accesses) {
  access::SiteSummary& summary = *site.summary;
  const double requests = std::ceil(accesses / access::warp_lanes);
  site.requests = static_cast<std::uint64_t>(requests);
  summary.cost.sectors_per_request = std::max(1.0, summary.footprint.sectors / requests);
  summary.cost.lines_per_request = std::max(1.0, summary.footprint.lines / requests);
  const double bytes_each = summary.footprint.sectors * access::sector_bytes / accesses;
  site.evaluated = site.requests;
  site.growth_bytes.reset();  // of the order that it had
  site.fill = [bytes_each, word = std::uint64_t{site.word_bytes}, count = static_cast<std::uint64_t>(accesses)](
                  std::uint64_t first, std::span<access::WarpRequest> filled) {
    for (std::size_t k = 0; k < filled.size(); ++k) {
      const std::uint64_t begin = (first + k) * access::warp_lanes;
      if (begin >= count) continue;
      const auto lanes = static_cast<unsigned>(std::min<std::uint64_t>(access::warp_lanes, count - begin));
      for (unsigned lane = 0; lane < lanes; ++lane) {
        // Signed, as processors convert it. All are far below 2^63.
        const auto i = static_cast<double>(static_cast<std::int64_t>(begin + lane));
        filled[k].address[lane] = static_cast<std::uint64_t>(static_cast<std::int64_t>(i * bytes_each)) & ~(word - 1);
      }
      filled[k].active = ~std::uint32_t{0} >> (access::warp_lanes - lanes);
    }
  };
}

}  // namespace

std::optional<double> sorted_gain(const Workload& workload, const Prediction& prediction, const Profile& profile) {
  Workload sorted = workload;
  bool in_order = true;
  for (access::Site& site : sorted.sites) {
    if (!site.described || !site.summary) continue;
    const std::uint64_t useful =
        site.op == access::Op::load ? workload.useful_bytes_read : workload.useful_bytes_written;
    if (useful == 0) return std::nullopt;
    if (is_in_order(site)) continue;
    in_order = false;
    sort(site, static_cast<double>(useful) / site.word_bytes);
  }
  return in_order ? 1 : prediction.seconds / predict(sorted, profile).seconds;
}

}  // namespace gpumem::model
