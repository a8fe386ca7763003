#include "engine/pattern/expression_growth.hpp"

#include <algorithm>
#include <bit>
#include <initializer_list>
#include <numeric>

#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_builder.hpp"

namespace gpumem::pattern {

namespace {

__extension__ using UnsignedWide = unsigned __int128;

constexpr Growth unknown{};
constexpr Growth constant{.period = 1, .growth = 0};

/// Proves growth instruction by instruction. Sums, and products with a literal, keep periods even if they wrap.
/// Operations that round or compare keep them only if nothing wrapped: if values differ by less than 2^63
/// (Bounds::narrow), growth modulo 2^64 is the true growth.
class Proof {
 public:
  Proof(const std::vector<Instruction>& code, std::int64_t n)
      : code_(code),
        bounds_(bounds_of(code, bounds_of_launch(n))),
        bits_(possible_bits(code, bounds_)),
        longest_(static_cast<std::uint64_t>(n)) {
    for (std::size_t k = 0; k < code_.size(); ++k) growth_.push_back(growth_of(k));
  }

  /// The growth of the whole expression, in periods that also cover where it divides by zero.
  [[nodiscard]] Growth result() const {
    Growth all = growth_.back();
    if (!bounds_.back().narrow()) return unknown;
    for (const Instruction& instruction : code_) {
      if (instruction.op != Opcode::divide && instruction.op != Opcode::remainder) continue;
      if (bounds_[instruction.b].never_zero()) continue;
      const Growth guard = instruction.c == always ? constant : growth_[instruction.c];
      const std::uint64_t period = common({all, growth_[instruction.b], guard});
      if (period == 0 || !growth_[instruction.b].repeats() || !guard.repeats()) return unknown;
      all = {period, all.in(period)};
    }
    return all;
  }

 private:
  /// The least common multiple of the periods; 0 if one is not known, or if the multiple is longer than the launch.
  [[nodiscard]] std::uint64_t common(std::initializer_list<Growth> all) const {
    std::uint64_t period = 1;
    for (const Growth& growth : all) {
      if (!growth.known()) return 0;
      const UnsignedWide multiple = UnsignedWide{period} * (growth.period / std::gcd(period, growth.period));
      if (multiple > longest_) return 0;
      period = static_cast<std::uint64_t>(multiple);
    }
    return period;
  }

  /// `times` periods of `shorter` as a period, in which the value grows by `growth`.
  [[nodiscard]] Growth repeated(const Growth& shorter, std::uint64_t times, std::uint64_t growth) const {
    const UnsignedWide period = UnsignedWide{shorter.period} * times;
    return period > longest_ ? unknown : Growth{static_cast<std::uint64_t>(period), growth};
  }

  [[nodiscard]] const std::int64_t* literal(std::uint16_t k) const {
    return code_[k].op == Opcode::literal ? &code_[k].value : nullptr;
  }

  /// The growth of an instruction whose operands all repeat: it repeats itself too.
  [[nodiscard]] Growth repeats_with(std::initializer_list<Growth> operands) const {
    const bool all = std::ranges::all_of(operands, [](const Growth& growth) { return growth.repeats(); });
    return {all ? common(operands) : 0, 0};
  }

  [[nodiscard]] Growth sum(const Growth& a, const Growth& b, bool subtract) const {
    const std::uint64_t period = common({a, b});
    if (period == 0) return unknown;
    return {period, subtract ? a.in(period)-b.in(period) : a.in(period) + b.in(period)};
  }

  [[nodiscard]] static Growth multiple(const Growth& a, std::uint64_t factor) { return {a.period, a.growth * factor}; }

  /// a / d or a % d, rounded down, for d from 1 to 2^63: after a multiple of d they repeat, a / d from there on.
  [[nodiscard]] Growth rounded(const Growth& a, std::uint64_t d, bool quotient) const {
    const bool falls = static_cast<std::int64_t>(a.growth) < 0;
    const std::uint64_t size = falls ? 0 - a.growth : a.growth;
    const std::uint64_t divisor = std::gcd(size, d);
    const std::uint64_t steps = quotient ? size / divisor : 0;
    return repeated(a, d / divisor, falls ? 0 - steps : steps);
  }

