#pragma once
// Launches, cases and errors of patterns that a user writes, for their tests.

#include <functional>
#include <initializer_list>
#include <span>
#include <string>
#include <tuple>
#include <utility>

#include "probes/user/pattern/user_pattern.hpp"
#include "tests/probes/any_case.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test {

inline Launch launch_with(std::uint64_t count, Tile tile, std::uint32_t word_bytes = 4) {
  return {.op = Op::read, .word_bytes = word_bytes, .count = count, .tile = tile};
}

/// All figures of a summary, to be compared at once.
inline auto all_of(const access::SiteSummary& s) {
  const auto& [cost, f] = s;
  return std::tuple(cost.sectors_per_request, cost.lines_per_request, cost.wavefronts_per_request,
                    cost.addresses_per_request, cost.efficiency, f.sectors, f.partial_sectors, f.atoms, f.partial_atoms,
                    f.lines, f.line_pairs, f.channels);
}
inline auto all_of(const access::Counts& c) {
  return std::tuple(c.requests, c.sectors, c.lines, c.wavefronts, c.addresses);
}

inline PatternFacts facts_of_text(const std::string& element, const std::string& active, const Launch& launch) {
  return facts_of(user_pattern(element, active, launch), launch);
}

/// Returns the error of a pattern that is refused, before or while it is evaluated.
inline std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}
inline std::string refusal_of(const std::string& element, const std::string& active = "1", std::uint64_t count = 1000) {
  return refusal_of([&] { static_cast<void>(facts_of_text(element, active, launch_with(count, {256, 1}))); });
}

using Given = std::initializer_list<std::pair<std::string, Value>>;

inline Case pattern_case(const std::string& element, Given given = {}) {
  Case tested = case_of("pattern", {{"pattern", element}, {"active", std::string("1")}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested;
}

inline std::string describing_refusal_of(const Case& tested) {
  return refusal_of([&] { static_cast<void>(describe(tested)); });
}
inline std::string sizing_refusal_of(Case tested) {
  return refusal_of([&] { tested.probe->size(std::span(&tested, 1), gpumem::test::some_device()); });
}

}  // namespace gpumem::global::test
