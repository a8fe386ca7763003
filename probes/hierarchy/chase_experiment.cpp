#include "probes/hierarchy/chase_experiment.hpp"

#include "engine/measure/content.hpp"
#include "engine/measure/verify.hpp"
#include "engine/model/subjects/chase.hpp"

namespace gpumem::hierarchy {

namespace {

ChaseResult read(const measure::DeviceBuffer& buffer) {
  ChaseResult result;
  measure::check(cudaMemcpy(&result, buffer.data(), sizeof result, cudaMemcpyDefault), "read what the chase left");
  return result;
}

std::optional<double> predicted_cycles(const Workload& workload, const model::Prediction& /*prediction*/,
                                       const model::Profile& profile) {
  const auto* chase = workload.about<Chase>();
  return chase ? std::optional(model::step_cycles(*chase, profile)) : std::nullopt;
}

}  // namespace

Quantity latency_cycles() {
  return {"latency_cycles", "cycles from one dependent load to the next, by the multiprocessor's own clock",
          Better::less};
}

Headline latency_headline() { return {.quantity = latency_cycles(), .predict = predicted_cycles}; }

Metric latency_ns() {
  return {.quantity = {"latency_ns", "the same in nanoseconds, by the GPU's timer", Better::less},
          .predict = [](const Workload& workload, const model::Prediction& prediction,
                        const model::Profile& profile) -> std::optional<double> {
            const auto cycles = predicted_cycles(workload, prediction, profile);
            if (!cycles || profile.device.sm_clock_hz == 0) return std::nullopt;  // not every GPU tells its clock
            return *cycles / static_cast<double>(profile.device.sm_clock_hz) * 1e9;
          }};
}

Axis order_axis() {
  return axis::page_bytes(
      {.flag = "order",
       .purpose = "random over everything, or paged: within 2 MiB until all of them are visited, which misses no TLB",
       .defaults = "random"});
}

ChaseExperiment::ChaseExperiment(std::uint32_t steps) : steps_(steps), result_(sizeof(ChaseResult)) {}

void ChaseExperiment::launch(cudaStream_t stream) {
  expected_ = run(result_.as<std::uint64_t>(), stream);
  measure::check(cudaGetLastError(), "launch the chase");
}

measure::Verification ChaseExperiment::verify(cudaStream_t stream) {
  measure::poison(result_, stream);
  launch(stream);
  measure::check(cudaStreamSynchronize(stream), "run the chase");
  const ChaseResult result = read(result_);
  const bool arrived = result.place == expected_;
  const bool timed = result.cycles > 0 && result.cycles != measure::poison_word;
  return {.mismatches = (arrived ? 0U : 1U) + (timed ? 0U : 1U), .what = "of the place a chase reached and its cycles"};
}

double ChaseExperiment::sample() {
  const ChaseResult result = read(result_);
  sampled_ns_ += result.nanoseconds;
  sampled_steps_ += steps_;
  sampled(result.nanoseconds);
  return static_cast<double>(result.cycles) / steps_;
}

std::vector<std::pair<std::string, double>> ChaseExperiment::metrics(cudaStream_t /*stream*/,
                                                                     measure::Seconds /*per_launch*/) {
  if (!(sampled_ns_ > 0)) return {};
  return {{latency_ns().quantity.name, sampled_ns_ / sampled_steps_}};
}

}  // namespace gpumem::hierarchy
