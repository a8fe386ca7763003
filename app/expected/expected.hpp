#pragma once
// The values that a GPU should reach: the model's predictions of exactly the cases that probes measure, so that
// measurements compare with them one to one. docs/suites.md derives from the reference reports how far healthy GPUs lie
// from them.

#include <optional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "app/run/plan.hpp"
#include "engine/model/profile.hpp"
#include "report/expected/expected.hpp"

namespace gpumem::app {

/// The range of measurements of healthy GPUs, as multiples of the predicted value.
struct Spread {
  double low = 1;
  double high = 1;
};

/// A quantity that a GPU should reach, and how it is measured.
struct ExpectedQuantity {
  enum class Reading {
    headline,
    nanoseconds,   ///< the metric `latency_ns`, beside the headline in cycles
    microseconds,  ///< how long a run takes
  };
  const char* name;  ///< ends in the unit
  const char* group;
  const char* title;
  std::vector<GivenAxis> axes;        ///< of the one case; "{source}" and "{target}" stand for two joined GPUs
  const char* rate;                   ///< of a profile: the one that decides the value, unless another limits before it
  std::optional<Spread> spread = {};  ///< absent where no reference report has measured it
  Reading reading = Reading::headline;
  /// Spread for each kind of GPU that was measured, by the name of its device. Given if the model is off by more than
  /// GPUs of a kind differ.
  std::vector<std::pair<std::string_view, Spread>> spread_of_kind = {};
};

/// In the order in which they are shown: nearest first, the links last.
[[nodiscard]] std::span<const ExpectedQuantity> expected_quantities();

/// Predicts what the profile's GPU should reach, which takes some milliseconds. The links to other GPUs are included if
/// the profile is a node, or if `profile.gpus` are those of a machine; `gpu` is the index of the GPU among them.
/// Quantities that the profile does not tell are left out. A value is known in the same way as the rate that decides
/// it. Only shipped profiles tell what healthy GPUs reach: values of other profiles have no interval.
[[nodiscard]] report::ExpectedGpu expected_of(const model::Profile& profile, const std::vector<Probe>& registry,
                                              std::size_t gpu = 0);

}  // namespace gpumem::app
