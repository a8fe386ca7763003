#include "engine/pattern/expression_period.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <numeric>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_growth.hpp"

namespace gpumem::pattern {

namespace {

/// The values of the first `count` accesses, up to the first warp that divides by zero.
std::vector<std::uint64_t> first_values(const Expression& expression, std::int64_t n, std::int64_t count) {
  std::vector<std::uint64_t> values;
  Evaluator evaluator(expression, n);
  try {
    for (std::int64_t i = 0; i < count; i += lanes) {
      const auto here = std::min(lanes, static_cast<std::size_t>(count - i));
      const WarpValues& of_warp = evaluator(consecutive(i, here));
      values.insert(values.end(), of_warp.begin(), of_warp.begin() + static_cast<std::ptrdiff_t>(here));
    }
  } catch (const Error&) {
    // Whoever evaluates the expression is told where.
  }
  return values;
}

/// True if a proved period consists of `parts` shorter ones. `values` has all values of the period. The step from its
/// last part to the next period needs no check: the value grows there by what is left of the growth, which is as much
/// as in any other step.
bool splits(const std::vector<std::uint64_t>& values, const Periodicity& proved, std::int64_t parts) {
  if (proved.growth % parts != 0) return false;
  const std::size_t shorter = values.size() / static_cast<std::size_t>(parts);
  const auto growth = static_cast<std::uint64_t>(proved.growth / parts);
  for (std::size_t i = 0; i + shorter < values.size(); ++i) {
    if (values[i + shorter] != values[i] + growth) return false;
  }
  return true;
}

__extension__ using Signed128 = __int128;

/// The modulus by which the last operation reduces its operand: `literal` of "% literal", 2^k of "& (2^k - 1)".
/// Otherwise nullopt.
std::optional<std::int64_t> modulus_of(const Instruction& last, std::int64_t literal) {
  if (last.op == Opcode::remainder && literal > 0) return literal;
  const auto next = static_cast<std::uint64_t>(literal) + 1;
  if (last.op != Opcode::bit_and || literal < 0 || literal == std::numeric_limits<std::int64_t>::max()) return {};
  if (!std::has_single_bit(next)) return {};
  return static_cast<std::int64_t>(next);
}

std::int64_t reduced(std::int64_t value, std::int64_t modulus) { return (value % modulus + modulus) % modulus; }

}  // namespace

std::optional<Periodicity> periodicity(const Expression& expression, std::int64_t n) {
  const Expression of_launch = with_accesses(expression, n);
  const Growth growth = proved_growth(of_launch.code, n);
  const auto period = static_cast<std::int64_t>(growth.period);
  if (!growth.known() || (period >= n && period > 1)) return std::nullopt;

  auto values = first_values(of_launch, n, period <= evaluated_period ? period : 1);
  if (values.empty()) return std::nullopt;
  Periodicity proved{period, static_cast<std::int64_t>(growth.growth), static_cast<std::int64_t>(values[0])};
  for (std::int64_t prime = 2; prime <= proved.period && static_cast<std::int64_t>(values.size()) == proved.period;) {
    if (proved.period % prime != 0 || !splits(values, proved, prime)) {
      ++prime;  // one that is no prime divides nothing whose prime factors were all tried
      continue;
    }
    proved.period /= prime;
    proved.growth /= prime;
    values.resize(static_cast<std::size_t>(proved.period));
  }
  return proved;
}

std::optional<Residues> residues(const Expression& expression, std::int64_t n) {
  Expression operand = with_accesses(expression, n);
  const Instruction last = operand.code.back();
  if (last.op != Opcode::remainder && last.op != Opcode::bit_and) return std::nullopt;
  std::uint16_t reduced_one = last.a;
  std::uint16_t literal = last.b;
  if (last.op == Opcode::bit_and && operand.code[literal].op != Opcode::literal) std::swap(reduced_one, literal);
  if (operand.code[literal].op != Opcode::literal) return std::nullopt;
  const auto modulus = modulus_of(last, operand.code[literal].value);
  if (!modulus) return std::nullopt;
  operand.code.resize(std::size_t{reduced_one} + 1);
  // The remainder of a negative value is no residue.
  if (last.op == Opcode::remainder && bounds_of(operand, n).low < 0) return std::nullopt;
  const auto period = periodicity(operand, n);
  if (!period || !period->affine()) return std::nullopt;
  return Residues{reduced(period->first, *modulus), reduced(period->growth, *modulus), *modulus};
}

std::int64_t where(const Residues& residues, std::int64_t value) {
  const std::int64_t common = std::gcd(residues.step, residues.modulus);
  const std::int64_t modulus = residues.modulus / common;
  // The inverse of the step by Euclid's extended algorithm.
  std::int64_t inverse = 0;
  std::int64_t next_inverse = 1;
  std::int64_t rest = modulus;
  std::int64_t next_rest = residues.step / common % modulus;
  while (next_rest != 0) {
    const std::int64_t quotient = rest / next_rest;
    inverse = std::exchange(next_inverse, inverse - quotient * next_inverse);
    rest = std::exchange(next_rest, rest - quotient * next_rest);
  }
  const std::int64_t distance = (value - residues.first) / common;
  const auto product = static_cast<Signed128>(reduced(distance, modulus)) * reduced(inverse, modulus);
  return static_cast<std::int64_t>(product % modulus);
}

}  // namespace gpumem::pattern
