#pragma once
// The one place that says facts (probes/fact.hpp).

#include <string>
#include <vector>

#include "probes/fact.hpp"

namespace gpumem::report {

/// The sentence of a fact, its values at their places, each with as many digits as it deserves and its unit. A ratio
/// that was both predicted and measured is said as "2.05 x (predicted 2.60 x)". Throws std::logic_error where
/// the template names a value that the fact has not, or lists of different lengths.
[[nodiscard]] std::string say(const Fact& fact);

/// What facts say, one after another.
[[nodiscard]] std::string say(const std::vector<Fact>& facts);

}  // namespace gpumem::report
