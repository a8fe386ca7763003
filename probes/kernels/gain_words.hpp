#pragma once
// What one way of doing a job gains over another, in words.

#include <string>

#include "probes/probe.hpp"

namespace gpumem::kernels {

/// How many times as good a way is by its headline, of which more is better: "2.05 x", and where it was measured and
/// the model reaches both, "predicted 2.60 x, measured 2.05 x".
[[nodiscard]] std::string gain_words(const Outcome& from, const Outcome& to);

/// The predicted half alone: ", predicted 2.60 x", or nothing.
[[nodiscard]] std::string predicted_gain_words(const Outcome& from, const Outcome& to);

}  // namespace gpumem::kernels
