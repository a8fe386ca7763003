#include "app/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/command_line/build_information.hpp"
#include "app/run/record_of.hpp"
#include "probes/error.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

void add_once(std::vector<std::string>& names, const std::string& name) {
  if (std::ranges::find(names, name) == names.end()) names.push_back(name);
}

/// With everything but the backend and its results.
report::Report empty_report(const Environment& environment) {
  report::Report report;
  report.tool = build_information();
  report.command = environment.command;
  report.started_at = utc_now();
  report.host = describe_host();
  report::order_columns(report, environment.registry);
  return report;
}

// ---- The backend that --backend, --gpu and --device ask for

constexpr const char* default_gpu = "h200";

void notice(const RunOptions& options, const Environment& environment, const std::string& text) {
  if (!options.quiet) environment.err << "gpumem: note: " << report::one_line(text) << std::endl;
}

/// `why` is what comes before the choice of the GPU, if there is more to say.
std::unique_ptr<Backend> open_model(const RunOptions& options, const Environment& environment,
                                    const std::string& why = "") {
  if (options.counting == measure::Counting::required) {
    throw missing_capability_error(
        "--counters=require: a prediction has no counters; measure on a GPU, or leave it out");
  }
  const std::string gpu = options.gpu.value_or(default_gpu);
  auto backend = environment.predict(gpu);
  if (!options.gpu) {
    notice(options, environment, why + "predicting for " + gpu + "; choose another GPU with --gpu");
  } else if (!why.empty()) {
    notice(options, environment, why + "predicting for " + gpu);
  }
  if (options.counting == measure::Counting::if_possible)
    notice(options, environment, "not counting: nothing is measured");
  return backend;
}

std::unique_ptr<Backend> open_cuda(const RunOptions& options, const Environment& environment) {
  MeasureOptions measuring;
  measuring.stopping = stopping_rule(options.effort);
  if (options.device) measuring.device = *options.device;
  measuring.numa = options.numa.value_or(measuring.numa);
  measuring.counting = options.counting.value_or(measuring.counting);
  measuring.interrupted = environment.interrupted;
  return environment.measure(measuring);
}

/// Whether the machine has no GPU to measure on, rather than not the one asked for.
bool without_gpu(const RunOptions& options, const Environment& environment) {
  if (!options.device) return true;
  try {
    return environment.gpus().empty();
  } catch (const Error&) {
    return true;
  }
}

/// Opens a GPU or a profile; `auto` takes the model only when the machine has no usable GPU at all. Says on
/// environment.err, unless --quiet, what was not asked for in so many words.
std::unique_ptr<Backend> open_backend(const RunOptions& options, const Environment& environment) {
  if (options.backend == BackendChoice::model) return open_model(options, environment);
  try {
    return open_cuda(options, environment);
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu || !without_gpu(options, environment)) throw;
    if (options.backend == BackendChoice::cuda) {
      throw no_gpu_error(std::string(error.what()) +
                         "; to predict instead run: " + predicting_command(environment.command));
    }
    return open_model(options, environment, std::string(error.what()) + "; not measuring but ");
  }
}

}  // namespace

report::Report dry_report(const Plan& plan, const RunOptions& options, const Environment& environment) {
  report::Report report = empty_report(environment);
  report.backend = options.backend == BackendChoice::model ? "model" : "cuda";
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& one : sweep.cases) report.results.push_back(skipped_record(one, "dry run"));
  }
  return report;
}

std::string short_name(const report::Record& record) {
  std::string name = record.probe;
  for (const Parameter& parameter : record.parameters) {
    if (parameter.name != record.swept && parameter.name != record.compared) continue;
    name += " " + parameter.name + "=" + to_string(parameter.value);
  }
  return name;
}

Run::Run(Plan plan, const RunOptions& options, Outputs& outputs, const Environment& environment)
    : options_(options),
      outputs_(outputs),
      environment_(environment),
      backend_(open_backend(options, environment)),
      progress_(environment.err, environment.err_terminal, !options.quiet),
      total_(plan.size()),
      report_(empty_report(environment)) {
  for (PlannedSweep& sweep : plan.sweeps) sweeps_.push_back({.plan = std::move(sweep)});
  report_.backend = backend_->name();
  report_.profile = backend_->profile();
  learn();
}

