#include "program/results/program.hpp"

#include <algorithm>
#include <set>

#include "engine/statistics/statistics.hpp"
#include "program/price/pricing.hpp"
#include "program/read/launch_order.hpp"
#include "program/read/merge.hpp"
#include "program/read/timeline.hpp"
#include "program/results/records.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"

namespace gpumem::program {

namespace {

report::GraphRecord graph_record(const MergedGraph& graph) {
  report::GraphRecord record{.name = graph.name,
                             .kernels = graph.kernels,
                             .launches = graph.launches,
                             .by_node = !graph.as_a_whole,
                             .time_s = {},
                             .gpu_s = {}};
  if (!graph.times_s.empty()) {
    std::vector<measure::Seconds> times;
    for (const double seconds : graph.times_s) times.emplace_back(seconds);
    record.time_s = measure::summarise(times).median.count();
  }
  if (graph.timed > 0) {
    record.gpu_s = graph.timed_s / static_cast<double>(graph.timed) * static_cast<double>(graph.launches);
  }
  return record;
}

/// `told`: of the profiles that predict.
report::ProgramRecord program_of(const MergedRun& merged, const ProgramRun& run, const std::vector<std::string>& told) {
  report::ProgramRecord program;
  program.command = run.command;
  program.exit_code = run.exit_code;
  program.processes = merged.processes;
  std::set<std::string> names;
  for (const MergedKernel& kernel : merged.kernels) names.insert(kernel.name);
  program.kernels_seen = names.size();
  program.launches_seen = merged.launches;
  program.launches_counted = merged.launches_seen;
  program.skipped = merged.skipped;
  for (const MergedGraph& graph : merged.graphs) program.graphs.push_back(graph_record(graph));
  if (merged.launches_seen > 0) program.sampling_seconds = merged.sampling_s;
  program.watched_s = merged.watched_s;
  if (merged.bin_s > 0) program.bin_s = merged.bin_s;
  if (merged.by_sites) program.engines.emplace_back(report::sites_engine);
  if (merged.by_counters) program.engines.emplace_back(report::counters_engine);
  std::set<std::string> noted;
  for (const auto* notes : {&run.notes, &merged.notes, &told}) {
    for (const std::string& note : *notes) {
      if (noted.insert(note).second) program.notes.push_back(note);
    }
  }
  return program;
}

/// Returns the seconds of all launches. Launches that were not timed count as long as others, or as predicted. Returns
/// nullopt if no time is known.
std::optional<double> gpu_seconds_of(const std::vector<report::Record>& kernels) {
  double seconds = 0;
  for (const report::Record& kernel : kernels) {
    const auto time = std::ranges::find(kernel.metrics, report::gpu_time_name, &report::MetricRecord::name);
    if (time != kernel.metrics.end()) seconds += time->value().value_or(0);
  }
  return seconds > 0 ? std::optional(seconds) : std::nullopt;
}

}  // namespace

report::Report program_report(const std::vector<RawProcess>& processes, const ProgramRun& run,
                              const model::ProfileChoice& predicting) {
  const MergedRun merged_run = merged(processes);
  std::vector<model::Profile> profiles;
  std::vector<std::string> told;
  model::ProfileChoice choice = predicting;
  choice.of_kind_only = true;
  for (const Device& device : merged_run.devices) {
    profiles.push_back(model::profile_for(device, choice, [&](const std::string& line) { told.push_back(line); }));
  }

  report::Report report;
  report.backend = "cuda";
  report.devices = merged_run.devices;
  if (!report.devices.empty()) report.device = report.devices.front();
  if (!profiles.empty()) {
    const model::Profile& first = profiles.front();
    if (first.source != model::ProfileSource::attributes) report.profile = first.name;
    report.profile_source = model::to_string(first.source);
  }
  report.watched = {"cache_resident",       "partly_cached",   "partly_seen",
                    "seen_by_another_grid", "time_of_repeat",  "time_of_another_grid",
                    "time_predicted",       "launches_differ", "predicted_from_attributes"};
  report.program = program_of(merged_run, run, told);
  report.results = records_of(merged_run, LaunchOrder(processes, merged_run), profiles);
  report.program->gpu_seconds = gpu_seconds_of(report.results);
  if (std::ranges::find(report.results, no_tensor_loads, &report::Record::no_prediction) != report.results.end()) {
    report.program->notes.emplace_back(
        "the sanitizer's library at hand does not tell of tensor loads, later ones do: pip install "
        "nvidia-cuda-sanitizer-api");
  }
  report.program->timeline = timeline_of(processes, merged_run, report.results);
  report::order_columns(report, {report::kernel_probe()});
  return report;
}

ProgramTraces program_traces(const std::vector<RawProcess>& processes) {
  ProgramTraces traces;
  bool saw_launches = false;
  for (const RawProcess& process : processes) {
    traces.used_cuda = true;
    saw_launches = saw_launches || !process.slots.empty();
    for (const RawProblem& problem : process.problems) {
      if (problem.fatal && !traces.fatal) traces.fatal = problem.line;
    }
  }
  if (saw_launches) traces.fatal.reset();
  return traces;
}

}  // namespace gpumem::program
