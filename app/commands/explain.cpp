#include "report/explain/explain.hpp"

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/commands.hpp"
#include "engine/base/error.hpp"
#include "engine/base/unpack.hpp"
#include "report/read/read_report.hpp"
#include "report/record/joined.hpp"
#include "report/record/kernels.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

/// Joins the reports of a program that was run twice: watched access by access, and counted.
report::Report put_together(const report::Report& first, const report::Report& second) {
  for (const auto& [sites, counters] : {std::pair(&first, &second), std::pair(&second, &first)}) {
    if (is_watched_by(*sites, report::sites_engine) && is_watched_by(*counters, report::counters_engine)) {
      report::Report both = report::joined(*sites, *counters);
      report::add_explanations(both.results);
      return both;
    }
  }
  throw usage_error(
      "explain takes two reports only if one is of 'gpumem run' and the other of 'gpumem run --counters', of the same "
      "program; two reports of one kind are compared by: gpumem compare");
}

/// Explains the chosen cases of a report; all of them if none are named. Throws a usage error for a file that cannot be
/// read or holds no report, and for cases that it does not have.
int run_explain_command(const ExplainArguments& arguments, const Environment& environment) {
  report::Report report = report::read_report_file(*arguments.report, environment.in);
  std::vector<std::string> chosen = arguments.cases;
  std::vector<std::string> read = {*arguments.report};
  if (!chosen.empty() && is_json_name(chosen.front())) {
    read.push_back(chosen.front());
    report = put_together(report, report::read_report_file(chosen.front(), environment.in));
    chosen.erase(chosen.begin());
  }
  const std::vector<std::size_t> cases = choose_cases(report.results, {chosen, environment.registry});
  const ResultOutputs outputs(reading(arguments, read), report::explained_formats(), environment.out,
                              environment.out_terminal);
  const report::NamedReport drawn{*arguments.report, report::chosen(report, cases)};
  const auto write = [&](std::ostream& out, report::Format format, const report::TableStyle& style) {
    switch (format) {
      case report::Format::json:
        return report::write_explained_json(out, report, cases);
      case report::Format::markdown:
        return report::write_explained_markdown(out, report, cases);
      default:
        return report::write_explained(out, report, cases, std::clamp(style.width, 80U, 120U));
    }
  };
  outputs.finish(write, std::span(&drawn, 1));
  return 0;
}

}  // namespace

MakeRequest explain_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<ExplainArguments>();
  options.add_argument("REPORT", arguments->report,
                       "A JSON report that 'gpumem probe' or 'gpumem run' wrote, or - for standard input. A program's "
                       "reports with and without --counters can be given together");
  options.add_argument("[CASE...]", arguments->cases,
                       "Only these cases: by position (3, 0..5) or by parameter (offset=1 op=write); without any, all");
  options.add_format(report::explained_formats(), arguments->format,
                     "Format on stdout: text for people (default), markdown for an issue, json for "
                     "programs, e.g. --format markdown");
  options.add_value(
      "-o,--output", "FILE", arguments->outputs,
      "Write to a file instead of stdout, in the format of its extension (.txt, .md, .json; a page .html; a "
      "figure .svg, .png, .pdf); repeatable, - is stdout, e.g. --output why.md");
  options.footer(
      "Examples:\n"
      "  gpumem probe --offset 0..32 --op write --output run.json\n"
      "  gpumem explain run.json offset=1     why this case is as fast as it is\n"
      "  gpumem explain run.json 0..3 --output why.md\n"
      "  gpumem explain sites.json counted.json   of gpumem run and its --counters");
  return [arguments] {
    if (!arguments->report) {
      throw usage_error("explain needs a report; write one with: gpumem probe ... --output run.json");
    }
    refuse_directories({*arguments->report}, "gpumem explain");
    arguments->quiet = true;  // files are instead of stdout
    return Request(*arguments, run_explain_command);
  };
}

}  // namespace gpumem::app
