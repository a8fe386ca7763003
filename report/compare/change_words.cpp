// The names of a comparison's cases, reports and changes.

#include <fmt/format.h>

#include <cmath>

#include "report/compare/compare.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::string case_name(const Comparison& comparison, const ComparedCase& compared) {
  if (is_kernel(*compared.record)) return comparison.kernels.words(*compared.record);
  const Record& record = *compared.record;
  Cases cases;
  for (const ComparedCase& other : comparison.cases) cases.push_back(other.record);
  auto telling = varying_by_probe(cases);
  for (const std::string& chosen : record.chosen) telling.at(record.probe).erase(chosen);
  const std::string position = parameter_words(record, telling.at(record.probe));
  if (position.empty()) return one_line(record.probe);
  const bool said = position.starts_with(record.probe);  // "offset 3" is of the probe offset
  return telling.size() > 1 && !said ? one_line(record.probe) + ", " + position : position;
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
