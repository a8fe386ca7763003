// The names of a comparison's cases, reports and changes.

#include <fmt/format.h>

#include <cmath>
#include <set>

#include "report/compare/compare.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::string case_name(const Comparison& comparison, const ComparedCase& compared) {
  if (is_kernel(*compared.record)) return comparison.kernels.words(*compared.record);
  Cases same_probe;
  bool others = false;
  for (const ComparedCase& other : comparison.cases) {
    if (other.record->probe == compared.record->probe) {
      same_probe.push_back(other.record);
    } else {
      others = true;
    }
  }
  std::set<std::string> telling = varying(same_probe);
  for (const std::string& chosen : compared.record->chosen) telling.erase(chosen);
  const std::string position = parameter_words(*compared.record, telling);
  if (position.empty()) return one_line(compared.record->probe);
  const bool said = position.starts_with(compared.record->probe);  // "offset 3" is of the probe offset
  return others && !said ? one_line(compared.record->probe) + ", " + position : position;
}

std::string new_label(const Comparison& comparison, std::size_t which) {
  return comparison.new_reports() == 1 ? "new" : fmt::format("new {}", which + 1);
}

std::string change_words(double ratio) {
  const double percent = (ratio - 1) * 100;
  const int decimals = std::abs(percent) < 0.95 ? 2 : 1;
  return fmt::format("{:+.{}f} %", percent, decimals);
}

}  // namespace gpumem::report
