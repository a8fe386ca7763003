#include "app/commands/probe.hpp"

#include <fmt/format.h>

#include <exception>
#include <optional>
#include <ostream>
#include <utility>

#include "app/output/report_outputs.hpp"
#include "app/run/plan.hpp"
#include "app/run/run.hpp"
#include "app/suite/suite.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Says how many cases are in `bad`, what became of them, and why the first did.
void complain(std::ostream& err, const report::Report& report, const std::vector<const report::Record*>& bad,
              const char* fate) {
  err << fmt::format("gpumem: {} of {} cases {}; the first, {}: {}\n", bad.size(), report.results.size(), fate,
                     short_name(*bad.front()), report::one_line(bad.front()->reason.value_or("no reason known")));
}

/// Says which cases went wrong, if any did: one line for what is worst, and one for what was left out.
int exit_code(const report::Report& report, std::ostream& err) {
  std::vector<const report::Record*> wrong;
  std::vector<const report::Record*> failed;
  std::vector<const report::Record*> skipped;
  for (const report::Record& record : report.results) {
    if (record.verified == false) wrong.push_back(&record);
    if (record.status == report::Status::failed) failed.push_back(&record);
    if (record.status == report::Status::skipped) skipped.push_back(&record);
  }
  if (!wrong.empty()) {
    complain(err, report, wrong, "moved wrong data");
  } else if (!failed.empty()) {
    complain(err, report, failed, "failed");
  }
  if (!skipped.empty()) complain(err, report, skipped, "skipped");
  if (!wrong.empty()) return 1;
  if (!failed.empty()) return 4;
  return skipped.empty() ? 0 : 3;
}

}  // namespace

int run_probe_command(const ProbeArguments& arguments, const std::vector<std::string>& command,
                      const Environment& environment) {
  std::optional<Suite> suite;
  if (arguments.config) suite = load_suite(*arguments.config, environment.registry);
  Plan plan = suite ? make_plan(environment.registry, *suite)
                    : make_plan(environment.registry, arguments.names, arguments.axes);
  Outputs outputs({.outputs = arguments.outputs,
                   .format = arguments.format,
                   .quiet = arguments.quiet,
                   .no_color = arguments.no_color},
                  arguments.why, standard_output(environment));
  if (arguments.dry_run) {
    report::Report report = dry_report(plan, arguments, command, environment.registry);
    if (suite) report.suite = suite->name;
    outputs.finish(report);
    return 0;
  }

  const RunOptions options = with_suite(arguments, suite ? suite->options : SuiteOptions{});
  Run run(std::move(plan), options, command, outputs, environment);
  if (suite) run.report().suite = suite->name;
  std::exception_ptr ended_early;
  try {
    run.all();
  } catch (...) {
    ended_early = std::current_exception();  // what was done until then is a report all the same
  }
  run.clear_progress();
  outputs.finish(run.report());
  if (ended_early) std::rethrow_exception(ended_early);
  return exit_code(run.report(), environment.err);
}

}  // namespace gpumem::app
