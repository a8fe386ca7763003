#pragma once
// Bounds of the values of an expression, and the bits that may be set in them.

#include <array>
#include <cstdint>
#include <vector>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// Values from `low` to `high`, both included.
struct Bounds {
  std::int64_t low = 0;
  std::int64_t high = 0;

  [[nodiscard]] constexpr bool single() const { return low == high; }
  [[nodiscard]] constexpr bool contains(std::int64_t value) const { return low <= value && value <= high; }
  [[nodiscard]] constexpr bool never_zero() const { return !contains(0); }
  /// True if the difference of any two of these values is below 2^63, so that no wrapping can hide in it.
  [[nodiscard]] constexpr bool narrow() const {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) <= ~std::uint64_t{0} >> 1U;
  }
  bool operator==(const Bounds&) const = default;
};

using VariableBounds = std::array<Bounds, variables>;
/// The bounds of variables in a launch of 1 to `most_accesses` accesses: `i` and `block` are below that, and blocks
/// have at most 1024 threads.
[[nodiscard]] VariableBounds bounds_of_launch(std::int64_t most_accesses);

/// The bounds of each instruction, for any variables within theirs. No value is outside, but some inside may never
/// occur. They follow by interval arithmetic (R. E. Moore, Interval Analysis, 1966); a value that may wrap can be
/// anything. The value of a division by zero counts as 0.
[[nodiscard]] std::vector<Bounds> bounds_of(const std::vector<Instruction>& code, const VariableBounds& of_variables);

/// For each instruction, the bits that may be set in its values; all others never are. `bounds` are the bounds of its
/// values.
[[nodiscard]] std::vector<std::uint64_t> possible_bits(const std::vector<Instruction>& code,
                                                       const std::vector<Bounds>& bounds);

/// The bounds of the value of an expression in a launch of `n` accesses.
[[nodiscard]] Bounds bounds_of(const Expression& expression, std::int64_t n);

/// True if, by its bounds, an operation of an expression could divide by zero in a launch of `n` accesses.
[[nodiscard]] bool may_divide_by_zero(const Expression& expression, std::int64_t n);

}  // namespace gpumem::pattern
