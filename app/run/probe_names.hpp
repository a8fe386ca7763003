#pragma once
// The names of probes, and the words that people use for them.

#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"

namespace gpumem::app {

/// The probe of that name. Throws a usage error with those that were probably meant, or else with all of them.
[[nodiscard]] const Probe& require_probe(std::span<const Probe> registry, const std::string& name);

/// The probes that people also call so: "memcpy" is `transfer`.
[[nodiscard]] std::vector<const Probe*> probes_called(const std::string& word, std::span<const Probe> registry);

/// The probes that somebody who types this name, which none of them has, may mean: the nearest name, or those that are
/// also called so ("memcpy").
[[nodiscard]] std::vector<const Probe*> meant_probes(std::span<const Probe> registry, const std::string& name);

}  // namespace gpumem::app
