#include "engine/pattern/expression_evaluator.hpp"

#include <fmt/format.h>

#include <bit>
#include <limits>
#include <utility>

#include "engine/pattern/expression_apply.hpp"

namespace gpumem::pattern {

namespace {

__extension__ using Unsigned128 = unsigned __int128;

constexpr std::uint64_t magnitude_of(std::int64_t value) {
  return value < 0 ? 0 - static_cast<std::uint64_t>(value) : static_cast<std::uint64_t>(value);
}

/// A loop for each operation, which the compiler makes vector instructions of.
template <Opcode op>
void for_each_lane(const WarpValues& a, const WarpValues& b, const WarpValues& c, WarpValues& result) {
  for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] = apply(op, a[lane], b[lane], c[lane]);
}

#ifdef __x86_64__
/// The same for processors since 2013: others have no vector instructions for products and shifts of 64 bits.
template <Opcode op>
[[gnu::target("avx2")]] void for_each_lane_avx2(const WarpValues& a, const WarpValues& b, const WarpValues& c,
                                                WarpValues& result) {
  for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] = apply(op, a[lane], b[lane], c[lane]);
}
#endif

/// Divides values from 0 to 2^31 - 1 as Evaluator::shorten says, into quotients or remainders.
[[gnu::always_inline]] inline void divide_each(const WarpValues& a, std::uint32_t multiplier, unsigned shift,
                                               std::uint32_t divisor, bool quotient, WarpValues& result) {
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const auto x = static_cast<std::uint32_t>(a[lane]);
    const std::uint64_t whole = std::uint64_t{x} * multiplier >> shift;
    const std::uint64_t rest = x - std::uint64_t{static_cast<std::uint32_t>(whole)} * divisor;
    result[lane] = static_cast<std::int64_t>(quotient ? whole : rest);
  }
}

using SmallDivision = void (*)(const WarpValues& a, std::uint32_t multiplier, unsigned shift, std::uint32_t divisor,
                               bool quotient, WarpValues& result);

void divide_each_plain(const WarpValues& a, std::uint32_t multiplier, unsigned shift, std::uint32_t divisor,
                       bool quotient, WarpValues& result) {
  divide_each(a, multiplier, shift, divisor, quotient, result);
}

#ifdef __x86_64__
[[gnu::target("avx2")]] void divide_each_avx2(const WarpValues& a, std::uint32_t multiplier, unsigned shift,
                                              std::uint32_t divisor, bool quotient, WarpValues& result) {
  divide_each(a, multiplier, shift, divisor, quotient, result);
}
#endif

SmallDivision small_division() {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return divide_each_avx2;
#endif
  return divide_each_plain;
}

using Operations = std::array<LaneOperation, opcodes>;

template <std::size_t... ops>
Operations operations_of(std::index_sequence<ops...>) {
#ifdef __x86_64__
  if (__builtin_cpu_supports("avx2")) return {for_each_lane_avx2<static_cast<Opcode>(ops)>...};
#endif
  return {for_each_lane<static_cast<Opcode>(ops)>...};
}

const Operations& operations() {
  static const Operations all = operations_of(std::make_index_sequence<opcodes>());
  return all;
}

}  // namespace

void set_consecutive(WarpAccesses& at, std::int64_t first, std::size_t count) {
  for (std::size_t lane = 0; lane < lanes; ++lane) at.i[lane] = gpumem_add(first, static_cast<std::int64_t>(lane));
  at.active = count < lanes ? (std::uint32_t{1} << count) - 1 : ~std::uint32_t{0};
}

WarpAccesses consecutive(std::int64_t first, std::size_t count) {
  WarpAccesses at;
  set_consecutive(at, first, count);
  return at;
}

Evaluator::Evaluator(const Expression& expression, std::int64_t n)
    : expression_(with_accesses(expression, n)), values_(expression_.code.size()) {
  for (std::size_t k = 0; k < expression_.code.size(); ++k) {
    const Instruction& instruction = expression_.code[k];
    if (instruction.op == Opcode::literal) {
      values_[k].fill(instruction.value);
      continue;
    }
    Step step{.instruction = instruction, .operation = operations()[static_cast<std::size_t>(instruction.op)]};
    step.result = static_cast<std::uint16_t>(k);
    if (instruction.op == Opcode::divide || instruction.op == Opcode::remainder) {
      const Instruction& divisor = expression_.code[instruction.b];
      if (divisor.op == Opcode::literal) shorten(step, divisor.value);
      step.may_divide_by_zero = divisor.op != Opcode::literal || divisor.value == 0;
    } else if (instruction.op == Opcode::variable && instruction.value == static_cast<std::int64_t>(Variable::lane)) {
      for (std::size_t lane = 0; lane < lanes; ++lane) values_[k][lane] = static_cast<std::int64_t>(lane);
      continue;
    }
    steps_.push_back(step);
  }
}

