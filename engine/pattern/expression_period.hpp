#pragma once
// Properties of an expression that are proved without evaluating it everywhere.

#include <cstdint>
#include <optional>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// f(i + period) = f(i) + growth, as integers, wherever i and i + period are accesses of the launch.
struct Periodicity {
  std::int64_t period = 1;
  std::int64_t growth = 0;
  std::int64_t first = 0;  ///< f(0)

  /// True if f(i) = first + growth i.
  [[nodiscard]] bool affine() const { return period == 1; }
};

/// Periods up to this many accesses are evaluated, to see whether they consist of shorter ones.
inline constexpr std::int64_t evaluated_period = std::int64_t{1} << 16U;

/// Returns a period that is shorter than the launch of `n` accesses: the shortest, if one of at most `evaluated_period`
/// is found. The period is proved from operation to operation, for expressions of `i` and `n` alone: each operation
/// keeps the periods of its operands, or multiplies them. Returns nullopt if nothing is proved, in which case the
/// expression may be anything, and if the first access divides by zero. If another access divides by zero, one in the
/// first period does too. Throws as with_accesses().
[[nodiscard]] std::optional<Periodicity> periodicity(const Expression& expression, std::int64_t n);

/// An expression that is an affine one's remainder, as hashes by multiplication are:
/// f(i) = (first + step i) mod modulus, with 0 <= first, step < modulus.
struct Residues {
  std::int64_t first = 0;
  std::int64_t step = 0;
  std::int64_t modulus = 1;
};

/// Returns the residues of an expression of `i` and `n` alone that ends in a remainder by a positive literal, or in a
/// mask of its lowest bits. Its operand has to be proved affine in a launch of `n` accesses, without wrapping.
/// Otherwise nullopt. Throws as with_accesses().
[[nodiscard]] std::optional<Residues> residues(const Expression& expression, std::int64_t n);

/// An i >= 0 for which f(i) = `value`, a value that f has.
[[nodiscard]] std::int64_t where(const Residues& residues, std::int64_t value);

}  // namespace gpumem::pattern
