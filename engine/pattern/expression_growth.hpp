#pragma once
// How the value of each operation of an expression grows from one period of accesses to the next.

#include <cstdint>
#include <vector>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// f(i + period) = f(i) + growth modulo 2^64. A period of 0: not known.
struct Growth {
  std::uint64_t period = 0;
  std::uint64_t growth = 0;

  [[nodiscard]] bool known() const { return period != 0; }
  [[nodiscard]] bool repeats() const { return known() && growth == 0; }
  /// In `longer` accesses, a multiple of the period.
  [[nodiscard]] std::uint64_t in(std::uint64_t longer) const { return growth * (longer / period); }
};

/// What is proved of the last instruction, and of where any divides by zero, for accesses 0 to n - 1: growth is then
/// that of integers, as signed. Not known rather than wrong.
[[nodiscard]] Growth proved_growth(const std::vector<Instruction>& code, std::int64_t n);

}  // namespace gpumem::pattern
