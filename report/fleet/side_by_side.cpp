#include "report/fleet/side_by_side.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <memory>
#include <utility>

#include "engine/base/words.hpp"
#include "report/fleet/fleet.hpp"
#include "report/record/gpus.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Leaves only what a GPU does alone, however many others do the same.
void leave_out_shared(GpuPart& part) {
  Members cases;
  std::vector<Record> results;
  for (std::size_t i = 0; i < part.cases.size(); ++i) {
    if (part.report.results[i].uses_host()) continue;
    cases.push_back(part.cases[i]);
    results.push_back(std::move(part.report.results[i]));
  }
  part.cases = std::move(cases);
  part.report.results = std::move(results);
}

/// Above 1 is better than the median.
double speed_of(double value, double median, Better better) {
  return better == Better::less ? median / value : value / median;
}

GpuStanding standing_of(const GpuPart& part, const Fleet& fleet, std::size_t machine) {
  const FleetKind& kind = fleet.kinds[fleet.kind_of[machine]];
  GpuStanding standing{.gpu = part.gpu, .device = *part.report.device};
  std::vector<double> speeds;
  for (std::size_t i = 0; i < fleet.judgements[machine].size(); ++i) {
    const FleetJudgement& judgement = fleet.judgements[machine][i];
    const FleetReading& reading = fleet.machines[machine].readings[i];
    const FleetCaseName& name = fleet.names->case_name(reading.name);
    if (name.is_metric) continue;
    const std::size_t place = part.cases[reading.position];
    const FleetVerdict verdict = judgement.verdict;
    if (verdict == FleetVerdict::slow) standing.slow.push_back(place);
    if (verdict == FleetVerdict::failed || verdict == FleetVerdict::wrong_data) standing.failed.push_back(place);
    const FleetCase& fleet_case = kind.cases[judgement.index];
    if (!judgement.value || fleet_case.count < 2) continue;
    speeds.push_back(speed_of(*judgement.value, fleet_case.median, name.quantity.better));
    if (standing.worst && *standing.worst <= speeds.back()) continue;
    standing.worst = speeds.back();
    standing.worst_case = fleet_case.label;
  }
  standing.cases = speeds.size();
  if (!speeds.empty()) standing.speed = measure::estimate_median(speeds).median;
  return standing;
}

/// "GPU 3 (41:00.0, GPU-8f2a11c0) is the odd one out: slower in 12 of 28 cases, by 20.1 % at worst (offset 0, read)"
std::string odd_words(const GpuStanding& standing, bool only) {
  std::vector<std::string> what;
  if (!standing.slow.empty()) {
    what.push_back(fmt::format("slower than the others in {} of {}, by {} at worst ({})", standing.slow.size(),
                               counted(standing.cases, "case"), percent_with_tenths(1 - *standing.worst),
                               standing.worst_case));
  }
  if (!standing.failed.empty()) what.push_back(counted(standing.failed.size(), "case") + " went wrong");
  return fmt::format("{} is {}: {}.", short_gpu_identity(standing.gpu, standing.device),
                     only ? "the odd one out" : "unlike the others", join(what, "; "));
}

bool is_odd(const GpuStanding& standing) { return !standing.slow.empty() || !standing.failed.empty(); }

}  // namespace

bool SideBySide::any_slow() const {
  return std::ranges::any_of(gpus, [](const GpuStanding& standing) { return !standing.slow.empty(); });
}

std::string SideBySide::verdict() const {
  std::vector<std::string> sentences;
  const auto odd = std::ranges::count_if(gpus, is_odd);
  for (const GpuStanding& standing : gpus) {
    if (is_odd(standing)) sentences.push_back(odd_words(standing, odd == 1));
  }
  const GpuStanding* worst = nullptr;
  for (const GpuStanding& standing : gpus) {
    if (standing.worst && (worst == nullptr || *standing.worst < *worst->worst)) worst = &standing;
  }
  if (worst == nullptr || any_slow()) return paragraph(sentences);
  if (!judged) {
    sentences.push_back(
        fmt::format("{} are too few to tell an outlier, which takes {} of a kind: they are at most {} "
                    "apart ({}).",
                    counted(gpus.size(), "GPU"), measure::fewest_comparable, percent_with_tenths(apart), apart_case));
  } else {
    sentences.push_back(fmt::format("{} agree: at most one is {} below the median ({}, {}).",
                                    odd == 0 ? fmt::format("All {} GPUs", gpus.size()) : "The others",
                                    percent_with_tenths(1 - *worst->worst), gpu_list({&worst->gpu, 1}),
                                    worst->worst_case));
  }
  return paragraph(sentences);
}

std::optional<SideBySide> side_by_side(const Report& report) {
  std::vector<GpuPart> parts = gpu_parts(report);
  if (parts.size() < 2) return std::nullopt;
  const auto names = std::make_shared<FleetNames>();
  std::vector<FleetMachine> machines;
  for (GpuPart& part : parts) {
    leave_out_shared(part);
    std::ranges::move(fleet_machines(part.report, gpu_list({&part.gpu, 1}), *names), std::back_inserter(machines));
  }
  const Fleet fleet = judge_fleet(std::move(machines), names, side_by_side_tolerance);
  SideBySide found;
  found.judged = anything_judged(fleet);
  for (std::size_t i = 0; i < parts.size(); ++i) found.gpus.push_back(standing_of(parts[i], fleet, i));
  for (const FleetKind& kind : fleet.kinds) {
    for (const FleetCase& fleet_case : kind.cases) {
      const double apart = 1 - fleet_case.min / fleet_case.max;
      if (fleet_case.count < 2 || names->case_name(fleet_case.name).is_metric || apart < found.apart) continue;
      found.apart = apart;
      found.apart_case = fleet_case.label;
    }
  }
  if (std::ranges::all_of(found.gpus, [](const GpuStanding& standing) { return standing.cases == 0; }))
    return std::nullopt;
  return found;
}

std::optional<CheckRecord> check_agreement(const Report& report) {
  const auto found = side_by_side(report);
  if (!found) return std::nullopt;
  CheckRecord check;
  check.name = "the GPUs agree with each other";
  check.verdict = found->any_slow() ? Verdict::fail : found->judged ? Verdict::pass : Verdict::skip;
  check.reason = found->verdict();
  for (const GpuStanding& standing : found->gpus)
    check.cases.insert(check.cases.end(), standing.slow.begin(), standing.slow.end());
  std::ranges::sort(check.cases);
  return check;
}

}  // namespace gpumem::report
