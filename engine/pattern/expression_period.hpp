#pragma once
// What can be proved of an expression without evaluating it everywhere.

#include <cstdint>
#include <optional>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// f(i + period) = f(i) + growth, as integers, wherever i and i + period are accesses of the launch.
struct Periodicity {
  std::int64_t period = 1;
  std::int64_t growth = 0;
  std::int64_t first = 0;  ///< f(0)

  /// Whether f(i) = first + growth i.
  [[nodiscard]] bool affine() const { return period == 1; }
};

/// Periods up to this many accesses are evaluated, to see whether they consist of shorter ones.
inline constexpr std::int64_t evaluated_period = std::int64_t{1} << 16U;

/// A period that is shorter than the launch of `n` accesses: the shortest, if one of at most `evaluated_period` is
/// found. It is proved, for expressions of `i` and `n` alone, from operation to operation: each keeps the periods of
/// its operands, or multiplies them. Where nothing is proved it is absent, and the expression may be anything. What
/// divides by zero somewhere does so in the first period too; where the first access does, nothing is returned. Throws
/// as with_accesses().
[[nodiscard]] std::optional<Periodicity> periodicity(const Expression& expression, std::int64_t n);

/// Of an expression that is an affine one's remainder, as hashes by multiplication are:
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
