#include "app/probe_command.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <exception>
#include <ostream>
#include <span>

#include "app/build_information.hpp"
#include "app/choose.hpp"
#include "app/host.hpp"
#include "app/open_backend.hpp"
#include "app/outputs.hpp"
#include "app/plan.hpp"
#include "app/progress.hpp"
#include "app/record_of.hpp"
#include "probes/error.hpp"
#include "report/text.hpp"

namespace gpumem::app {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// A report with everything but the backend and its results.
report::Report empty_report(const std::vector<std::string>& command, const std::vector<Probe>& registry) {
  report::Report report;
  report.tool = build_information();
  report.command = command;
  report.started_at = utc_now();
  report.host = describe_host();
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) add_once(report.parameter_columns, axis.parameter);
    for (const Metric& metric : probe.metrics) add_once(report.metric_columns, metric.name);
  }
  return report;
}

/// Takes a plan through a backend, case by case.
class Run {
 public:
  Run(Backend& backend, Outputs& outputs, Progress& progress, const Environment& environment, bool quiet)
      : backend_(backend), outputs_(outputs), progress_(progress), environment_(environment), quiet_(quiet) {}

  void all(Plan& plan, report::Report& report) {
    const std::size_t total = plan.size();
    for (PlannedSweep& planned : plan.sweeps) {
      const std::size_t first = report.results.size();
      const Choice choice = choose(planned, backend_, [&](const Case& trial) { before("choosing", trial); });
      for (const Case& one : planned.cases) {
        before(fmt::format("{}/{}", report.results.size() + 1, total), one);
        report.results.push_back(choice.failure ? failed_record(one, *choice.failure) : backend_.run(one));
        report.results.back().chosen = choice.chosen;
        report.device = backend_.device();
        report.host_placement = backend_.host_placement();
        outputs_.update_files(report);
      }
      count(planned, report, first);
    }
  }

 private:
  /// The third reading of a table's cases, whose records begin at `first`.
  void count(const PlannedSweep& planned, report::Report& report, std::size_t first) {
    if (environment_.interrupted()) throw Interrupted{};
    progress_.show("counting " + planned.probe->name);
    const auto problem = backend_.count(planned.cases, std::span(report.results).subspan(first));
    outputs_.update_files(report);
    if (!problem || quiet_) return;
    progress_.clear();
    environment_.err << "gpumem: note: not counting: " << report::one_line(*problem) << std::endl;
  }

  void before(const std::string& what, const Case& one) {
    if (environment_.interrupted()) throw Interrupted{};
    progress_.show(what + " " + to_string(one));
  }

  Backend& backend_;
  Outputs& outputs_;
  Progress& progress_;
  const Environment& environment_;
  bool quiet_;
};

/// Says how many cases are in `bad`, what became of them, and why the first did.
void complain(std::ostream& err, const report::Report& report, const std::vector<const report::Record*>& bad,
              const char* fate) {
  const report::Record& first = *bad.front();
  std::string place = first.probe;
  for (const Parameter& parameter : first.parameters) {
    if (parameter.name != first.swept && parameter.name != first.compared) continue;
    place += " " + parameter.name + "=" + to_string(parameter.value);
  }
  err << fmt::format("gpumem: {} of {} cases {}; the first, {}: {}\n", bad.size(), report.results.size(), fate, place,
                     report::one_line(first.reason.value_or("no reason known")));
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

int run_dry(const Plan& plan, const ProbeArguments& arguments, report::Report report, Outputs& outputs) {
  report.backend = arguments.backend == BackendChoice::model ? "model" : "cuda";
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& one : sweep.cases) {
      report.results.push_back(skipped_record(one, "dry run"));
    }
  }
  outputs.finish(report);
  return 0;
}

}  // namespace

int run_probe_command(const ProbeArguments& arguments, const std::vector<std::string>& command,
                      const Environment& environment) {
  Plan plan = make_plan(environment.registry, arguments.names, arguments.axes);
  Outputs outputs(arguments, environment);
  report::Report report = empty_report(command, environment.registry);
  if (arguments.dry_run) return run_dry(plan, arguments, std::move(report), outputs);

  const auto backend = open_backend(arguments, command, environment);
  report.backend = backend->name();
  report.profile = backend->profile();
  report.device = backend->device();
  Progress progress(environment.err, environment.err_terminal, !arguments.quiet);
  std::exception_ptr ended_early;
  try {
    Run(*backend, outputs, progress, environment, arguments.quiet).all(plan, report);
  } catch (...) {
    ended_early = std::current_exception();  // what was done until then is a report all the same
  }
  progress.clear();
  outputs.finish(report);
  if (ended_early) std::rethrow_exception(ended_early);
  return exit_code(report, environment.err);
}

}  // namespace gpumem::app
