#include "report/write/comparisons/counts.hpp"

#include <fmt/format.h>

#include "app/command_line/build_information.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/commands.hpp"
#include "report/compare/counts.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

int run_counts_command(const CompareArguments& arguments, std::span<const report::NamedReport> reports,
                       const ResultOutputs& outputs, const Environment& environment) {
  const std::size_t old_cases = reports.front().report.results.size();
  const CaseWords words(arguments.cases, environment.registry);
  report::Comparison comparison = report::compare(reports, report::default_tolerance, words.among(reports, old_cases));
  if (comparison.cases.empty() && !words.empty()) words.refuse_none_of(old_cases);
  comparison.tool_version = build_information().version;
  const report::CountComparison counts =
      report::compare_counts(comparison, arguments.tolerance.value_or(report::default_count_tolerance));
  outputs.finish([&](std::ostream& out, report::Format format, const report::TableStyle& style) {
    report::write_counts(out, counts, format, style);
  });
  const std::string& name = reports[1].name;
  if (const auto failure = report::count_failure(counts)) {
    say(environment.err, fmt::format("{}: {}", name, *failure));
    return 1;
  }
  const std::size_t gaps = counts.cases.size() - counts.compared();
  if (gaps > 0 && !arguments.quiet) {
    say(environment.err, fmt::format("note: {}: {} of {} not compared; the table says why", name, gaps,
                                     report::counted(counts.cases.size(), report::case_noun(reports[1].report))));
  }
  return 0;
}

}  // namespace gpumem::app
