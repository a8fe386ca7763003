#include "engine/pattern/expression_bounds.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <limits>
#include <optional>

namespace gpumem::pattern {

namespace {

__extension__ using Wide = __int128;

constexpr std::int64_t smallest = std::numeric_limits<std::int64_t>::min();
constexpr std::int64_t largest = std::numeric_limits<std::int64_t>::max();
constexpr Bounds anything{smallest, largest};
constexpr Bounds truth{0, 1};

/// The bounds of these values. A value that does not fit in 64 bits wraps, and can then be anything.
Bounds between(std::initializer_list<Wide> values) {
  const Wide low = std::min(values);
  const Wide high = std::max(values);
  if (low < smallest || high > largest) return anything;
  return {static_cast<std::int64_t>(low), static_cast<std::int64_t>(high)};
}

Bounds hull(const Bounds& a, const Bounds& b) { return {std::min(a.low, b.low), std::max(a.high, b.high)}; }

Bounds products(const Bounds& a, const Bounds& b) {
  return between({Wide{a.low} * b.low, Wide{a.low} * b.high, Wide{a.high} * b.low, Wide{a.high} * b.high});
}

/// Quotients grow or fall with each operand as long as the divisor keeps its sign: the extremes are at the ends.
Bounds quotients(const Bounds& a, const Bounds& b) {
  if (b.never_zero()) {
    return between({Wide{a.low} / b.low, Wide{a.low} / b.high, Wide{a.high} / b.low, Wide{a.high} / b.high});
  }
  const Wide most = std::max(-Wide{a.low}, Wide{a.high});  // in magnitude no quotient has more than its dividend
  return between({0, a.low, -Wide{a.low}, a.high, -Wide{a.high}, most, -most});
}

/// A remainder has the sign of the dividend, and less magnitude than the divisor.
Bounds remainders(const Bounds& a, const Bounds& b) {
  const Wide most = std::max({Wide{0}, std::max(-Wide{b.low}, Wide{b.high}) - 1});
  const Wide smallest_divisor = b.low > 0 ? b.low : b.high < 0 ? -Wide{b.high} : Wide{0};
  if (a.low > -smallest_divisor && a.high < smallest_divisor) return a;  // nothing is taken off
  return between({a.low < 0 ? std::max(Wide{a.low}, -most) : Wide{0}, a.high > 0 ? std::min(Wide{a.high}, most) : 0});
}

Bounds shifted_left(const Bounds& a, const Bounds& by) {
  constexpr int most = 62;  // so that the products below fit
  if (by.low < 0 || by.high > most) return anything;
  return products(a, {std::int64_t{1} << by.low, std::int64_t{1} << by.high});
}

Bounds shifted_right(const Bounds& a, const Bounds& by) {
  const bool usual = by.low >= 0 && by.high <= 63;
  const std::int64_t least = usual ? by.low : 0;
  const std::int64_t most = usual ? by.high : 63;
  return between({a.low >> least, a.low >> most, a.high >> least, a.high >> most});
}

/// Bits above those of both operands are all like the sign.
Bounds bits(Opcode op, const Bounds& a, const Bounds& b) {
  const auto width = [](std::int64_t value) {
    return std::bit_width(static_cast<std::uint64_t>(value < 0 ? ~value : value));
  };
  const auto needed = std::max({width(a.low), width(a.high), width(b.low), width(b.high)});
  const auto mask = static_cast<std::int64_t>((std::uint64_t{1} << needed) - 1);
  const bool positive = a.low >= 0 && b.low >= 0;
  if (op == Opcode::bit_and) {
    if (positive) return {0, std::min(a.high, b.high)};
    if (a.low >= 0) return {0, a.high};
    if (b.low >= 0) return {0, b.high};
  }
  if (op == Opcode::bit_or && positive) return {std::max(a.low, b.low), mask};
  return {positive ? 0 : ~mask, mask};
}

Bounds decided(bool yes, bool no) { return yes ? Bounds{1, 1} : no ? Bounds{0, 0} : truth; }

bool apart(const Bounds& a, const Bounds& b) { return a.high < b.low || b.high < a.low; }
bool zero(const Bounds& a) { return a.low == 0 && a.high == 0; }

Bounds bounds(Opcode op, const Bounds& a, const Bounds& b, const Bounds& c) {
  switch (op) {
    case Opcode::negate:
      return between({-Wide{a.low}, -Wide{a.high}});
    case Opcode::complement:
      return {~a.high, ~a.low};
    case Opcode::logical_not:
      return decided(zero(a), a.never_zero());
    case Opcode::add:
      return between({Wide{a.low} + b.low, Wide{a.high} + b.high});
    case Opcode::subtract:
      return between({Wide{a.low} - b.high, Wide{a.high} - b.low});
    case Opcode::multiply:
      return products(a, b);
    case Opcode::divide:
      return quotients(a, b);
    case Opcode::remainder:
      return remainders(a, b);
    case Opcode::shift_left:
      return shifted_left(a, b);
    case Opcode::shift_right:
      return shifted_right(a, b);
    case Opcode::bit_and:
    case Opcode::bit_or:
    case Opcode::bit_xor:
      return bits(op, a, b);
    case Opcode::less:
      return decided(a.high < b.low, a.low >= b.high);
    case Opcode::less_equal:
      return decided(a.high <= b.low, a.low > b.high);
    case Opcode::equal:
      return decided(a.single() && a == b, apart(a, b));
    case Opcode::not_equal:
      return decided(apart(a, b), a.single() && a == b);
    case Opcode::logical_and:
      return decided(a.never_zero() && b.never_zero(), zero(a) || zero(b));
    case Opcode::logical_or:
      return decided(a.never_zero() || b.never_zero(), zero(a) && zero(b));
    case Opcode::choose:
      return a.never_zero() ? b : zero(a) ? c : hull(b, c);
    case Opcode::minimum:
      return {std::min(a.low, b.low), std::min(a.high, b.high)};
    case Opcode::maximum:
      return {std::max(a.low, b.low), std::max(a.high, b.high)};
    case Opcode::literal:
    case Opcode::variable:
      break;
  }
  return anything;
}

/// All bits from the lowest of these on: those of multiples of it, whether they wrap or not.
std::uint64_t from_lowest(std::uint64_t bits) { return 0 - (bits & (0 - bits)); }

/// True if no bit can be set in both values. Their sum then carries nowhere.
bool disjoint(std::uint64_t a, std::uint64_t b) { return (a & b) == 0; }

/// The possible bits of an operation, by those of its operands. `by` is the value of the second operand, if it has only
/// one.
std::uint64_t possible_bits(Opcode op, std::uint64_t a, std::uint64_t b, std::uint64_t c,
                            std::optional<std::int64_t> by, bool not_negative) {
  constexpr std::uint64_t any = ~std::uint64_t{0};
  const bool shifts = by && *by >= 0 && *by < 64;
  const bool power_of_two = by && *by > 0 && std::has_single_bit(static_cast<std::uint64_t>(*by));
  switch (op) {
    case Opcode::bit_and:
      return a & b;
    case Opcode::bit_or:
    case Opcode::bit_xor:
    case Opcode::minimum:
    case Opcode::maximum:
      return a | b;
    case Opcode::choose:
      return b | c;
    case Opcode::add:
      return disjoint(a, b) ? a | b : from_lowest(a | b);
    case Opcode::subtract:
      return from_lowest(a | b);
    case Opcode::negate:
      return from_lowest(a);
    case Opcode::multiply:
      return from_lowest((a & (0 - a)) * (b & (0 - b)));
    case Opcode::divide:
      return power_of_two && not_negative ? a >> std::countr_zero(static_cast<std::uint64_t>(*by)) : any;
    case Opcode::remainder:
      return power_of_two && not_negative ? a & static_cast<std::uint64_t>(*by - 1) : from_lowest(a | b);
    case Opcode::shift_left:
      return shifts ? a << *by : from_lowest(a);
    case Opcode::shift_right:  // if the sign may be set, so may all that it is shifted into
      return shifts ? static_cast<std::uint64_t>(static_cast<std::int64_t>(a) >> *by) : any;
    default:
      return any;
  }
}

}  // namespace

VariableBounds bounds_of_launch(std::int64_t most_accesses) {
  constexpr std::int64_t most_threads = 1024;  // CUDA C++ Programming Guide, Technical Specifications
  constexpr std::int64_t warp_threads = 32;
  VariableBounds of;
  const auto set = [&](Variable variable, Bounds bounds) { of[static_cast<std::size_t>(variable)] = bounds; };
  set(Variable::i, {0, most_accesses - 1});
  set(Variable::n, {1, most_accesses});
  set(Variable::lane, {0, warp_threads - 1});
  set(Variable::warp, {0, most_threads / warp_threads - 1});
  set(Variable::thread, {0, most_threads - 1});
  set(Variable::block, {0, most_accesses - 1});
  for (const Variable of_tile : {Variable::row, Variable::column, Variable::pitch}) {
    set(of_tile, {0, std::numeric_limits<std::int64_t>::max()});
  }
  return of;
}

std::vector<Bounds> bounds_of(const std::vector<Instruction>& code, const VariableBounds& of_variables) {
  std::vector<Bounds> all;
  all.reserve(code.size());
  for (const Instruction& instruction : code) {
    if (instruction.op == Opcode::literal) {
      all.push_back({instruction.value, instruction.value});
    } else if (instruction.op == Opcode::variable) {
      all.push_back(of_variables[static_cast<std::size_t>(instruction.value)]);
    } else {
      all.push_back(bounds(instruction.op, all[instruction.a], all[instruction.b],
                           all[instruction.op == Opcode::choose ? instruction.c : 0]));
    }
  }
  return all;
}

std::vector<std::uint64_t> possible_bits(const std::vector<Instruction>& code, const std::vector<Bounds>& bounds) {
  std::vector<std::uint64_t> all;
  all.reserve(code.size());
  for (std::size_t k = 0; k < code.size(); ++k) {
    const Instruction& instruction = code[k];
    const auto highest = static_cast<std::uint64_t>(bounds[k].high);
    // A value that is not negative has no bits above those of the highest.
    std::uint64_t bits = bounds[k].single()   ? highest
                         : bounds[k].low >= 0 ? ~std::uint64_t{0} >> std::countl_zero(highest)
                                              : ~std::uint64_t{0};
    if (instruction.op != Opcode::literal && instruction.op != Opcode::variable) {
      const Bounds& by = bounds[instruction.b];
      bits &= possible_bits(instruction.op, all[instruction.a], all[instruction.b],
                            all[instruction.op == Opcode::choose ? instruction.c : 0],
                            by.single() ? std::optional(by.low) : std::nullopt, bounds[instruction.a].low >= 0);
    }
    all.push_back(bits);
  }
  return all;
}

Bounds bounds_of(const Expression& expression, std::int64_t n) {
  return bounds_of(with_accesses(expression, n).code, bounds_of_launch(n)).back();
}

bool may_divide_by_zero(const Expression& expression, std::int64_t n) {
  const std::vector<Instruction> code = with_accesses(expression, n).code;
  const std::vector<Bounds> bounds = bounds_of(code, bounds_of_launch(n));
  return std::ranges::any_of(code, [&](const Instruction& instruction) {
    const bool divides = instruction.op == Opcode::divide || instruction.op == Opcode::remainder;
    return divides && !bounds[instruction.b].never_zero();
  });
}

}  // namespace gpumem::pattern
