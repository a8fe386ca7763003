// Which cases stand together in one block.

#include "report/write/blocks.hpp"

#include <algorithm>
#include <map>
#include <set>

#include "report/record/sweep.hpp"

namespace gpumem::report {

std::vector<Block> blocks(const Report& report, bool why) {
  const std::vector<Members> all = tables(report.results);
  const bool plan = is_plan(report);
  // A probe whose tables all have one case (`--offset 0 --op read,write,copy`) reads better as one table; so does a
  // plan, which has nothing to compare.
  std::set<std::string> spread;
  for (const Members& table : all) {
    if (table.size() > 1) spread.insert(report.results[table.front()].probe);
  }
  std::vector<Cases> groups;
  std::map<std::string, std::size_t> place;  // of the group that takes all of a probe
  std::vector<std::vector<std::string>> findings;
  const bool said = report.findings.size() == all.size();
  for (std::size_t i = 0; i < all.size(); ++i) {
    Cases cases = cases_of(report.results, all[i]);
    const std::string& probe = cases.front()->probe;
    if (plan || !spread.contains(probe)) {
      const auto [same, first] = place.try_emplace(probe, groups.size());
      if (!first) {
        groups[same->second].insert(groups[same->second].end(), cases.begin(), cases.end());
        findings[same->second].clear();  // they would repeat the rows
        continue;
      }
    }
    groups.push_back(std::move(cases));
    findings.emplace_back();
    if (said && !plan) findings.back().push_back(report.findings[i]);
  }

  std::vector<Block> result;
  for (std::size_t i = 0; i < groups.size(); ++i) {
    if (plan) std::ranges::sort(groups[i]);  // the order of the plan, which is the order in memory
    result.push_back(make_block(groups[i], report.device, why));
    result.back().findings = std::move(findings[i]);
    // A plan's is no failure, and the preamble says so; any other is all that the findings would say.
    if (plan) result.back().common_failure.clear();
    if (!result.back().common_failure.empty()) result.back().findings.clear();
  }
  return result;
}

Page page(const Report& report, bool why) {
  Page page;
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::dim});
  if (!page.before.empty()) page.before.front().tint = Tint::bold;
  page.blocks = blocks(report, why);
  for (const std::string& line : closing(report)) page.after.push_back({line});
  return page;
}

}  // namespace gpumem::report
