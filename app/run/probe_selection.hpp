#pragma once
// Selection of the probes that a command line asks for, by their names or by its axes.

#include <string>
#include <vector>

#include "app/run/plan.hpp"

namespace gpumem::app {

struct SelectedProbes {
  std::vector<const Probe*> probes;
  bool quick = false;  ///< whether axes that were not given take their values of the quick default set
};

/// The named probes; without names those that make_plan() runs. Throws a usage error for an unknown name (with the
/// nearest), for an axis that none of them has, and for flags that select probes which nobody asked to run together.
[[nodiscard]] SelectedProbes select_probes(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                                           const std::vector<GivenAxis>& given);

/// The values of an axis: those that were given, else its defaults, or with `quick` those of the quick default set.
[[nodiscard]] std::vector<Value> values_of(const Axis& axis, const std::vector<GivenAxis>& given, bool quick);

}  // namespace gpumem::app
