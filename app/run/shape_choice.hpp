#pragma once
// Chooses values for "auto", once per sweep, so that the cases of a sweep differ only in the swept axis and the
// compared one.

#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/plan.hpp"
#include "engine/base/error.hpp"

namespace gpumem::app {

struct ShapeChoice {
  std::vector<std::string> chosen;  ///< parameters that were "auto" before
  std::optional<Error> failure;     ///< why the sweep cannot run; then some of its values may still be "auto"
};

/// Replaces every "auto" of a sweep: by the probe's `size` where axes have no candidates, else by the candidates that
/// are fastest together at the baseline case (of those within 1.5 % of the fastest the first). Candidates that cannot
/// run are passed over. `before_trial` is called with each case about to be tried and may throw to end it all.
[[nodiscard]] ShapeChoice choose_shape(
    PlannedSweep& sweep, Backend& backend, const std::function<void(const Case&)>& before_trial = [](const Case&) {});

}  // namespace gpumem::app
