#include "engine/model/predict.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <utility>

#include "engine/model/rate_fields.hpp"
#include "engine/model/residence.hpp"
#include "engine/model/stages.hpp"
#include "engine/model/subjects/peer.hpp"

namespace gpumem::model {

namespace {

/// Adds the stages of the operations to those of their launches, each of which counts as often as it is launched.
void schedule_operations(Prediction& prediction, const Workload& workload, const Profile& profile) {
  double launches = 0;
  for (const Operation& operation : workload.operations) {
    if (operation.work == Operation::Work::launch) launches += static_cast<double>(operation.count);
  }
  if (launches == 0) prediction.stages.clear();
  for (StageTime& stage : prediction.stages) stage.seconds *= launches;
  Schedule simulated = schedule(workload, profile, prediction.seconds);
  for (const StageTime& stage : simulated.stages) {
    const auto same = std::ranges::find(prediction.stages, stage.stage, &StageTime::stage);
    if (same == prediction.stages.end()) {
      prediction.stages.push_back(stage);
    } else {
      same->seconds += stage.seconds;
    }
  }
  prediction.seconds = simulated.seconds;
  // Operations that run one after another need no timeline, unless they are the sequence that work in several streams
  // is compared with.
  const bool may_overlap = std::ranges::any_of(workload.operations, [&](const Operation& operation) {
    return operation.stream != workload.operations.front().stream || operation.work == Operation::Work::busy_kernel;
  });
  if (may_overlap) prediction.timeline = std::move(simulated.timeline);
}

/// The rates of a subject that are measured_only. Without one of them nothing is predicted of it.
std::vector<RateId> needed_rates_of(const Subject& subject) {
  return std::visit(
      [](const auto& known) -> std::vector<RateId> {
        if constexpr (requires { needed_rates(known); }) return needed_rates(known);
        return {};
      },
      subject);
}

}  // namespace

Prediction predict(const Workload& workload, const Profile& profile, unsigned log2_fewer_lines) {
  std::vector<access::SiteSummary> sites = summarise(workload);
  const auto traffic = needed_traffic(workload, sites, profile, log2_fewer_lines);
  return predict_with(traffic, std::move(sites), workload, profile);
}

Prediction predict_with(const std::optional<Traffic>& traffic, std::vector<access::SiteSummary> sites,
                        const Workload& workload, const Profile& profile) {
  Prediction prediction;
  prediction.sites = std::move(sites);
  prediction.demand = demand_with(traffic, workload, prediction.sites, profile);
  const double from_memory = memory_share(workload, prediction.demand, profile);
  prediction.cache_resident = from_memory < 0.5;
  LaunchTime launch = launch_time(prediction.demand, workload, profile, from_memory);
  prediction.stages = std::move(launch.stages);
  prediction.seconds = launch.seconds;
  if (!workload.operations.empty()) schedule_operations(prediction, workload, profile);
  if (const auto* peer_traffic = workload.about<PeerTraffic>()) {
    // Both GPUs' own memory is far faster, and works at the same time.
    PeerTime peer = peer_time(*peer_traffic, profile);
    prediction.cache_resident = false;
    prediction.stages = std::move(peer.stages);
    prediction.seconds = peer.seconds;
  }
  const StageTime slowest =
      prediction.stages.empty() ? StageTime{} : std::ranges::max(prediction.stages, {}, &StageTime::seconds);
  prediction.bottleneck = slowest.stage;
  const bool by_memory = slowest.stage == "dram" || slowest.stage == "l2_lines";
  prediction.served_by_l2 = prediction.cache_resident || (!workload.about<PeerTraffic>() && !by_memory &&
                                                          fits_in_l2(workload, prediction.demand, profile.device));
  prediction.bytes_per_s = static_cast<double>(workload.useful_bytes()) / prediction.seconds;
  return prediction;
}

std::string why_unpredicted(const Workload& workload, const Profile& profile) {
  const std::vector<RateId> needed = needed_rates_of(workload.subject);
  std::vector<std::string_view> missing;
  for (const RateField& field : rate_fields()) {
    const bool unknown = field.measured_only && !profile.how.contains(field.name);
    if (unknown && std::ranges::find(needed, field.id) != needed.end()) missing.emplace_back(field.name);
  }
  if (missing.empty()) return std::string(workload.unmodelled);
  return fmt::format("profile '{}' does not know {}; 'gpumem calibrate' on such a GPU measures {}", profile.name,
                     fmt::join(missing, ", "), missing.size() == 1 ? "it" : "them");
}

}  // namespace gpumem::model
