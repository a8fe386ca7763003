// Saved reports as commands show them.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "app/commands/commands.hpp"
#include "engine/base/error.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::app {

namespace {

bool has_facts(const report::Report& report) {
  return std::ranges::any_of(report.conclusions,
                             [](const report::ConclusionRecord& conclusion) { return !conclusion.facts.empty(); });
}

/// Adds what follows from the readings and is missing: short explanations, which no report holds, and everything that
/// older versions did not write. Parts that the report has stay as they are.
void add_missing(report::Report& report) {
  if (report::is_plan(report)) return;
  const report::Report made = report::completed(report);
  for (std::size_t i = 0; i < made.results.size(); ++i) {
    report::Record& record = report.results[i];
    record.why_brief = made.results[i].why_brief;
    if (record.why.empty()) record.why = made.results[i].why;
    if (!record.relative_measured) record.relative_measured = made.results[i].relative_measured;
    if (!record.relative_predicted) record.relative_predicted = made.results[i].relative_predicted;
  }
  if (!report.advice) report.advice = made.advice;
  // Prose of an older version is drawn anew, as facts.
  const bool newer = has_facts(made) && !has_facts(report);
  if (report.findings.empty() || newer) report.findings = made.findings;
  if (report.conclusions.empty() || newer) report.conclusions = made.conclusions;
}

}  // namespace

void refuse_directories(const std::vector<std::string>& paths, const std::string& before) {
  for (const std::string& path : paths) {
    std::error_code ignored;
    if (!std::filesystem::is_directory(path, ignored)) continue;
    std::string folder = path;
    while (folder.size() > 1 && folder.ends_with('/')) folder.pop_back();
    const bool one = before == "gpumem explain" || before == "gpumem calibrate --from";
    throw usage_error(fmt::format(
        "cannot read '{}': Is a directory; name {} in it: {} {}/{}; machines side by side: gpumem compare --fleet {}",
        path, one ? "a report" : "the reports", before, report::shell_quoted(folder), one ? "FILE.json" : "*.json",
        report::shell_quoted(path)));
  }
}

std::vector<report::NamedReport> read_reports(const std::vector<std::string>& paths, const Environment& environment) {
  if (std::ranges::count(paths, "-") > 1) throw usage_error("standard input ('-') holds only one report");
  std::vector<report::NamedReport> reports;
  for (const std::string& path : paths) {
    reports.push_back({path, report::read_report_file(path, environment.in)});
    report::order_columns(reports.back().report, environment.registry);
    add_missing(reports.back().report);
  }
  return reports;
}

}  // namespace gpumem::app
