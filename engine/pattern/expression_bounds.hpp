#pragma once
// Between which values an expression stays, and which bits they have.

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
  /// Whether the difference of any two of these values is a 64-bit one, so that no wrapping can hide in it.
  [[nodiscard]] constexpr bool narrow() const {
    return static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low) <= ~std::uint64_t{0} >> 1U;
  }
  bool operator==(const Bounds&) const = default;
};

using VariableBounds = std::array<Bounds, variables>;
/// Of a launch of 1 to `most_accesses` accesses: `i` and `block` below that, blocks of at most 1024 threads.
[[nodiscard]] VariableBounds bounds_of_launch(std::int64_t most_accesses);

/// Of each instruction, whatever the variables within their own bounds: no value is outside, but some inside may never
/// occur. By interval arithmetic (R. E. Moore, Interval Analysis, 1966); what may wrap can be anything. Where an
/// instruction would divide by zero its value counts as 0.
[[nodiscard]] std::vector<Bounds> bounds_of(const std::vector<Instruction>& code, const VariableBounds& of_variables);

/// Of each instruction, the bits that may be set in any of its values, which are within `bounds`: all others never are.
[[nodiscard]] std::vector<std::uint64_t> possible_bits(const std::vector<Instruction>& code,
                                                       const std::vector<Bounds>& bounds);

/// Of the value of an expression in a launch of `n` accesses.
[[nodiscard]] Bounds bounds_of(const Expression& expression, std::int64_t n);

/// Whether an operation of an expression could divide by zero in a launch of `n` accesses, as far as bounds tell.
[[nodiscard]] bool may_divide_by_zero(const Expression& expression, std::int64_t n);

}  // namespace gpumem::pattern
