#pragma once
// Turns facts (probes/fact.hpp) into sentences, for all outputs.

#include <string>
#include <vector>

#include "probes/fact.hpp"

namespace gpumem::report {

/// Returns the sentence of a fact, with its values in their places, rounded and with their units. A ratio that was both
/// predicted and measured reads "2.05 x (predicted 2.60 x)". Throws std::logic_error if the template names a value that
/// the fact lacks, or lists of different lengths.
[[nodiscard]] std::string say(const Fact& fact);

/// Returns the sentences of the facts, one after another.
[[nodiscard]] std::string say(const std::vector<Fact>& facts);

}  // namespace gpumem::report
