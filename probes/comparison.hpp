#pragma once
// How cases compare, by their headlines: the one place that decides whether two of them differ.

#include <span>
#include <string>
#include <string_view>

#include "probes/probe.hpp"

namespace gpumem {

/// Medians closer than this share are called the same: runs of the same case differ by as much.
inline constexpr double least_difference = 0.03;
/// What reaches this share of the best has saturated it.
inline constexpr double saturated_share = 0.95;

/// How many times as good `to` is as `from`, whichever way its headline is good.
[[nodiscard]] double gain(const Outcome& from, const Outcome& to);
/// Whether a case is better than another: by more than least_difference, and beyond both intervals.
[[nodiscard]] bool better(const Outcome& one, const Outcome& other);
/// Whether it is as good as another, or better.
[[nodiscard]] inline bool as_good(const Outcome& one, const Outcome& other) { return !better(other, one); }
/// The same of a ratio that no interval is known of, such as one of two metrics.
[[nodiscard]] constexpr bool differs(double ratio) {
  return ratio > 1 + least_difference || ratio < 1 - least_difference;
}

/// Of some outcomes, at least one: the one with the best headline, and with the worst.
[[nodiscard]] const Outcome& best_of(std::span<const Outcome> outcomes);
[[nodiscard]] const Outcome& worst_of(std::span<const Outcome> outcomes);
/// The first outcome with a value of a parameter; null if none has it.
[[nodiscard]] const Outcome* find_outcome(std::span<const Outcome> outcomes, std::string_view parameter,
                                          const Value& value);

/// The headline as a value of a fact, with what was predicted of it.
[[nodiscard]] FactValue headline_value(std::string name, const Outcome& outcome);
/// gain(from, to) as a value of a fact, with the gain that was predicted.
[[nodiscard]] FactValue gain_value(std::string name, const Outcome& from, const Outcome& to);

}  // namespace gpumem
