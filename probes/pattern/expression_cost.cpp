#include "probes/pattern/expression_cost.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "probes/pattern/expression_bounds.hpp"

namespace gpumem::pattern {

namespace {

// Of 64-bit integers, which a GPU works with in halves.
constexpr double sum = 0.5;  // most become part of a multiplication or of an address
constexpr double bits = 0.2;
constexpr double shift = 0.8;
constexpr double product = 3.2;
constexpr double wide_product = 6.5;    // by a literal of more than 32 bits, or of two values
constexpr double narrow_product = 1.5;  // of 32 bits, as the compiler can tell
constexpr double shifted_product = 0.8;
constexpr double shifted_division = 2.9;
constexpr double masked = 0.5;
constexpr double division_by_literal = 13;  // a multiplication by the reciprocal, 128 bits wide
constexpr double narrow_division = 4;       // of 32 bits, as the compiler can tell
constexpr double like_division = 8;         // of the same by another divisor times a power of two
constexpr double division = 70;             // a loop's worth
constexpr double comparison = 2;
constexpr double choice = 2;

class Costs {
 public:
  /// No compiler knows how many accesses there are.
  explicit Costs(const std::vector<Instruction>& code)
      : code_(code), bounds_(bounds_of(code, bounds_of_launch(std::int64_t{1} << 40U))) {}

  [[nodiscard]] double all() {
    double cost = 0;
    for (std::size_t k = 0; k < code_.size(); ++k) cost += of(k);
    return cost;
  }

 private:
  [[nodiscard]] bool literal(std::uint16_t k) const { return code_[k].op == Opcode::literal; }
  [[nodiscard]] bool power_of_two(std::uint16_t k) const {
    return literal(k) && code_[k].value > 0 && std::has_single_bit(static_cast<std::uint64_t>(code_[k].value));
  }

  [[nodiscard]] double divided(const Instruction& one) {
    if (power_of_two(one.b)) return one.op == Opcode::divide ? shifted_division : masked;
    if (!literal(one.b)) return divisions_.insert({one.a, one.b}).second ? division : sum;
    bool is_like_another = false;
    for (const auto& [dividend, divisor] : divisions_) {
      if (dividend != one.a || !literal(divisor)) continue;
      const auto [less, more] = std::minmax(code_[divisor].value, code_[one.b].value);
      if (less == more) return sum;
      is_like_another = is_like_another ||
                        (less > 0 && more % less == 0 && std::has_single_bit(static_cast<std::uint64_t>(more / less)));
    }
    divisions_.insert({one.a, one.b});
    return narrow(one.a) ? narrow_division : is_like_another ? like_division : division_by_literal;
  }

  [[nodiscard]] double multiplied(std::size_t k) const {
    const Instruction& one = code_[k];
    if (power_of_two(one.a) || power_of_two(one.b)) {
      const Instruction& other = code_[one.a];
      // Divided before by the same, it is no more than a mask.
      const bool is_back =
          other.op == Opcode::divide && power_of_two(other.b) && code_[other.b].value == code_[one.b].value;
      return is_back ? masked - shifted_division : shifted_product;
    }
    if (narrow(k) && narrow(one.a) && narrow(one.b)) return narrow_product;
    const auto small = [&](std::uint16_t operand) { return literal(operand) && narrow(operand); };
    return small(one.a) || small(one.b) ? product : wide_product;
  }

  [[nodiscard]] bool narrow(std::size_t k) const {
    return bounds_[k].low >= 0 && bounds_[k].high <= std::numeric_limits<std::uint32_t>::max();
  }

  [[nodiscard]] double of(std::size_t k) {
    const Instruction& one = code_[k];
    switch (one.op) {
      case Opcode::literal:
      case Opcode::variable:
        return 0;
      case Opcode::negate:
      case Opcode::add:
      case Opcode::subtract:
        return sum;
      case Opcode::complement:
      case Opcode::bit_and:
      case Opcode::bit_or:
      case Opcode::bit_xor:
        return bits;
      case Opcode::shift_left:
      case Opcode::shift_right:
        return shift;
      case Opcode::multiply:
        return multiplied(k);
      case Opcode::divide:
      case Opcode::remainder:
        return divided(one);
      case Opcode::choose:
      case Opcode::minimum:
      case Opcode::maximum:
        return choice;
      case Opcode::logical_not:
      case Opcode::less:
      case Opcode::less_equal:
      case Opcode::equal:
      case Opcode::not_equal:
      case Opcode::logical_and:
      case Opcode::logical_or:
        return comparison;
    }
    return 0;
  }

  const std::vector<Instruction>& code_;
  std::vector<Bounds> bounds_;
  std::set<std::pair<std::uint16_t, std::uint16_t>> divisions_;
};

}  // namespace

double instructions_of(const Expression& expression) { return Costs(expression.code).all(); }

}  // namespace gpumem::pattern
