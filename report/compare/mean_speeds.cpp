// The mean speed of one NEW relative to OLD.

#include <algorithm>
#include <cmath>

#include "report/compare/compare.hpp"

namespace gpumem::report {

std::vector<MeanSpeed> mean_speeds(const Comparison& comparison, std::size_t which) {
  struct Sum {
    std::optional<ComparedQuantity> quantity;
    std::size_t cases = 0;
    double logarithms = 0;
  };
  std::vector<Sum> sums;
  const auto add = [&](const std::optional<ComparedQuantity>& quantity, double speed) {
    auto found = std::ranges::find(sums, quantity, &Sum::quantity);
    if (found == sums.end()) found = sums.insert(sums.end(), {.quantity = quantity});
    ++found->cases;
    found->logarithms += std::log(speed);
  };
  for (const ComparedCase& compared : comparison.cases) {
    const auto& speed = compared.changes[which].speed;
    if (!speed) continue;
    add(std::nullopt, speed->value);
    add(compared.quantity, speed->value);
  }
  if (sums.size() == 2) sums.pop_back();  // it is of the same cases
  std::vector<MeanSpeed> means;
  for (const auto& [quantity, cases, logarithms] : sums) {
    means.push_back({quantity, cases, std::exp(logarithms / static_cast<double>(cases))});
  }
  return means;
}

}  // namespace gpumem::report
