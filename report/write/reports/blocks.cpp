// A report's page: which cases stand together in one block, and what is left to say at the end.

#include "report/write/blocks.hpp"

#include <algorithm>
#include <map>
#include <set>
#include <sstream>
#include <tuple>

#include "engine/base/words.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Cases that stand in one block, and what is said below it.
struct Group {
  Cases cases;
  std::vector<std::string> findings;
};

/// Sorts the cases by alternative, then by the swept parameter and then by the parameter across: a plan may have the
/// last two the other way round.
void sort_across(Cases& cases) {
  std::vector<Value> alternatives;
  const auto value_of = [](const Record& record, const std::string& name) {
    const Parameter* parameter = find_parameter(record, name);
    return parameter == nullptr ? Value() : parameter->value;
  };
  for (const Record* record : cases) alternatives.push_back(value_of(*record, record->compared));
  std::ranges::stable_sort(cases, {}, [&](const Record* record) {
    const auto alternative = std::ranges::find(alternatives, value_of(*record, record->compared));
    return std::tuple(alternative - alternatives.begin(), value_of(*record, record->swept),
                      value_of(*record, record->across));
  });
}

/// The lines that a table shows. Only the first few facts that its probe concluded are among them, unless `why` asks
/// for all.
std::vector<std::string> lines_of(const Report& report, const Members& table, const std::string& finding, bool why) {
  constexpr std::size_t most_facts = 3;
  std::vector<std::string> lines;
  std::istringstream text(finding);
  for (std::string line; std::getline(text, line);) lines.push_back(line);
  const auto within = [&](const ConclusionRecord& conclusion) {
    return !conclusion.facts.empty() && std::ranges::all_of(conclusion.cases, [&](std::size_t member) {
      return std::ranges::find(table, member) != table.end();
    });
  };
  const auto conclusion = std::ranges::find_if(report.conclusions, within);
  if (why || conclusion == report.conclusions.end()) return lines;
  const std::size_t facts = std::min(conclusion->facts.size(), lines.size());
  if (facts <= most_facts) return lines;
  lines.erase(lines.begin() + most_facts, lines.begin() + static_cast<std::ptrdiff_t>(facts));
  lines.insert(lines.begin() + most_facts, counted(facts - most_facts, "more fact") + " with --why.");
  return lines;
}

/// A probe whose tables all have one case (`--offset 0 --op read,write,copy`) reads better as one table; so does a
/// plan, which has nothing to compare.
std::vector<Group> groups(const Report& report, bool why) {
  const std::vector<Members> all = tables(report.results);
  const bool plan = is_plan(report);
  std::set<std::string> spread;
  for (const Members& table : all) {
    if (table.size() > 1 && !plan) spread.insert(report.results[table.front()].probe);
  }
  const bool said = report.findings.size() == all.size() && !plan;
  std::vector<Group> found;
  std::map<std::string, std::size_t> place;  // of the group that takes all of a probe
  for (std::size_t i = 0; i < all.size(); ++i) {
    Cases cases = cases_of(report.results, all[i]);
    if (!cases.front()->across.empty()) sort_across(cases);
    const std::string& probe = cases.front()->probe;
    const auto same = spread.contains(probe) ? place.end() : place.find(probe);
    if (same == place.end()) {
      place[probe] = found.size();
      found.push_back({cases, {}});
      if (said) found.back().findings = lines_of(report, all[i], report.findings[i], why);
    } else {
      Group& group = found[same->second];
      group.cases.insert(group.cases.end(), cases.begin(), cases.end());
      group.findings.clear();  // they would repeat the rows
    }
  }
  return found;
}

/// Note last: findings that belong to no block, and the count of a plan's cases.
std::vector<std::string> closing(const Report& report, const std::vector<Block>& blocks) {
  if (!is_plan(report)) {
    return report.findings.size() == tables(report.results).size() ? std::vector<std::string>() : report.findings;
  }
  std::vector<std::string> counts;
  for (const Block& block : blocks) counts.push_back(std::to_string(block.rows.size()) + " of " + block.title);
  return {counted(report.results.size(), "case") + (counts.size() > 1 ? ": " + join_in_words(counts) : "") + "."};
}

}  // namespace

bool is_plan(const Report& report) {
  return !report.results.empty() && std::ranges::all_of(report.results, [](const Record& record) {
    return record.status == Status::skipped && record.reason == "dry run";
  });
}

Page page(const Report& report, bool why) {
  Page page;
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::dim});
  if (!page.before.empty()) page.before.front().tint = Tint::bold;
  for (Group& group : groups(report, why)) {
    if (is_plan(report)) std::ranges::sort(group.cases);  // the order of the plan, which is the order in memory
    Block& block = page.blocks.emplace_back(make_block(group.cases, report.device, why));
    // A plan's is no failure, and the preamble says so; any other is all that the findings would say.
    if (is_plan(report)) block.common_failure.clear();
    if (block.common_failure.empty()) block.findings = std::move(group.findings);
  }
  if (auto block = side_by_side_block(report)) page.blocks.push_back(*std::move(block));
  for (const std::string& line : closing(report, page.blocks)) page.after.push_back({line});
  return page;
}

std::string Block::full_title() const { return title + (constants.empty() ? "" : ": ") + join(constants, ", "); }

void set_flags(Block& block, std::vector<std::vector<std::string>> flags) {
  const auto has = [](const std::vector<std::string>& all, const std::string& flag) {
    return std::ranges::find(all, flag) != all.end();
  };
  std::vector<std::string> common;
  std::size_t ran = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!block.rows[i].failure.empty()) continue;
    if (ran++ == 0) common = flags[i];
    std::erase_if(common, [&](const std::string& flag) { return !has(flags[i], flag); });
  }
  if (ran < 2) common.clear();
  block.common_flags = join(common, ", ");
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::erase_if(flags[i], [&](const std::string& flag) { return has(common, flag); });
    block.rows[i].flags = join(flags[i], ", ");
  }
}

}  // namespace gpumem::report
