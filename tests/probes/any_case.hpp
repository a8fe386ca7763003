#pragma once
// Cases of registered probes, from their defaults.

#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "app/command_line/values.hpp"
#include "probes/probe.hpp"
#include "report/explain/say.hpp"

namespace gpumem::test {

/// The first of every axis's default values, but for those given.
inline Case any_case(const std::string& probe, const std::vector<Parameter>& given = {}) {
  const Probe* found = find_probe(probe);
  if (found == nullptr) throw std::logic_error("no probe " + probe);
  Case tested{.probe = found, .parameters = {}};
  for (const Axis& axis : found->axes) {
    tested.parameters.push_back({axis.parameter, app::parse_axis_values(axis, std::vector{axis.defaults}).front()});
  }
  for (const Parameter& parameter : given) tested.set(parameter.name, parameter.value);
  return tested;
}

inline Outcome outcome(const std::string& probe, const std::vector<Parameter>& given, double headline) {
  return {.tested = any_case(probe, given), .headline = headline, .seconds = 1e-3};
}

/// Returns the probe's conclusion from the outcomes.
inline Conclusion conclusion(std::vector<Outcome> outcomes) {
  for (std::size_t i = 0; i < outcomes.size(); ++i) outcomes[i].index = i;
  return outcomes.front().tested.probe->conclude(outcomes);
}

/// The facts of it in words, a sentence or a few each.
inline std::string advice(const std::vector<Outcome>& outcomes) { return report::say(conclusion(outcomes).facts); }

/// An H200, as far as descriptions look at it.
inline Device some_device() {
  Device device;
  device.compute_capability = "9.0";
  device.multiprocessors = 132;
  device.l2_bytes = 60ULL << 20U;
  device.memory_bytes = 140ULL << 30U;
  device.shared_bytes_per_block = 232'448;
  return device;
}

}  // namespace gpumem::test
