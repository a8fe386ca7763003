#include "app/run/run.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "app/command_line/build_information.hpp"
#include "app/run/case_records.hpp"
#include "app/run/device_list.hpp"
#include "engine/base/error.hpp"
#include "report/explain/explain.hpp"
#include "report/record/fill.hpp"
#include "report/record/quantities.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

/// Reports up to this size are written after every case however long it takes.
constexpr std::size_t always_written_results = 100;

/// Cases of so many tables are counted at once: on four GPUs a session of the profiler takes 0.33 s whatever it counts,
/// for the driver lets one process begin it at a time (0.09 s on one GPU).
constexpr std::size_t counted_at_once = measure::Counters::most_at_once;

report::Report empty_report(const Plan& plan, const Environment& environment) {
  report::Report report = started_report(environment);
  report.suite = plan.suite;
  return report;
}

// ---- The backend that --backend, --gpu and --device ask for

const char* default_profile(bool of_node) { return of_node ? "h200x8" : "h200"; }

void notice(const RunOptions& options, const Environment& environment, const std::string& text) {
  if (!options.quiet) say(environment.err, "note: " + text);
}

/// True if --device may mean more than one GPU.
bool may_take_several(const RunOptions& options) { return options.device && may_be_several(*options.device); }

/// The indices of the profile's GPUs that --device means, if they are several.
std::vector<std::uint64_t> several_of(const model::Profile& profile, const RunOptions& options) {
  std::vector<std::uint64_t> gpus;
  if (!may_take_several(options) || profile.gpus.empty()) return gpus;
  for (const Device& gpu : devices_of(*options.device, profile.gpus)) gpus.emplace_back(*gpu.index);
  return gpus.size() > 1 ? gpus : std::vector<std::uint64_t>();
}

/// The profile of this name. An error says where the name comes from.
model::Profile profile_named(const std::string& gpu, const std::optional<Setting>& setting,
                             const Environment& environment) {
  try {
    return model::find_profile(gpu, environment.own_profiles);
  } catch (const Error& error) {
    if (!setting) throw;
    throw Error(error.kind(), fmt::format("{}; {} says '{}'", error.what(), setting->source, setting->text));
  }
}

/// Opens the model. `why` begins the notice about the choice of the GPU.
std::unique_ptr<Backend> open_model(Plan& plan, const RunOptions& options, const Environment& environment,
                                    const std::string& why = "") {
  if (options.counting == measure::Counting::required) {
    throw missing_capability_error(
        "--counters=require: a prediction has no counters; measure on a GPU, or leave it out");
  }
  if (!may_take_several(options)) plan = on_one_gpu(std::move(plan));
  const std::optional<Setting> setting = options.gpu ? std::nullopt : environment.settings().gpu;
  const std::string gpu = options.gpu ? *options.gpu : setting ? setting->text : default_profile(is_between_gpus(plan));
  const model::Profile profile = profile_named(gpu, setting, environment);
  const std::vector<std::uint64_t> several = several_of(profile, options);
  if (several.empty()) plan = on_one_gpu(std::move(plan));
  auto backend = environment.predict(profile, several);
  if (!options.gpu || !why.empty()) {
    const std::string hint = options.gpu ? ""
                             : setting   ? ", as " + setting->source + " says"
                                         : "; choose another GPU with --gpu";
    notice(options, environment, why + "predicting for " + gpu + hint);
  }
  if (options.counting == measure::Counting::if_possible)
    notice(options, environment, "not counting: nothing is measured");
  return backend;
}

/// Prints the remarks on the profiles that predict beside measurements, each once.
void tell_of_profiles(const Backend& backend, const RunOptions& options, const Environment& environment) {
  std::vector<std::string> told;
  for (const Device& device : backend.devices()) {
    static_cast<void>(model::profile_for(device, {.named = options.gpu, .own = environment.own_profiles},
                                         [&](const std::string& line) {
                                           if (std::ranges::find(told, line) != told.end()) return;
                                           told.push_back(line);
                                           notice(options, environment, line);
                                         }));
  }
}

/// Throws if standard input is to be read: every GPU has a copy of this process, with a standard input of its own.
void refuse_standard_input(const Plan& plan, const RunOptions& options) {
  const std::vector<std::string> files = files_of(plan);
  if (options.gpu != "-" && std::ranges::find(files, "-") == files.end()) return;
  throw usage_error(
      "standard input ('-') is read by a single process, and several GPUs have one each; save it in a file");
}

/// Takes the cases between GPUs out of the plan of a suite if it opens one GPU.
std::unique_ptr<Backend> open_cuda(Plan& plan, const RunOptions& options, const Environment& environment) {
  if (options.gpu) static_cast<void>(model::find_profile(*options.gpu, environment.own_profiles));
  const MeasureOptions defaults;
  MeasureOptions measure{.stopping = stopping_rule(options.effort),
                         .device = options.device.value_or(defaults.device),
                         .numa = options.numa.value_or(defaults.numa),
                         .counting = options.counting.value_or(defaults.counting),
                         .predicting = {.named = options.gpu, .own = environment.own_profiles},
                         .interrupted = environment.interrupted,
                         .host_in_turns = options.host_in_turns};
  if (may_be_several(measure.device)) {
    const std::vector<Device> gpus = devices_of(measure.device, environment.gpus());
    if (gpus.size() > 1) {
      refuse_standard_input(plan, options);
      measure.links = is_between_gpus(plan);
      return environment.measure_side_by_side(measure, gpus);
    }
    measure.device = std::to_string(*gpus.front().index);
  }
  plan = on_one_gpu(std::move(plan));
  measure.links = is_between_gpus(plan);
  return environment.measure(measure);
}

