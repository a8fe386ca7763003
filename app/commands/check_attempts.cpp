#include "app/commands/check_attempts.hpp"

#include <algorithm>

#include "report/check/against_history.hpp"

namespace gpumem::app {

bool tried_unasked(const report::Report& report, const report::CheckRecord& check) {
  if (report.is_prediction() || !check.measured || check.cases.empty()) return false;
  const auto uses_host = [&](std::size_t index) { return report.results[index].uses_host(); };
  return report::says_slower_than_before(check) || std::ranges::all_of(check.cases, uses_host);
}

const char* why_unasked(std::span<const report::CheckRecord> failed) {
  return std::ranges::any_of(failed, report::says_slower_than_before) ? ", because others may have disturbed it"
                                                                      : " of the host, which others may use too";
}

}  // namespace gpumem::app
