#include "app/commands/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <sstream>

#include "app/command_line/build_information.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/fleet.hpp"
#include "app/output/result_outputs.hpp"
#include "probes/error.hpp"
#include "probes/words.hpp"
#include "report/compare/compare.hpp"
#include "report/fleet/fleet.hpp"
#include "report/read/report_file.hpp"
#include "report/text/text.hpp"
#include "report/write/comparison.hpp"

namespace gpumem::app {

namespace {

using report::NamedReport;

bool is_same_file(const std::string& one, const std::string& other) {
  if (one == other) return true;
  std::error_code error;
  return one != "-" && other != "-" && std::filesystem::equivalent(one, other, error) && !error;
}

/// Standard input can be read once, and a file that is given twice is a mistake: it is the same as itself.
void refuse_repeated(const std::vector<std::string>& paths) {
  for (std::size_t i = 0; i < paths.size(); ++i) {
    for (std::size_t j = 0; j < i; ++j) {
      if (!is_same_file(paths[i], paths[j])) continue;
      if (paths[i] == "-") throw usage_error("standard input ('-') holds only one report");
      throw usage_error(fmt::format("'{}' is given twice{}; a report is the same as itself", paths[i],
                                    paths[i] == paths[j] ? "" : ", also as '" + paths[j] + "'"));
    }
  }
}

std::vector<NamedReport> read_reports(const std::vector<std::string>& paths, const Environment& environment) {
  refuse_repeated(paths);
  std::vector<NamedReport> reports;
  for (const std::string& path : paths) reports.push_back({path, report::read_report_file(path, environment.in)});
  return reports;
}

/// A model that is off would pass or fail a gate for a machine that is not.
void refuse_mixed_gate(const std::vector<NamedReport>& reports) {
  const auto predicted = [](const NamedReport& one) { return one.report.is_prediction(); };
  for (const NamedReport& one : reports) {
    if (predicted(one) == predicted(reports.front())) continue;
    const auto& prediction = predicted(one) ? one : reports.front();
    const auto& measurement = predicted(one) ? reports.front() : one;
    throw usage_error(
        fmt::format("--fail-on-regression: '{}' was predicted and '{}' measured; compare what was made "
                    "in one way, or leave the option out",
                    prediction.name, measurement.name));
  }
}

/// Which cases the words mean, in whichever of the reports they are.
report::Selection selection_among(const std::vector<NamedReport>& reports, const CaseWords& words) {
  report::Cases cases;
  for (const NamedReport& one : reports) {
    for (const report::Record& record : one.report.results) cases.push_back(&record);
  }
  return words.among(cases, reports.front().report.results.size());
}

/// A slowdown that fails is a change, also where the usual tolerance is wider.
double tolerance_of(const CompareArguments& arguments, double usual) {
  if (arguments.tolerance) return *arguments.tolerance;
  return std::min(usual, arguments.fail_on_regression.value_or(usual));
}

/// What a gate cannot tell, and what would; empty if it can.
std::string doubts(const report::Gate& gate, double share) {
  const std::string percent = trimmed(share * 100, 3);
  std::vector<std::string> parts;
  if (gate.undecided > 0) {
    parts.push_back(fmt::format("{} may be slower by more than {} %, or not: measure with a narrower --ci-width",
                                report::counted(gate.undecided, "case"), percent));
  }
  if (gate.reshaped > 0) {
    parts.push_back(
        fmt::format("{} slower by more than {} % in another launch shape, which auto chose: hold it with "
                    "--elements-per-thread and --block-threads",
                    report::counted(gate.reshaped, "case"), percent));
  }
  return report::join(parts, "; ");
}

/// Says why a comparison fails, a line for every NEW that does; returns the exit code.
int judge(const report::Comparison& comparison, double share, bool quiet, std::ostream& err) {
  int code = 0;
  for (std::size_t n = 0; n < comparison.news(); ++n) {
    const report::Gate gate = report::gate(comparison, n, share);
    const std::string name = report::one_line(comparison.reports[n + 1].name);
    const std::string doubt = doubts(gate, share);
    if (gate.failure) {
      err << fmt::format("gpumem: {}: {}{}", name, *gate.failure, doubt.empty() ? "" : "; " + doubt) << std::endl;
      code = 1;
    } else if (!doubt.empty() && !quiet) {
      err << fmt::format("gpumem: note: {}: {}", name, doubt) << std::endl;
    }
  }
  return code;
}

void note_what_cannot_be_compared(const report::Comparison& comparison, std::ostream& err) {
  for (std::size_t n = 0; n < comparison.news(); ++n) {
    if (report::tally(comparison, n).compared() > 0) continue;
    err << fmt::format("gpumem: note: '{}' and '{}' have no case in common that ran in both",
                       report::one_line(comparison.reports.front().name),
                       report::one_line(comparison.reports[n + 1].name))
        << std::endl;
  }
}

}  // namespace

int run_compare_command(const CompareArguments& arguments, const Environment& environment) {
  const ResultOutputs outputs({.outputs = arguments.outputs,
                               .format = arguments.format,
                               .quiet = arguments.quiet,
                               .no_color = arguments.no_color},
                              report::table_formats(), standard_output(environment));
  if (arguments.fleet) {
    return run_fleet_command(arguments, tolerance_of(arguments, report::fleet_tolerance), outputs, environment);
  }
  const std::vector<NamedReport> reports = read_reports(arguments.reports, environment);
  if (arguments.fail_on_regression) refuse_mixed_gate(reports);
  const CaseWords words(arguments.cases, environment.registry);
  report::Comparison comparison =
      report::compare(reports, tolerance_of(arguments, report::default_tolerance), selection_among(reports, words));
  if (comparison.cases.empty() && !words.empty()) words.refuse_none_of(reports.front().report.results.size());
  comparison.tool_version = build_information().version;
  outputs.write([&](report::Format format, const report::TableStyle& style) {
    std::ostringstream text;
    report::write_comparison(text, comparison, format, style, arguments.changed_only);
    return text.str();
  });
  if (arguments.fail_on_regression) {
    return judge(comparison, *arguments.fail_on_regression, arguments.quiet, environment.err);
  }
  if (!arguments.quiet) note_what_cannot_be_compared(comparison, environment.err);
  return 0;
}

}  // namespace gpumem::app