/// True if the machine has no GPU at all, rather than not the one asked for.
bool without_gpu(const RunOptions& options, const Environment& environment) {
  if (!options.device) return true;
  try {
    return environment.gpus().empty();
  } catch (const Error&) {
    return true;
  }
}

/// Opens a GPU or a profile; `auto` takes the model only if the machine has no usable GPU at all. Unless --quiet,
/// choices that the user did not make are told on environment.err. Takes the cases between GPUs out of the plan of a
/// suite if it opens one GPU.
std::unique_ptr<Backend> open_backend(Plan& plan, const RunOptions& options, const Environment& environment) {
  if (options.backend == BackendChoice::model) return open_model(plan, options, environment);
  try {
    auto backend = open_cuda(plan, options, environment);
    tell_of_profiles(*backend, options, environment);
    return backend;
  } catch (const Error& error) {
    if (error.kind() != ErrorKind::no_gpu || !without_gpu(options, environment)) throw;
    if (options.backend == BackendChoice::cuda) {
      throw no_gpu_error(std::string(error.what()) +
                         "; to predict instead run: " + predicting_command(environment.command, is_between_gpus(plan)));
    }
    return open_model(plan, options, environment, std::string(error.what()) + "; not measuring but ");
  }
}

}  // namespace

report::Report started_report(const Environment& environment) {
  report::Report report;
  report.tool = build_information();
  report.command = environment.command;
  report.started_at = utc_now();
  report.host = describe_host();
  report::order_columns(report, environment.registry);
  return report;
}

void describe_backend(report::Report& report, const Backend& backend) {
  report.backend = backend.name();
  report.profile = backend.profile();
  report.profile_source = backend.profile_source();
  report.device = backend.device();
  report.devices = backend.devices();
  report.host_placement = backend.host_placement();
  report.watched = backend.watched_flags();
}

report::Report dry_report(Plan plan, const RunOptions& options, const Environment& environment) {
  const bool several = may_take_several(options);
  if (!several) plan = on_one_gpu(std::move(plan));
  report::Report report = empty_report(plan, environment);
  report.backend = options.backend == BackendChoice::model ? "model" : "cuda";
  report.results = planned_records(plan);
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const auto& [tested, reason] : sweep.unusable) {
      notice(options, environment, "would skip " + to_string(tested.parameters.front().value) + ": " + reason);
    }
  }
  if (several) {
    notice(options, environment,
           fmt::format("each case would run on every GPU of --device {}{}", *options.device,
                       is_between_gpus(plan) ? ", and copies between GPUs on every pair of them" : ""));
  }
  return report;
}

Run::Run(Plan plan, const RunOptions& options, const ResultOutputs& outputs, const Environment& environment)
    : options_(options),
      outputs_(outputs),
      environment_(environment),
      backend_(open_backend(plan, options, environment)),
      progress_(environment.err, environment.err_terminal, !options.quiet),
      report_(empty_report(plan, environment)) {
  plan = fitted(std::move(plan), backend_->device());
  const std::vector<std::uint64_t> gpus = backend_->side_by_side();
  if (!gpus.empty()) plan = on_each_gpu(std::move(plan), gpus);
  if (!gpus.empty() && plan.sweeps.empty()) {
    throw usage_error(fmt::format("--device {}: every case uses other GPUs too; leave it out, or name those as well",
                                  options.device.value_or("")));
  }
  for (PlannedSweep& sweep : plan.sweeps) {
    total_ += sweep.cases.size() + sweep.unusable.size();
    sweeps_.push_back({.plan = std::move(sweep)});
  }
  learn();
}

/// Sizes every sweep once, so that errors in the user's data come up before anything runs.
void Run::refuse_wrong_data() const {
  for (const Sweep& sweep : sweeps_) {
    if (!sweep.plan.probe->size) continue;
    std::vector<Case> cases = sweep.plan.cases;
    try {
      sweep.plan.probe->size(cases, backend_->device());
    } catch (const Error& error) {
      if (!concerns_case_alone(error)) throw;
    }
  }
}

