#include "report/record/record.hpp"

#include <algorithm>

namespace gpumem::report {

Reading SiteRecord::per_request(std::string_view unit) const {
  const auto found = std::ranges::find(costs, unit, &CostRecord::unit);
  return found == costs.end() ? Reading{} : found->per_request;
}

Reading& SiteRecord::cost(std::string_view unit) {
  const auto found = std::ranges::find(costs, unit, &CostRecord::unit);
  if (found != costs.end()) return found->per_request;
  return costs.emplace_back(CostRecord{.unit = std::string(unit), .per_request = {}}).per_request;
}

bool Record::is_chosen(std::string_view parameter) const {
  return std::ranges::find(chosen, parameter) != chosen.end();
}

}  // namespace gpumem::report
