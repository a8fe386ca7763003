#include "engine/pattern/expression_residues.hpp"

#include <bit>
#include <limits>
#include <numeric>
#include <utility>

#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_period.hpp"

namespace gpumem::pattern {

namespace {

__extension__ using Signed128 = __int128;

/// What the last operation reduces its operand by: 2^k of "& (2^k - 1)".
std::optional<std::int64_t> modulus_of(const Instruction& last, std::int64_t literal) {
  if (last.op == Opcode::remainder && literal > 0) return literal;
  const auto next = static_cast<std::uint64_t>(literal) + 1;
  if (last.op != Opcode::bit_and || literal < 0 || literal == std::numeric_limits<std::int64_t>::max()) return {};
  if (!std::has_single_bit(next)) return {};
  return static_cast<std::int64_t>(next);
}

std::int64_t reduced(std::int64_t value, std::int64_t modulus) { return (value % modulus + modulus) % modulus; }

}  // namespace

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
  // Of what is negative a remainder is no residue.
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
