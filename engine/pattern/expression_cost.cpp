#include "engine/pattern/expression_cost.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "engine/pattern/expression_bounds.hpp"

namespace gpumem::pattern {

namespace {

// Cycles that a warp keeps a scheduler's units busy with 64-bit integers, which a GPU works with in halves. An
// instruction of the units for sums, bits and shifts takes 1.7 cycles, a product into 64 bits 2.7, one into 32 bits 0.3
// for it runs beside the others, any other 1.2 (docs/patterns.md). Of compiled kernels, so what is free became a part
// of another instruction.
constexpr double sum = 2.2;
constexpr double bits = 0.3;
constexpr double shift = 1.4;
constexpr double product = 1.4;
constexpr double wide_product = 6.9;    // by a literal of more than 32 bits, or of two values
constexpr double narrow_product = 2.7;  // of 32 bits, as the compiler can tell
constexpr double shifted_product = 0;
constexpr double shifted_division = 4.8;
constexpr double masked = 0;
constexpr double division_by_literal = 22;  // a multiplication by the reciprocal, 128 bits wide
constexpr double narrow_division = 2.4;     // of 32 bits, as the compiler can tell
constexpr double like_division = 4.7;       // of the same by another divisor times a power of two
constexpr double division = 105;            // a loop's worth
constexpr double comparison = 1.8;
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
        return sum;
      case Opcode::add:
      case Opcode::subtract:
        return literal(one.b) ? 0 : sum;  // a part of the address
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

double cycles_of(const Expression& expression) { return Costs(expression.code).all(); }

}  // namespace gpumem::pattern
