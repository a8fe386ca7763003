#include "report/record/joined.hpp"

#include <algorithm>
#include <utility>
#include <vector>

#include "engine/base/thresholds.hpp"
#include "report/record/counted.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::report {

namespace {

void add_counts(Record& record, const Record& counted) {
  record.counters = counted.counters;
  record.occupancy = counted.occupancy;
  for (const StageRecord& stage : counted.stages) {
    const auto same = std::ranges::find(record.stages, stage.stage, &StageRecord::stage);
    if (same == record.stages.end()) {
      record.stages.push_back(stage);
    } else {
      same->counted_s = stage.counted_s;
    }
  }
  if (counted.bottleneck) {
    if (!record.bottleneck) record.bottleneck = Bottleneck{};
    record.bottleneck->counted = counted.bottleneck->counted;
  }
  std::vector<std::uint64_t> requests;
  for (const SiteRecord& site : record.access) requests.push_back(site.requests.value_or(0));
  if (add_counted_costs(record, *counted.counters, requests) > same_count) record.flags.emplace_back("counts_differ");
}

void add_new(std::vector<std::string>& to, const std::vector<std::string>& from) {
  for (const std::string& name : from) {
    if (std::ranges::find(to, name) == to.end()) to.push_back(name);
  }
}

ProgramRecord joined(ProgramRecord program, const ProgramRecord& counted) {
  program.launches_counted += counted.launches_counted;
  if (counted.sampling_seconds)
    program.sampling_seconds = program.sampling_seconds.value_or(0) + *counted.sampling_seconds;
  if (counted.watched_s)
    program.watched_s = std::min(program.watched_s.value_or(*counted.watched_s), *counted.watched_s);
  add_new(program.engines, counted.engines);
  add_new(program.notes, counted.notes);
  for (const auto& [reason, launches] : counted.skipped) {
    const auto same = std::ranges::find(program.skipped, reason, &std::pair<std::string, std::uint64_t>::first);
    if (same == program.skipped.end()) {
      program.skipped.emplace_back(reason, launches);
    } else {
      same->second = std::max(same->second, launches);
    }
  }
  return program;
}

}  // namespace

bool is_watched_by(const Report& report, std::string_view engine) {
  if (!report.program) return false;
  const auto& engines = report.program->engines;
  // Reports that do not name it are older than the other engine.
  if (engines.empty()) return engine == sites_engine;
  return std::ranges::find(engines, engine) != engines.end();
}

Report joined(const Report& sites, const Report& counters) {
  Report report = sites;
  report.advice.reset();
  report.program = joined(*sites.program, *counters.program);
  if (report.devices.empty()) {
    report.device = counters.device;
    report.devices = counters.devices;
  }
  std::vector<bool> taken(report.results.size());
  for (const Record& counted : counters.results) {
    std::size_t at = 0;
    while (at < taken.size() && (taken[at] || report.results[at].parameters != counted.parameters)) ++at;
    if (at == taken.size()) {
      report.results.push_back(counted);
      report.results.back().ran_s.clear();  // when it ran in the other run
      continue;
    }
    taken[at] = true;
    Record& record = report.results[at];
    if (!counted.counters) continue;
    if (record.status == Status::ok) {
      add_counts(record, counted);
    } else {
      std::vector<double> ran_s = std::move(record.ran_s);
      record = counted;
      record.ran_s = std::move(ran_s);
    }
  }
  return report;
}

}  // namespace gpumem::report
