#include "report/record/record.hpp"

#include <algorithm>
#include <iterator>

#include "engine/access/space.hpp"

namespace gpumem::report {

Reading SiteRecord::per_request(std::string_view unit) const {
  const auto found = std::ranges::find(costs, unit, &CostRecord::unit);
  return found == costs.end() ? Reading{} : found->per_request;
}

std::optional<double> SiteRecord::least(std::string_view unit) const {
  const auto found = std::ranges::find(costs, unit, &CostRecord::unit);
  return found == costs.end() ? std::nullopt : found->least;
}

bool SiteRecord::in_host_memory() const {
  const auto* const row = std::ranges::find(access::spaces, space, &access::SpaceRow::name);
  return row != std::end(access::spaces) && row->home == access::Home::host_memory;
}

Reading& SiteRecord::cost(std::string_view unit) {
  const auto found = std::ranges::find(costs, unit, &CostRecord::unit);
  if (found != costs.end()) return found->per_request;
  return costs.emplace_back(CostRecord{.unit = std::string(unit), .per_request = {}}).per_request;
}

bool Record::uses_host() const {
  const bool transfer = access.empty() && useful_bytes() > 0 && !useful_flops;
  return host_shared_by || transfer || std::ranges::any_of(access, &SiteRecord::in_host_memory);
}

bool Record::has_flag(std::string_view flag) const { return std::ranges::find(flags, flag) != flags.end(); }

bool Record::is_chosen(std::string_view parameter) const {
  return std::ranges::find(chosen, parameter) != chosen.end();
}

}  // namespace gpumem::report
