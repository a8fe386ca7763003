#include "program/results/site_records.hpp"

#include <algorithm>
#include <numeric>
#include <optional>
#include <string_view>

#include "engine/access/space.hpp"
#include "program/read/raw_words.hpp"
#include "program/read/shown_requests.hpp"
#include "program/results/patterns.hpp"
#include "report/record/counted.hpp"

namespace gpumem::program {

namespace {

std::uint64_t sum_over(const std::vector<const inject::Site*>& sites, std::uint64_t inject::Site::*member) {
  return std::accumulate(sites.begin(), sites.end(), std::uint64_t{0},
                         [&](std::uint64_t sum, const inject::Site* site) { return sum + site->*member; });
}

/// Returns the fewest sectors that the requests of sites need. Runs of words at irregular distances need sectors of
/// their own.
std::uint64_t least_sectors_of(const std::vector<const inject::Site*>& sites) {
  std::uint64_t least = 0;
  for (const inject::Site* site : sites) {
    const double rows = scattered_runs(*site).sectors * static_cast<double>(site->requests);
    least += std::max(site->least_sectors, static_cast<std::uint64_t>(rows));
  }
  return least;
}

struct HiddenAccess {
  access::Space space;
  access::Op op;
  std::string_view what;
};

HiddenAccess hidden_access(Hidden hidden) {
  switch (hidden) {
    case Hidden::tensor_store:
      return {access::Space::global, access::Op::store, "tensor stores"};
    case Hidden::tensor_reduction:
      return {access::Space::global, access::Op::atomic, "tensor reductions"};
    case Hidden::bulk_copy:
      return {access::Space::global, access::Op::load, "bulk copies"};
    case Hidden::matrix_product:
      return {access::Space::shared, access::Op::load, "operands of matrix products"};
    case Hidden::tensor_load:
    case Hidden::nothing:
      break;
  }
  return {access::Space::global, access::Op::load, "tensor loads"};
}

}  // namespace

double wasted_bytes(const inject::Site& site) {
  const auto beyond = [](std::uint64_t is, std::uint64_t least) {
    return is > least ? static_cast<double>(is - least) : 0;
  };
  if (!is_off_chip(site))
    return beyond(site.wavefronts, site.least_wavefronts) * access::bank_count * access::bank_bytes;
  return beyond(site.sectors, site.least_sectors) * access::sector_bytes;
}

report::SiteRecord site_record(const std::string& name, const std::vector<const inject::Site*>& sites) {
  const inject::Site& first = *sites.front();
  const std::uint64_t requests = sum_over(sites, &inject::Site::requests);
  report::SiteRecord record{.site = name,
                            .space = std::string(to_string(space_of(first))),
                            .op = std::string(to_string(op_of(first))),
                            .word_bytes = first.word_bytes,
                            .costs = {},
                            .pattern = pattern_of(sites),
                            .requests = requests,
                            .active_lanes = {}};
  const auto each = [&](std::uint64_t sum) { return static_cast<double>(sum) / static_cast<double>(requests); };
  record.active_lanes = each(sum_over(sites, &inject::Site::active_lanes));
  const auto cost = [&](const char* unit, std::uint64_t sum, std::optional<std::uint64_t> least) {
    record.costs.push_back({.unit = unit, .per_request = {.predicted = each(sum), .counted = {}}});
    if (least) record.costs.back().least = each(std::min(*least, sum));
  };
  if (is_off_chip(first)) {
    cost(report::sectors, sum_over(sites, &inject::Site::sectors), least_sectors_of(sites));
    const std::uint64_t useful = sum_over(sites, &inject::Site::useful_bytes);
    cost(report::lines_unit, sum_over(sites, &inject::Site::lines),
         std::max(requests, (useful + access::line_bytes - 1) / access::line_bytes));
  } else if (sum_over(sites, &inject::Site::wavefronts) > 0) {
    cost(report::wavefronts, sum_over(sites, &inject::Site::wavefronts),
         sum_over(sites, &inject::Site::least_wavefronts));
  }
  return record;
}

report::SiteRecord uncounted_record(const std::string& name, Hidden hidden) {
  const HiddenAccess access = hidden_access(hidden);
  return {.site = name,
          .space = std::string(to_string(access.space)),
          .op = std::string(to_string(access.op)),
          .word_bytes = 16,
          .costs = {},
          .pattern = std::string(access.what) + ", not counted",
          .requests = {},
          .active_lanes = {}};
}

}  // namespace gpumem::program
