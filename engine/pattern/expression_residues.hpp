#pragma once
// Expressions that are an affine one's remainder, as hashes by multiplication are.

#include <cstdint>
#include <optional>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// f(i) = (first + step i) mod modulus, with 0 <= first, step < modulus.
struct Residues {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t modulus = 1;
};

/// Proved for expressions of `i` and `n` alone that end in a remainder by a positive literal, or in the lowest bits;
/// what that is of is affine in a launch of `n` accesses, and wraps nowhere. Otherwise absent. Throws as
/// with_accesses().
[[nodiscard]] std::optional<Residues> residues(const Expression& expression, std::int64_t n);

/// An i >= 0 for which f(i) = `value`, a value that f has.
[[nodiscard]] std::int64_t where(const Residues& residues, std::int64_t value);

}  // namespace gpumem::pattern
