#include <algorithm>
#include <utility>

#include "report/record/joined.hpp"

namespace gpumem::report {

Report chosen(Report report, std::span<const std::size_t> indices) {
  std::vector<Record> results;
  for (const std::size_t index : indices) results.push_back(std::move(report.results[index]));
  report.results = std::move(results);
  if (report.advice) {
    std::erase_if(*report.advice, [&](AdviceRecord& entry) {
      const auto place = std::ranges::find(indices, entry.result);
      entry.result = static_cast<std::uint64_t>(place - indices.begin());
      return place == indices.end();
    });
  }
  report.conclusions.clear();
  report.findings.clear();
  report.checks.clear();
  report.passed.reset();
  return report;
}

}  // namespace gpumem::report
