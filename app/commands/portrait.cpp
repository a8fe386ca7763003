// A portrait of a GPU's memory: the suite of that name measured, or saved reports, as one page.

#include "report/portrait/portrait.hpp"

#include <algorithm>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/command_line/command_options.hpp"
#include "app/commands/commands.hpp"
#include "app/run/device_list.hpp"
#include "app/run/run.hpp"
#include "app/suite/suite.hpp"
#include "engine/base/error.hpp"
#include "report/check/check.hpp"
#include "report/explain/explain.hpp"
#include "report/write/portraits/portrait.hpp"

namespace gpumem::app {

namespace {

struct PortraitArguments : RunOptions {
  std::vector<std::string> reports;  ///< files; one may be "-" for standard input; empty: measure
};

ResultOutputs::Write portraits(std::span<const report::NamedReport> reports) {
  return [reports](std::ostream& out, report::Format format, const report::TableStyle& style) {
    if (format == report::Format::html) return report::write_portrait_page(out, reports);
    if (format == report::Format::table) return report::write_portrait_table(out, reports, style);
    if (reports.size() > 1) throw usage_error("one JSON document holds one report; a portrait of several is a page");
    report::write_json(out, reports.front().report);
  };
}

int show_saved(const PortraitArguments& arguments, const ResultOutputs& outputs, const Environment& environment) {
  const std::vector<report::NamedReport> reports = read_reports(arguments.reports, environment);
  for (const report::NamedReport& named : reports) report::refuse_nothing_to_portray(named);
  outputs.finish(portraits(reports), reports);
  return 0;
}

int run_portrait_command(const PortraitArguments& arguments, const Environment& environment) {
  if (arguments.device && may_be_several(*arguments.device)) {
    throw usage_error("a portrait is of one GPU; give --device one, and show several portraits beside each other");
  }
  const ResultOutputs outputs(reading(reading(arguments, arguments.reports), profile_files(arguments.gpu)),
                              report::portrait_formats(), environment.out, environment.out_terminal);
  if (!arguments.reports.empty()) return show_saved(arguments, outputs, environment);
  const Suite suite = load_suite("portrait", environment.registry);
  if (arguments.dry_run) {
    outputs.finish(report::completed(dry_report(suite.plan, arguments, environment)));
    return 0;
  }
  bool any = false;
  const int code = run_cases(suite.plan, with_suite(arguments, suite.options), outputs, environment,
                             [&](const report::Report& report) {
                               report::NamedReport named{"portrait", report};
                               const report::CheckRules rules{.accept_predictions = report.is_prediction()};
                               named.report.checks = report::check(report, suite.expectations, rules);
                               any = std::ranges::any_of(report.results, &report::Record::ran);
                               outputs.finish(portraits(std::span(&named, 1)), std::span(&named, 1));
                             });
  constexpr int skipped = 3;
  return code == skipped && any ? 0 : code;  // what a GPU cannot do is part of its portrait
}

void refuse_beside_reports(const PortraitArguments& arguments) {
  if (arguments.reports.empty()) return;
  const char* option = arguments.gpu                              ? "--gpu"
                       : arguments.device                         ? "--device"
                       : arguments.dry_run                        ? "--dry-run"
                       : arguments.backend != BackendChoice::cuda ? "--backend"
                                                                  : nullptr;
  if (option != nullptr) {
    throw usage_error(
        std::string(option) +
        " says how to measure or predict, and saved reports are shown as they are; leave one of them out");
  }
}

}  // namespace

MakeRequest portrait_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<PortraitArguments>();
  options.add_argument("[REPORT...]", arguments->reports,
                       "Saved reports to portray instead of measuring, several side by side; - is standard input");
  add_backend_options(options, *arguments, "List the cases and run none, e.g. to see what a portrait takes");
  add_result_options(
      options, *arguments,
      "Write the page (.html), the report that it is made of (.json), the table (.txt) or a figure of all "
      "curves (.svg, .png, .pdf); repeatable, - "
      "is stdout, e.g. -o portrait.html -o portrait.json",
      "No progress and no notices; with --output, nothing on stdout either, e.g. in a cron job");
  options.add_format(
      report::portrait_formats(), arguments->format,
      "Format on stdout: a table of at most 40 lines (default), the page, or the report, e.g. --format html");
  options.footer(
      "Measures for about 10 s: the suite 'portrait'.\n\n"
      "Examples:\n"
      "  gpumem portrait -o portrait.html        this GPU's memory on one page\n"
      "  gpumem portrait a.json b.json -o ab.html  two GPUs beside each other\n"
      "  gpumem portrait --backend model --gpu h200 -o h200.html");
  return [arguments] {
    refuse_beside_reports(*arguments);
    refuse_directories(arguments->reports, "gpumem portrait");
    refuse_wrong_gpu(*arguments);
    return Request(*arguments, run_portrait_command);
  };
}

}  // namespace gpumem::app