  [[nodiscard]] Growth divided(std::uint16_t k, std::uint16_t by, bool quotient) const {
    const Bounds& of = bounds_[k];
    const Growth& a = growth_[k];
    const std::int64_t* const d = literal(by);
    // Rounding is towards zero: down or up all the time only where the sign stays.
    if (!a.known() || d == nullptr || *d == 0 || !of.narrow() || (of.low < 0 && of.high > 0)) return unknown;
    const auto magnitude = [](std::int64_t x) {
      return x < 0 ? 0 - static_cast<std::uint64_t>(x) : static_cast<std::uint64_t>(x);
    };
    const std::uint64_t divisor = magnitude(*d);
    if (!quotient && std::max(magnitude(of.low), magnitude(of.high)) < divisor) return a;  // nothing is taken off
    const Growth result = rounded(a, divisor, quotient);
    return quotient && *d < 0 ? multiple(result, ~std::uint64_t{0}) : result;
  }

  /// a & m, a | m or a ^ m for a mask that repeats itself and has no bit from some place below 2^63 on. After a period
  /// in which `a` grows by a multiple of that place, a & m is the same again, and a | m = a + m - (a & m),
  /// a ^ m = a + m - 2 (a & m). Any other mask that keeps its sign is ~m, and a & ~m = a - (a & m),
  /// a | ~m = ~(m - (a & m)), a ^ ~m = ~(a ^ m).
  [[nodiscard]] Growth masked(Opcode op, const Growth& a, std::uint16_t by) const {
    const Bounds& mask = bounds_[by];
    const std::uint64_t period = common({a, growth_[by]});
    const bool inverted = mask.high < 0;
    if (period == 0 || !growth_[by].repeats() || (mask.low < 0 && !inverted)) return unknown;
    const auto bits =
        static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(inverted ? ~mask.low : mask.high)));
    const Growth whole{period, a.in(period)};
    const unsigned even = std::min(bits, static_cast<unsigned>(std::countr_zero(whole.growth)));  // of 0: 64
    const std::uint64_t times = std::uint64_t{1} << (bits - even);
    const bool grows = op == Opcode::bit_xor || (op == Opcode::bit_or) != inverted;
    const std::uint64_t growth = grows ? whole.growth * times : 0;
    return repeated(whole, times, op == Opcode::bit_xor && inverted ? 0 - growth : growth);
  }

  /// a & b, a | b or a ^ b, `instruction`.
  [[nodiscard]] Growth bitwise(const Instruction& instruction) const {
    const Growth& a = growth_[instruction.a];
    const Growth& b = growth_[instruction.b];
    if (instruction.op == Opcode::bit_and) {
      if (keeps_all(instruction.a, instruction.b)) return a;
      if (keeps_all(instruction.b, instruction.a)) return b;
    } else if ((bits_[instruction.a] & bits_[instruction.b]) == 0) {
      return sum(a, b, false);  // nothing carries
    }
    const Growth by_b = masked(instruction.op, a, instruction.b);
    return by_b.known() ? by_b : masked(instruction.op, b, instruction.a);
  }

  /// True if the mask is a literal with all bits that the value may have.
  [[nodiscard]] bool keeps_all(std::uint16_t value, std::uint16_t mask) const {
    return literal(mask) != nullptr && (bits_[value] & ~static_cast<std::uint64_t>(*literal(mask))) == 0;
  }

  [[nodiscard]] Growth compared(const Instruction& instruction) const {
    const std::uint64_t period = common({growth_[instruction.a], growth_[instruction.b]});
    const bool exact = bounds_[instruction.a].narrow() && bounds_[instruction.b].narrow();
    if (period == 0 || !exact || growth_[instruction.a].in(period) != growth_[instruction.b].in(period)) return unknown;
    const bool keeps = instruction.op == Opcode::minimum || instruction.op == Opcode::maximum;
    return {period, keeps ? growth_[instruction.a].in(period) : 0};
  }

