#include "report/compare/compare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <memory>

#include "app/command_line/build_information.hpp"
#include "app/command_line/command_options.hpp"
#include "app/command_line/values.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/commands.hpp"
#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "report/fleet/fleet.hpp"
#include "report/read/read_report.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"
#include "report/write/comparisons/comparison.hpp"

namespace gpumem::app {

namespace {

using report::NamedReport;

bool is_same_file(const std::string& left, const std::string& right) {
  if (left == right) return true;
  std::error_code error;
  return left != "-" && right != "-" && std::filesystem::equivalent(left, right, error) && !error;
}

/// Standard input can be read only once. A file that is given twice is a mistake: it is the same as itself.
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

std::vector<NamedReport> read_different_reports(const std::vector<std::string>& paths, const Environment& environment) {
  refuse_repeated(paths);
  std::vector<NamedReport> reports;
  for (const std::string& path : paths) reports.push_back({path, report::read_report_file(path, environment.in)});
  return reports;
}

/// Throws if some of the reports are of the kind and some are not, with the names of one of each in the reason.
void refuse_mixed(const std::vector<NamedReport>& reports, bool (*is_of_kind)(const report::Report&),
                  fmt::format_string<const std::string&, const std::string&> reason) {
  const auto first = is_of_kind(reports.front().report);
  for (const NamedReport& named : reports) {
    if (is_of_kind(named.report) == first) continue;
    throw usage_error(first ? fmt::format(reason, reports.front().name, named.name)
                            : fmt::format(reason, named.name, reports.front().name));
  }
}

/// The usual tolerance, but no more than the slowdown that fails: such a slowdown has to be a change.
double tolerance_of(const CompareArguments& arguments, double usual) {
  if (arguments.tolerance) return *arguments.tolerance;
  return std::min(usual, arguments.fail_on_regression.value_or(usual));
}

/// Says what the gate cannot decide, and what would decide it; empty if it can decide everything.
std::string doubts(const report::Gate& gate, double share, const report::Report& report) {
  const std::string percent = trimmed(share * 100, 3);
  std::vector<std::string> parts;
  if (gate.undecided > 0) {
    parts.push_back(fmt::format(
        "{} may be slower by more than {} %; to decide it, {}",
        report::counted(gate.undecided, report::case_noun(report)), percent,
        report.program ? "run the program with more launches of them" : "measure with a narrower --ci-width"));
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
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    const report::Gate gate = report::gate(comparison, n, share);
    const std::string& name = comparison.reports[n + 1].name;
    const std::string doubt = doubts(gate, share, comparison.reports[n + 1].report);
    if (gate.failure) {
      say(err, fmt::format("{}: {}{}", name, *gate.failure, doubt.empty() ? "" : "; " + doubt));
      code = 1;
    } else if (!doubt.empty() && !quiet) {
      say(err, fmt::format("note: {}: {}", name, doubt));
    }
  }
  return code;
}

void note_what_cannot_be_compared(const report::Comparison& comparison, std::ostream& err) {
  for (std::size_t n = 0; n < comparison.new_reports(); ++n) {
    if (report::tally(comparison, n).compared() > 0) continue;
    say(err, fmt::format("note: '{}' and '{}' have no {} in common that ran in both", comparison.reports.front().name,
                         comparison.reports[n + 1].name, report::case_noun(comparison.reports.front().report)));
  }
}

/// Compares reports, or machines if `fleet` is set. Returns 1 if the comparison fails by --fail-on-regression or
/// --counts, with the reason on stderr, else 0. Throws a usage error for a file that cannot be read or holds no report.
int run_compare_command(const CompareArguments& arguments, const Environment& environment) {
  if (arguments.fleet) {
    return run_fleet_command(arguments, tolerance_of(arguments, measure::outlier_tolerance), environment);
  }
  std::vector<std::string> paths = arguments.reports;
  paths.insert(paths.end(), arguments.repeats.begin(), arguments.repeats.end());
  const ResultOutputs outputs(reading(arguments, paths), report::table_formats(), environment.out,
                              environment.out_terminal);
  const std::vector<NamedReport> reports = read_different_reports(paths, environment);
  // A program's kernels and the cases of probes have nothing in common.
  refuse_mixed(
      reports, [](const report::Report& report) { return report.program.has_value(); },
      "'{}' is of a program, by 'gpumem run', and '{}' of probes; compare two reports of one kind");
  if (arguments.counts) return run_counts_command(arguments, reports, outputs, environment);
  if (arguments.fail_on_regression) {
    // An error of the model would pass or fail a machine that is not to blame.
    refuse_mixed(
        reports, [](const report::Report& report) { return report.is_prediction(); },
        "--fail-on-regression: '{}' was predicted and '{}' measured; compare what was made in one way, or leave the "
        "option out");
  }
  const CaseWords words(arguments.cases, environment.registry);
  report::Comparison comparison = report::compare(reports, tolerance_of(arguments, report::default_tolerance),
                                                  words.among(reports, reports.front().report.results.size()));
  if (comparison.cases.empty() && !words.empty()) words.refuse_none_of(reports.front().report.results.size());
  comparison.tool_version = build_information().version;
  outputs.finish(
      [&](std::ostream& out, report::Format format, const report::TableStyle& style) {
        report::write_comparison(out, comparison, format, style, arguments.changed_only);
      },
      reports, DrawnFrom::reports_and_result);
  if (arguments.fail_on_regression) {
    return judge(comparison, *arguments.fail_on_regression, arguments.quiet, environment.err);
  }
  if (!arguments.quiet) note_what_cannot_be_compared(comparison, environment.err);
  return 0;
}

// ---- Options

void refuse_too_few(const CompareArguments& arguments) {
  const std::size_t count = arguments.reports.size();
  if (arguments.fleet) {
    if (count == 0) throw usage_error("compare --fleet needs reports, or directories of them");
    return;
  }
  refuse_directories(arguments.reports, "gpumem compare");
  constexpr const char* usage =
      "gpumem compare OLD NEW [MORE...]; write reports with: gpumem probe ... --output old.json";
  if (count == 0) throw usage_error(fmt::format("compare needs two reports: {}", usage));
  if (count == 1) {
    throw usage_error(fmt::format("compare needs a second report beside '{}': {}", arguments.reports[0], usage));
  }
}

/// The shares as the user wrote them, because errors quote them.
struct Shares {
  std::optional<std::string> tolerance;
  std::optional<std::string> regression;
  std::optional<std::string> no_word;
};

void add_options(CommandOptions& options, CompareArguments& arguments, Shares& shares) {
  options.group("Comparison");
  options.add_value(
      "tolerance", "SHARE", shares.tolerance,
      "Smaller differences count as the same (default 1%, within which runs of one GPU repeat); raise it "
      "for machines that vary more, e.g. --tolerance 2%. With --counts: of kernels that were seen in part "
      "(default 20%)");
  options.add_value("fail-on-regression", "SHARE", shares.regression,
                    "Exit with 1 if a case is surely slower by more than this, or newly fails or moves wrong data: a "
                    "gate for CI, e.g. --fail-on-regression 3%");
  options.add_switch(
      "counts", arguments.counts,
      "Compare the counts of accesses, which have no noise, in place of times: exit with 1 if the sectors, "
      "lines, wavefronts or requests of any site grew, e.g. in CI on a busy machine");
  options.add_value("repeat", "REPORT", arguments.repeats,
                    "With --counts: another report of what OLD is of. Sites that differ between the two vary from run "
                    "to run, and are not compared; repeatable, e.g. --repeat before-again.json");
  options.add_switch("fleet", arguments.fleet,
                     "Compare one report per machine: find the machines that stand out among those with the same GPU");
  options.group("Results");
  options.add_switch("changed", arguments.changed_only,
                     "Leave the cases that are the same out of the table, e.g. for long sweeps");
  options.add_format(report::table_formats(), arguments.format,
                     "Format on stdout: a table for people (default), json or csv for programs, "
                     "markdown for a pull request, e.g. --format markdown");
  add_result_options(options, arguments,
                     "Also write it to a file, in the format of its extension (.json, .csv, .md, .txt; a page .html; a "
                     "figure .svg, .png, .pdf); repeatable, - is stdout. A missing folder is made, but not of a gate "
                     "(--fail-on-regression, --counts), e.g. --output changes.md",
                     "No notices; with --output, nothing on stdout either, e.g. in a script");
}

/// Options that have no meaning for counts.
void refuse_beside_counts(const CompareArguments& arguments) {
  if (!arguments.counts) {
    if (!arguments.repeats.empty()) throw usage_error("--repeat is for --counts: times have intervals in place of it");
    return;
  }
  if (arguments.fleet) {
    throw usage_error("--counts compares two reports, and --fleet machines, whose counts are the same; choose one");
  }
  if (arguments.fail_on_regression) {
    throw usage_error("--counts ends with 1 if any count grew, without --fail-on-regression; leave that out");
  }
  if (arguments.changed_only) throw usage_error("--counts shows only what changed; leave --changed out");
  if (arguments.reports.size() > 2) {
    throw usage_error(
        fmt::format("--counts compares two reports, OLD and NEW, and '{}' is a third; give further reports of what OLD "
                    "is of with --repeat",
                    arguments.reports[2]));
  }
}

CompareArguments checked(CompareArguments arguments, const Shares& shares) {
  if (shares.tolerance) arguments.tolerance = parse_fraction("tolerance", *shares.tolerance);
  if (shares.regression) arguments.fail_on_regression = parse_fraction("fail-on-regression", *shares.regression);
  if (shares.regression || arguments.counts) arguments.missing_folder = MissingFolder::refused;
  arguments.cases = take_case_words(arguments.reports);
  refuse_beside_counts(arguments);
  refuse_too_few(arguments);
  if (arguments.tolerance && arguments.fail_on_regression && *arguments.fail_on_regression < *arguments.tolerance) {
    throw usage_error(
        fmt::format("--fail-on-regression {} is less than --tolerance {}, within which cases are the "
                    "same; lower the tolerance",
                    *shares.regression, *shares.tolerance));
  }
  if (arguments.fleet && arguments.changed_only) {
    throw usage_error("--changed is about two reports; --fleet shows what stands out in any case");
  }
  return arguments;
}

}  // namespace

MakeRequest compare_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<CompareArguments>();
  const auto shares = std::make_shared<Shares>();
  options.add_argument("REPORT...", arguments->reports,
                       "JSON reports: OLD, and one or more NEW to compare with it; - is standard input. With --fleet: "
                       "one per machine, or directories of them");
  // REPORT takes all words, those of CASE too: CLI11 allows only one argument to do so. take_case_words() parts them.
  options.add_argument("[CASE...]", shares->no_word,
                       "Only these cases: by parameter (offset=1 op=write), or by position in OLD (3, 0..5), with "
                       "--fleet in each report; without any, all. A word that names an existing file is a report");
  add_options(options, *arguments, *shares);
  options.footer(
      "A change is a ratio of speeds: new bandwidth / old bandwidth, or old time / new time. For programs it compares "
      "the time of a launch, kernel by kernel.\n\n"
      "Examples:\n"
      "  gpumem compare before.json after.json --changed   what a driver update changed\n"
      "  gpumem compare before.json after.json offset=1 op=copy   of these cases alone\n"
      "  gpumem compare main.json - --fail-on-regression 3% < branch.json  a gate in CI\n"
      "  gpumem compare --counts main.json branch.json     a gate without noise\n"
      "  gpumem compare --fleet reports/                   which machines fall behind");
  return [arguments, shares] { return Request(checked(*arguments, *shares), run_compare_command); };
}

}  // namespace gpumem::app
