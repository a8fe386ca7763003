#pragma once
// Cases of the probes of global memory, and placements looked at element by element.

#include <initializer_list>
#include <map>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "engine/access/site.hpp"
#include "engine/base/error.hpp"
#include "probes/global/placement.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::global::test {

/// A case of a probe with a buffer of 1 MiB, 4-byte words and the first name on each axis, but for what is given.
inline Case case_of(const std::string& name, std::initializer_list<std::pair<std::string, Value>> given) {
  const Probe* probe = find_probe(name);
  REQUIRE(probe != nullptr);
  const std::map<std::string, Value> common = {{"buffer_bytes", std::uint64_t{1} << 20U},
                                               {"word_bytes", std::uint64_t{4}},
                                               {"block_threads", std::uint64_t{256}},
                                               {"elements_per_thread", std::uint64_t{1}}};
  Case tested{probe, {}};
  for (const Axis& axis : probe->axes) {
    const auto found = common.find(axis.parameter);
    const Value value = found != common.end() ? found->second
                        : axis.names.empty()  ? Value(axis.minimum)
                                              : Value(axis.names.front());
    tested.parameters.push_back({axis.parameter, value});
  }
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested;
}

inline Workload describe(const Case& tested) { return tested.probe->describe(tested, Device{}); }

inline Outcome outcome_of(const Case& tested, double gb_per_s) {
  const double bytes = static_cast<double>(describe(tested).useful_bytes());
  return {.tested = tested, .headline = gb_per_s, .seconds = bytes / (gb_per_s * 1e9), .bytes_per_s = gb_per_s * 1e9};
}

// Conclusions from outcomes, in words and as facts.
using gpumem::test::advice;
using gpumem::test::conclusion;

/// With an interval that its headline lies within.
inline Outcome within(Outcome outcome, double low, double high) {
  outcome.interval = std::pair(low, high);
  return outcome;
}

inline std::vector<FactKind> kinds_of(const Conclusion& conclusion) {
  std::vector<FactKind> kinds;
  for (const Fact& fact : conclusion.facts) kinds.push_back(fact.kind);
  return kinds;
}

/// The numbers of a fact's value.
inline std::vector<double> numbers_of(const Fact& fact, const std::string& name) {
  std::vector<double> numbers;
  for (const FactValue& value : fact.values) {
    if (value.name != name) continue;
    for (const FactValue::Item& item : value.items) numbers.push_back(std::get<double>(item));
  }
  return numbers;
}

/// The one-line refusal of a case; empty if it is taken.
inline std::string refusal_of(const Case& tested) {
  try {
    if (tested.probe->validate) tested.probe->validate(tested);
    return "";
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
}

/// Checks what verification rests on: no element twice, none beyond the extent, as many as are useful; and that the
/// pattern of elements, which verification goes through, names the same.
template <class Placement>
std::set<std::uint64_t> elements_of(const Placement& placement) {
  std::set<std::uint64_t> elements;
  for (std::uint64_t thread = 0; thread < placement.threads(); ++thread) {
    for (std::uint32_t which = 0; which < placement.elements_per_thread(); ++which) {
      if (!placement.active(thread, which)) continue;
      const std::uint64_t element = placement(thread, which);
      REQUIRE(element < placement.extent());
      REQUIRE(elements.insert(element).second);
    }
  }
  CHECK(elements.size() == placement.useful());
  const PlacedPattern<Placement> pattern{placement};
  const Launch launch = launch_of(Op::read, placement);
  std::set<std::uint64_t> of_pattern;
  for (std::uint64_t i = 0; i < launch.count; ++i) {
    if (pattern.active(i)) of_pattern.insert(pattern(i));
  }
  CHECK(of_pattern == elements);
  return elements;
}

/// Sectors per request, all requests evaluated, and as the model sums them up.
inline double sectors_per_request(const access::Site& site) {
  const double exact = access::summarise(site, site.requests).cost.sectors_per_request;
  CHECK(access::summarise(site).cost.sectors_per_request == Approx(exact));
  return exact;
}

}  // namespace gpumem::global::test