void Run::all() {
  for (Sweep& sweep : sweeps_) {
    sweep.first = report_.results.size();
    decide(sweep);
    for (const Case& one : sweep.plan.cases) {
      before(fmt::format("{}/{}", report_.results.size() + 1, total_), one);
      report_.results.push_back(record_of(sweep, one));
      learn();
      outputs_.update_files(report_);
    }
    count(sweep.plan, sweep.plan.cases, std::span(report_.results).subspan(sweep.first));
  }
  progress_.clear();
}

void Run::again(std::span<const std::size_t> cases) {
  for (Sweep& sweep : sweeps_) {
    std::vector<std::size_t> own;
    for (const std::size_t index : cases) {
      if (index >= sweep.first && index < sweep.first + sweep.plan.cases.size()) own.push_back(index);
    }
    if (own.empty()) continue;
    backend_->use_stopping_rule(stopping_rule(options_.effort, sweep.plan.effort));
    if (sweep.choice.failure) decide(sweep);
    std::vector<Case> repeated;
    std::vector<report::Record> records;
    for (const std::size_t index : own) {
      repeated.push_back(sweep.plan.cases[index - sweep.first]);
      before("again", repeated.back());
      records.push_back(record_of(sweep, repeated.back()));
      learn();
    }
    count(sweep.plan, repeated, records);
    for (std::size_t i = 0; i < own.size(); ++i) report_.results[own[i]] = std::move(records[i]);
    outputs_.update_files(report_);
  }
  progress_.clear();
}

/// Puts values in place of the sweep's "auto".
void Run::decide(Sweep& sweep) {
  backend_->use_stopping_rule(stopping_rule(options_.effort, sweep.plan.effort));
  std::vector<std::string> chosen = std::move(sweep.choice.chosen);  // by an attempt that failed over the rest
  sweep.choice = choose_shape(sweep.plan, *backend_, [&](const Case& trial) { before("choosing", trial); });
  for (const std::string& name : sweep.choice.chosen) add_once(chosen, name);
  sweep.choice.chosen = std::move(chosen);
}

report::Record Run::record_of(const Sweep& sweep, const Case& one) {
  const ShapeChoice& choice = sweep.choice;
  report::Record record = choice.failure ? failed_record(one, *choice.failure) : backend_->run(one);
  record.chosen = choice.chosen;
  return record;
}

/// The third reading of cases of one table.
void Run::count(const PlannedSweep& plan, std::span<const Case> cases, std::span<report::Record> records) {
  if (environment_.interrupted()) throw Interrupted{};
  progress_.show("counting " + plan.probe->name);
  const auto problem = backend_->count(cases, records);
  learn();
  outputs_.update_files(report_);
  if (!problem || options_.quiet) return;
  progress_.clear();
  environment_.err << "gpumem: note: not counting: " << report::one_line(*problem) << std::endl;
}

/// What the backend knows more of after every case.
void Run::learn() {
  report_.device = backend_->device();
  report_.devices = {*report_.device};
  report_.host_placement = backend_->host_placement();
  report_.watched = backend_->watched_flags();
}

void Run::before(const std::string& what, const Case& one) {
  if (environment_.interrupted()) throw Interrupted{};
  progress_.show(what + " " + to_string(one));
}

std::string predicting_command(const std::vector<std::string>& command) {
  std::string line = command.empty() ? "gpumem" : report::shell_quoted(command.front());
  for (std::size_t i = 1; i < command.size(); ++i) {
    const std::string& argument = command[i];
    if (argument == "--backend" || argument == "--device") {
      ++i;  // and its value
    } else if (!argument.starts_with("--backend=") && !argument.starts_with("--device=") &&
               !argument.starts_with("--counters")) {
      line.append(" ").append(report::shell_quoted(argument));
    }
  }
  return line + " --backend model --gpu " + default_gpu;
}

}  // namespace gpumem::app