/// A multiplication for a division: T. Granlund and P. Montgomery, Division by Invariant Integers using Multiplication,
/// PLDI 1994, theorem 4.2, for magnitudes up to 2^63: with 2^(l-1) < d <= 2^l and m = ceil(2^(63+l) / d), which is
/// below 2^64, a / d is a m / 2^(63+l) rounded down. (At a = 2^63 itself the excess is (m d - 2^(63+l)) / (2^l d) <
/// 1/d.) For values below 2^31 the same holds with 31 in place of 63, and m is below 2^32. Such products are those of
/// 32 bits, of which vector instructions make several at a time.
void Evaluator::shorten(Step& step, std::int64_t divisor) {
  const std::uint64_t magnitude = magnitude_of(divisor);
  if (magnitude < 2) return;
  step.magnitude = magnitude;
  const auto l = static_cast<unsigned>(std::bit_width(magnitude - 1));
  step.shift = l;
  if (divisor > 0 && std::has_single_bit(magnitude)) {
    step.shortcut = Shortcut::by_power_of_two;
    return;
  }
  step.shortcut = Shortcut::by_literal;
  step.multiplier = static_cast<std::uint64_t>(((Unsigned128{1} << (63U + l)) + magnitude - 1) / magnitude);
  constexpr unsigned small_bits = 31;
  if (l > small_bits || divisor < 0) return;
  step.small_multiplier =
      static_cast<std::uint32_t>(((std::uint64_t{1} << (small_bits + l)) + magnitude - 1) / magnitude);
}

const WarpValues& Evaluator::operator()(const WarpAccesses& at) {
  for (const Step& step : steps_) {
    if (step.instruction.op == Opcode::variable) {
      fill(step, at);
    } else if (step.instruction.op == Opcode::divide || step.instruction.op == Opcode::remainder) {
      divide(step, at);
    } else {
      carry_out(step);
    }
  }
  return values_.back();
}

void Evaluator::fill(const Step& step, const WarpAccesses& at) {
  WarpValues& result = values_[step.result];
  switch (static_cast<Variable>(step.instruction.value)) {
    case Variable::i:
      result = at.i;
      break;
    case Variable::warp:
      result.fill(at.warp);
      break;
    case Variable::block:
      result.fill(at.block);
      break;
    case Variable::thread:
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        result[lane] = at.warp * static_cast<std::int64_t>(lanes) + static_cast<std::int64_t>(lane);
      }
      break;
    case Variable::n:
    case Variable::lane:  // both known when the evaluator was made
    case Variable::row:   // in_tile() has replaced these
    case Variable::column:
    case Variable::pitch:
      break;
  }
}

/// Returns false if a value is too large or negative.
bool Evaluator::divide_small(const Step& step) {
  static const SmallDivision divide_them = small_division();
  const WarpValues& a = values_[step.instruction.a];
  std::int64_t bits = 0;
  for (const std::int64_t value : a) bits |= value;
  if (bits < 0 || bits > std::numeric_limits<std::int32_t>::max()) return false;
  divide_them(a, step.small_multiplier, step.shift + 31, static_cast<std::uint32_t>(step.magnitude),
              step.instruction.op == Opcode::divide, values_[step.result]);
  return true;
}

void Evaluator::divide(const Step& step, const WarpAccesses& at) {
  if (step.small_multiplier != 0 && divide_small(step)) return;
  const WarpValues& a = values_[step.instruction.a];
  WarpValues& result = values_[step.result];
  const bool quotient = step.instruction.op == Opcode::divide;
  const auto by_quotients = [&](const auto& quotient_of) {
    if (quotient) {
      for (std::size_t lane = 0; lane < lanes; ++lane) result[lane] = quotient_of(a[lane]);
    } else {
      const auto divisor = step.magnitude;  // the sign of a divisor is none of its remainder's business
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const auto whole = static_cast<std::uint64_t>(quotient_of(a[lane])) * divisor;
        result[lane] = static_cast<std::int64_t>(static_cast<std::uint64_t>(a[lane]) - whole);
      }
    }
  };
  if (step.shortcut == Shortcut::by_power_of_two) {
    // Rounded towards zero: what is negative is raised by just less than the divisor first.
    return by_quotients([low = static_cast<std::int64_t>(step.magnitude - 1), shift = step.shift](std::int64_t x) {
      return (x + ((x >> 63) & low)) >> shift;
    });
  }
  if (step.shortcut == Shortcut::by_literal) {
    const bool negative = quotient && values_[step.instruction.b][0] < 0;
    return by_quotients([=, multiplier = step.multiplier, shift = step.shift - 1](std::int64_t x) {
      const auto high = static_cast<std::uint64_t>((Unsigned128{magnitude_of(x)} * multiplier) >> 64U);
      const auto whole = static_cast<std::int64_t>(high >> shift);
      return (x < 0) != negative ? -whole : whole;
    });
  }
  const WarpValues& b = values_[step.instruction.b];
  std::uint32_t zeros = 0;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    if (b[lane] == 0) zeros |= std::uint32_t{1} << lane;
    result[lane] = quotient ? gpumem_divide(a[lane], b[lane]) : gpumem_remainder(a[lane], b[lane]);
  }
  zeros &= at.active;
  if (zeros == 0 || !step.may_divide_by_zero) return;
  for (std::size_t lane = 0; lane < lanes; ++lane) {
    const bool counts = step.instruction.c == always || values_[step.instruction.c][lane] != 0;
    if ((zeros >> lane & 1U) == 0 || !counts) continue;
    refuse_expression(expression_.option, expression_.text, step.instruction.column,
                      fmt::format("'{}' is by zero for access i = {}", quotient ? '/' : '%', at.i[lane]));
  }
}

void Evaluator::carry_out(const Step& step) {
  const Instruction& instruction = step.instruction;
  step.operation(values_[instruction.a], values_[instruction.b], values_[instruction.c], values_[step.result]);
}

}  // namespace gpumem::pattern
