#include "engine/access/site.hpp"

#include <algorithm>

#include "engine/access/exact.hpp"
#include "engine/access/periodic.hpp"
#include "engine/access/touched.hpp"

namespace gpumem::access {

namespace {

Footprint extrapolate(const Footprint& half, const Footprint& whole, double halves) {
  // Blocks that only the ends of a run touch may be fewer in the second run. That is no trend to less than none.
  const auto grow = [&](double at_half, double at_whole) {
    return std::max(0.0, at_whole + (at_whole - at_half) * (halves - 2));
  };
  return {grow(half.sectors, whole.sectors),
          grow(half.partial_sectors, whole.partial_sectors),
          grow(half.atoms, whole.atoms),
          grow(half.partial_atoms, whole.partial_atoms),
          grow(half.lines, whole.lines),
          grow(half.line_pairs, whole.line_pairs),
          whole.channels};
}

/// Returns the requests of whole periods of the site, at least `requests`; just these if a period takes too long to
/// evaluate.
std::uint64_t run_of(const Site& site, std::uint64_t requests) {
  constexpr std::uint64_t longest = 8192;
  if (site.period_requests > longest) return requests;
  return (requests + site.period_requests - 1) / site.period_requests * site.period_requests;
}

/// Limits an extrapolated footprint to the array.
Footprint within(Footprint footprint, std::uint64_t extent_bytes) {
  const auto limit = [&](double& blocks, unsigned block_bytes) {
    const std::uint64_t most = (extent_bytes + block_bytes - 1) / block_bytes;
    blocks = std::min(blocks, static_cast<double>(most));
  };
  limit(footprint.sectors, sector_bytes);
  limit(footprint.partial_sectors, sector_bytes);
  limit(footprint.atoms, dram_atom_bytes);
  limit(footprint.partial_atoms, dram_atom_bytes);
  limit(footprint.lines, line_bytes);
  limit(footprint.line_pairs, line_pair_bytes);
  return footprint;
}

/// Adds up what requests cost.
class CostSum {
 public:
  explicit CostSum(const Site& site) : op_(site.op), costs_(costed(site.space, site.op)) {}

  void add(const WarpRequest& request, double count = 1) {
    requests_ += count;
    bytes_ += count * useful_bytes(request);
    sum_.sectors_per_request += count * sectors_per_request(request);
    sum_.lines_per_request += count * lines_per_request(request);
    if (costs_.wavefronts) sum_.wavefronts_per_request += count * shared_wavefronts(request, op_);
    if (costs_.addresses) sum_.addresses_per_request += count * addresses_per_request(request);
  }

  [[nodiscard]] SiteCost average() const {
    const double sectors = sum_.sectors_per_request;
    return {.sectors_per_request = sectors / requests_,
            .lines_per_request = sum_.lines_per_request / requests_,
            .wavefronts_per_request = sum_.wavefronts_per_request / requests_,
            .addresses_per_request = sum_.addresses_per_request / requests_,
            .efficiency = sectors == 0 ? 0 : bytes_ / (sectors * sector_bytes)};
  }

 private:
  Op op_;
  Costed costs_;
  SiteCost sum_;
  double requests_ = 0;
  double bytes_ = 0;
};

}  // namespace

SiteSummary summarise(const Site& site, std::uint64_t exact_requests) {
  if (site.summary) return *site.summary;
  SiteSummary summary;
  const Costed costs = costed(site.space, site.op);
  if (!costs.any()) return summary;
  const std::uint64_t once = site.requests / site.passes;
  const std::uint64_t run = run_of(site, exact_requests);
  const bool exact = once <= 2 * run;
  const std::uint64_t evaluated = exact ? once : 2 * run;
  if (evaluated == 0) return summary;
  if (!exact && site.growth_bytes) {
    return summarise_periodic(requests_of(site), {site.period_requests, *site.growth_bytes, site.regular_requests})
        .summary;
  }

  std::vector<TouchedSector> touched;
  Footprint half;
  CostSum sum(site);
  for (std::uint64_t k = 0; k < evaluated; ++k) {
    if (!exact && k == run) {
      merge(touched);
      half = count(touched);
    }
    const WarpRequest request = site.request(k);
    if (site.kinds.empty()) sum.add(request);
    append_sectors(request, touched);
  }
  merge(touched);
  const Footprint whole = count(touched);

  for (const RequestKind& kind : site.kinds) sum.add(site.request(kind.request), static_cast<double>(kind.count));
  summary.cost = sum.average();
  summary.footprint = exact ? whole : extrapolate(half, whole, static_cast<double>(once) / static_cast<double>(run));
  if (!exact && site.extent_bytes > 0) summary.footprint = within(summary.footprint, site.extent_bytes);
  return summary;
}

}  // namespace gpumem::access