  [[nodiscard]] Growth chosen(const Instruction& instruction) const {
    const Bounds& condition = bounds_[instruction.a];
    if (condition.never_zero()) return growth_[instruction.b];
    if (condition == Bounds{0, 0}) return growth_[instruction.c];
    const std::uint64_t period = common({growth_[instruction.a], growth_[instruction.b], growth_[instruction.c]});
    if (period == 0 || !growth_[instruction.a].repeats()) return unknown;
    const std::uint64_t growth = growth_[instruction.b].in(period);
    return growth == growth_[instruction.c].in(period) ? Growth{period, growth} : unknown;
  }

  [[nodiscard]] Growth by_operation(const Instruction& instruction) const {
    const Growth& a = growth_[instruction.a];
    const Growth& b = growth_[instruction.b];
    const std::int64_t* const right = literal(instruction.b);
    switch (instruction.op) {
      case Opcode::negate:
      case Opcode::complement:  // -a - 1
        return multiple(a, ~std::uint64_t{0});
      case Opcode::add:
      case Opcode::subtract:
        return sum(a, b, instruction.op == Opcode::subtract);
      case Opcode::multiply:
        if (right != nullptr) return multiple(a, static_cast<std::uint64_t>(*right));
        if (literal(instruction.a) != nullptr) return multiple(b, static_cast<std::uint64_t>(*literal(instruction.a)));
        return unknown;
      case Opcode::divide:
      case Opcode::remainder:
        return divided(instruction.a, instruction.b, instruction.op == Opcode::divide);
      case Opcode::shift_left:
        return right != nullptr && *right >= 0 && *right < 64 ? multiple(a, std::uint64_t{1} << *right) : unknown;
      case Opcode::shift_right:
        if (!a.known() || !bounds_[instruction.a].narrow() || right == nullptr || *right < 0 || *right > 63)
          return unknown;
        return rounded(a, std::uint64_t{1} << *right, true);
      case Opcode::bit_and:
      case Opcode::bit_or:
      case Opcode::bit_xor:
        return bitwise(instruction);
      case Opcode::choose:
        return chosen(instruction);
      case Opcode::minimum:
      case Opcode::maximum: {
        const bool smaller = instruction.op == Opcode::minimum;
        if (bounds_[instruction.a].high <= bounds_[instruction.b].low) return smaller ? a : b;
        if (bounds_[instruction.b].high <= bounds_[instruction.a].low) return smaller ? b : a;
        return compared(instruction);
      }
      case Opcode::less:
      case Opcode::less_equal:
      case Opcode::equal:
      case Opcode::not_equal:
        return compared(instruction);
      default:
        return unknown;
    }
  }

  [[nodiscard]] Growth growth_of(std::size_t k) const {
    const Instruction& instruction = code_[k];
    if (bounds_[k].single()) return constant;
    if (instruction.op == Opcode::variable)
      return instruction.value == static_cast<int>(Variable::i) ? Growth{1, 1} : unknown;
    const Growth particular = by_operation(instruction);
    if (particular.known()) return particular;
    const int count = operands(instruction.op);
    const Growth b = count > 1 ? growth_[instruction.b] : constant;
    return repeats_with({growth_[instruction.a], b, count > 2 ? growth_[instruction.c] : constant});
  }

  const std::vector<Instruction>& code_;
  std::vector<Bounds> bounds_;
  std::vector<std::uint64_t> bits_;  ///< that may be set
  std::uint64_t longest_;
  std::vector<Growth> growth_;
};

}  // namespace

Growth proved_growth(const std::vector<Instruction>& code, std::int64_t n) { return Proof(code, n).result(); }

}  // namespace gpumem::pattern
