#pragma once
// The base of the chases of every level. A launch leaves the place that it reached and the time of its steps.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"
#include "probes/chase/chase_steps.hpp"
#include "probes/probe.hpp"

namespace gpumem::hierarchy {

using namespace chase;  // what chases of other families have too

/// The quantity that a chase measures.
[[nodiscard]] Quantity latency_cycles();
/// The headline of a chase, predicted from `Workload::chase`.
[[nodiscard]] Headline latency_headline();
/// The metric that ChaseExperiment measures: `latency_ns`. Predicted at the multiprocessors' maximum clock.
[[nodiscard]] Metric latency_ns();

/// Bytes within which a chase stays until it has visited all of them: all that there are, or a page.
inline constexpr std::uint64_t everything = ~std::uint64_t{0};
inline constexpr std::uint64_t chased_page = std::uint64_t{2} << 20U;

namespace axis {
inline constexpr Text level{"level"};
inline constexpr Choice<std::uint64_t> page_bytes{"order", {{"random", everything}, {"paged", chased_page}}};
}  // namespace axis

/// The axis that both probes of chases have, random by default.
[[nodiscard]] Axis order_axis();

class ChaseExperiment : public measure::Experiment {
 public:
  /// Each launch times so many steps, a multiple of `unrolled`.
  explicit ChaseExperiment(std::uint32_t steps);

  void launch(cudaStream_t stream) final;
  measure::Verification verify(cudaStream_t stream) override;
  double sample() final;  ///< cycles per step
  /// Nanoseconds per step over all launches that were sampled: the timer ticks too seldom for one of them.
  std::vector<std::pair<std::string, double>> metrics(cudaStream_t stream, measure::Seconds per_launch) override;

 protected:
  /// Queues the kernel and says which place it has to reach.
  virtual std::uint64_t run(std::uint64_t* result, cudaStream_t stream) = 0;
  /// Called when a launch is sampled whose timed steps took so long.
  virtual void sampled(double /*nanoseconds*/) {}
  [[nodiscard]] std::uint32_t steps() const { return steps_; }

 private:
  std::uint32_t steps_;
  std::uint64_t expected_ = 0;  ///< place, of the last launch
  double sampled_ns_ = 0;
  double sampled_steps_ = 0;
  measure::DeviceBuffer result_;
};

}  // namespace gpumem::hierarchy
