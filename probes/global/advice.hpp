#pragma once
// What the conclusions about global memory have in common.

#include <span>
#include <string>
#include <string_view>

#include "probes/probe.hpp"

namespace gpumem::global {

/// Rates closer than this share are called the same: runs differ by as much.
inline constexpr double same_within = 0.03;
[[nodiscard]] inline bool about_as_fast(const Outcome& one, const Outcome& other) {
  return one.bytes_per_s >= other.bytes_per_s * (1 - same_within);
}

/// The outcome with a value of a parameter; null if none has it.
[[nodiscard]] const Outcome* find_outcome(std::span<const Outcome> outcomes, std::string_view parameter,
                                          const Value& value);
[[nodiscard]] const Outcome& fastest_of(std::span<const Outcome> outcomes);
[[nodiscard]] const Outcome& slowest_of(std::span<const Outcome> outcomes);

/// "reading", "writing", "copying", by the parameter op.
[[nodiscard]] std::string_view doing(const Case& one);
/// "4550 GB/s", of useful bytes
[[nodiscard]] std::string rate_words(const Outcome& outcome);
/// "7.9 x as long (574 instead of 4550 GB/s)"
[[nodiscard]] std::string as_long_words(const Outcome& slow, const Outcome& fast);

}  // namespace gpumem::global
