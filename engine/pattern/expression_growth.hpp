#pragma once
// Proves how the value of an expression grows from one period of accesses to the next.

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

/// The growth that is proved of the last instruction for accesses 0 to n - 1, in periods that also cover where any
/// instruction divides by zero. It is growth of integers, to be read as signed. In doubt it is not known.
[[nodiscard]] Growth proved_growth(const std::vector<Instruction>& code, std::int64_t n);

}  // namespace gpumem::pattern
