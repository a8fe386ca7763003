#pragma once
// For all tests of checks: the outcome of a check in words, and reports in which a case went wrong.

#include <string>
#include <vector>

#include "report/check/check.hpp"
#include "report/record/readings.hpp"
#include "tests/report/check/checks.hpp"
#include "tests/report/checked.hpp"

namespace gpumem::report::checked {

inline std::string held(const Expectation& expectation, const Report& report = measured(),
                        const CheckRules& rules = {}) {
  return said(evaluate(expectation, report, rules));
}

inline Report changed(std::size_t index, void (*change)(Record&)) {
  Report report = measured();
  change(report.results[index]);
  return report;
}

inline void fail(Record& record) {
  record = shifted(std::get<std::uint64_t>(record.parameters[0].value), "read", 1);
  record.status = Status::failed;
  record.reason = "no\nmemory";
  record.time.reset();
  record.headline.measured.reset();
  record.verified.reset();
}

inline void skip(Record& record) {
  fail(record);
  record.status = Status::skipped;
  record.reason = "cannot map";
}

using CaseNumbers = std::vector<std::size_t>;

}  // namespace gpumem::report::checked