void Run::all() {
  refuse_wrong_data();
  std::vector<std::size_t> uncounted;  // indices
  for (Sweep& sweep : sweeps_) {
    sweep.first = report_.results.size();
    decide(sweep);
    backend_->expect(sweep.plan.cases);
    for (const Case& tested : sweep.plan.cases) {
      // Cases that ran at once are written at once.
      if (!backend_->has_run(tested) && report_.results.size() > sweep.first) update_files();
      before(fmt::format("{}/{}", report_.results.size() + 1, total_), tested);
      uncounted.push_back(report_.results.size());
      report_.results.push_back(record_of(sweep, tested));
      learn();
    }
    for (const auto& [tested, reason] : sweep.plan.unusable) {
      report_.results.push_back(failed_record(tested, missing_capability_error(reason)));
    }
    const std::size_t gpus = std::max<std::size_t>(1, backend_->side_by_side().size());
    // Before cases between GPUs, for which the processes that count end.
    const bool last = &sweep == &sweeps_.back() || is_between_gpus((&sweep + 1)->plan) != is_between_gpus(sweep.plan);
    if (uncounted.size() >= counted_at_once * gpus || last) {
      count(std::exchange(uncounted, {}));
    }
    update_files();
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
    for (const std::size_t index : own) repeated.push_back(sweep.plan.cases[index - sweep.first]);
    backend_->expect(repeated);
    std::vector<report::Record> records;
    for (const Case& tested : repeated) {
      before("again", tested);
      records.push_back(record_of(sweep, tested));
      learn();
    }
    for (std::size_t i = 0; i < own.size(); ++i) report_.results[own[i]] = std::move(records[i]);
    count(own);
    update_files();
  }
  progress_.clear();
}

/// Puts values in place of the sweep's "auto".
void Run::decide(Sweep& sweep) {
  backend_->use_stopping_rule(stopping_rule(options_.effort, sweep.plan.effort));
  std::vector<std::string> chosen = std::move(sweep.choice.chosen);  // by an attempt that failed over the rest
  sweep.choice = choose_shape(sweep.plan, *backend_, [&](const Case& trial) { before("choosing", trial); });
  for (const std::string& name : sweep.choice.chosen) {
    if (std::ranges::find(chosen, name) == chosen.end()) chosen.push_back(name);
  }
  sweep.choice.chosen = std::move(chosen);
}

report::Record Run::record_of(const Sweep& sweep, const Case& tested) {
  const ShapeChoice& choice = sweep.choice;
  report::Record record = choice.failure ? failed_record(tested, *choice.failure) : backend_->run(tested);
  record.chosen = choice.chosen;
  return record;
}

/// Takes the third reading of results, given by their indices (ascending).
void Run::count(std::span<const std::size_t> results) {
  if (environment_.interrupted()) throw Interrupted{};
  if (options_.counting.value_or(measure::Counting::off) == measure::Counting::off) return;
  progress_.show("counting " + report::counted(results.size(), "case"));
  std::vector<Case> cases;
  std::vector<report::Record> records;
  auto sweep = sweeps_.begin();
  for (const std::size_t index : results) {
    while (index >= sweep->first + sweep->plan.cases.size()) ++sweep;
    cases.push_back(sweep->plan.cases[index - sweep->first]);
    records.push_back(report_.results[index]);
  }
  const auto problem = backend_->count(cases, records);
  for (std::size_t i = 0; i < results.size(); ++i) report_.results[results[i]] = std::move(records[i]);
  learn();
  if (!problem) return;
  progress_.clear();
  notice(options_, environment_, "not counting: " + *problem);
}

/// Updates the report's description of the backend, which knows more after every case.
void Run::learn() { describe_backend(report_, *backend_); }

/// Brings the files up to date after every case. Once a report is long, writing takes at most a fifth of the time. A
/// failed write is tried again later: a full disk ends no run.
void Run::update_files() {
  if (!outputs_.has_files()) return;
  const auto start = std::chrono::steady_clock::now();
  if (report_.results.size() > always_written_results && start - written_at_ < 4 * writing_took_) return;
  const report::Report whole = report::completed(report_);
  try {
    outputs_.update(ResultOutputs::of(whole));
  } catch (const OutputError& error) {
    if (!std::exchange(told_of_unwritable_, true)) {
      progress_.clear();
      notice(options_, environment_, std::string(error.what()) + "; going on, and trying again in the end");
    }
  }
  written_at_ = std::chrono::steady_clock::now();
  writing_took_ = written_at_ - start;
}

void Run::before(const std::string& what, const Case& tested) {
  if (environment_.interrupted()) throw Interrupted{};
  progress_.show(what + " " + to_string(tested));
}

bool Run::has_unusable() const {
  return std::ranges::any_of(sweeps_, [](const Sweep& sweep) { return !sweep.plan.unusable.empty(); });
}

std::string predicting_command(const std::vector<std::string>& command, bool of_node) {
  std::string line;
  bool chosen = false;
  for (std::size_t i = 0; i < command.size(); ++i) {
    const std::string& argument = command[i];
    chosen = chosen || argument == "--gpu" || argument.starts_with("--gpu=");
    if (argument == "--backend" || argument == "--device") {
      ++i;  // and its value
    } else if (!argument.starts_with("--backend=") && !argument.starts_with("--device=") &&
               !argument.starts_with("--counters")) {
      line.append(report::shell_quoted(argument)).append(" ");
    }
  }
  line += "--backend model";
  return chosen ? line : line + " --gpu " + default_profile(of_node);
}

}  // namespace gpumem::app
