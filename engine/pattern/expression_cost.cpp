#include "engine/pattern/expression_cost.hpp"

#include <algorithm>
#include <bit>
#include <limits>
#include <set>
#include <utility>

#include "engine/pattern/expression_bounds.hpp"

namespace gpumem::pattern {

namespace {

using Costs = InstructionCosts;

class Compiled {
 public:
  /// No compiler knows how many accesses there are.
  explicit Compiled(const std::vector<Instruction>& code)
      : code_(code), bounds_(bounds_of(code, bounds_of_launch(std::int64_t{1} << 40U))) {}

  [[nodiscard]] std::vector<CostedInstruction> all() {
    std::vector<CostedInstruction> costed;
    for (std::size_t k = 0; k < code_.size(); ++k) {
      if (const CostedInstruction instruction = of(k); instruction.cost != nothing) costed.push_back(instruction);
    }
    return costed;
  }

 private:
  [[nodiscard]] bool literal(std::uint16_t k) const { return code_[k].op == Opcode::literal; }
  [[nodiscard]] bool power_of_two(std::uint16_t k) const {
    return literal(k) && code_[k].value > 0 && std::has_single_bit(static_cast<std::uint64_t>(code_[k].value));
  }

  [[nodiscard]] InstructionCost divided(const Instruction& division) {
    // The remainder is a mask, a part of another instruction.
    if (power_of_two(division.b)) return division.op == Opcode::divide ? &Costs::shifted_division_cycles : nothing;
    if (!literal(division.b)) {
      return divisions_.insert({division.a, division.b}).second ? &Costs::division_cycles : &Costs::sum_cycles;
    }
    bool is_like_another = false;
    for (const auto& [dividend, divisor] : divisions_) {
      if (dividend != division.a || !literal(divisor)) continue;
      const auto [less, more] = std::minmax(code_[divisor].value, code_[division.b].value);
      if (less == more) return &Costs::sum_cycles;
      is_like_another = is_like_another ||
                        (less > 0 && more % less == 0 && std::has_single_bit(static_cast<std::uint64_t>(more / less)));
    }
    divisions_.insert({division.a, division.b});
    if (narrow(division.a)) return &Costs::narrow_division_cycles;
    return is_like_another ? &Costs::like_division_cycles : &Costs::division_by_literal_cycles;
  }

  [[nodiscard]] CostedInstruction multiplied(std::size_t k) const {
    const Instruction& product = code_[k];
    if (power_of_two(product.a) || power_of_two(product.b)) {
      const Instruction& left = code_[product.a];
      // Divided before by the same, it is no more than a mask. Any other is a part of another instruction.
      const bool is_back =
          left.op == Opcode::divide && power_of_two(left.b) && code_[left.b].value == code_[product.b].value;
      if (is_back) return {&Costs::shifted_division_cycles, -1};
      return {nothing};
    }
    if (narrow(k) && narrow(product.a) && narrow(product.b)) return {&Costs::narrow_product_cycles};
    const auto small = [&](std::uint16_t operand) { return literal(operand) && narrow(operand); };
    return {small(product.a) || small(product.b) ? &Costs::product_cycles : &Costs::wide_product_cycles};
  }

  [[nodiscard]] bool narrow(std::size_t k) const {
    return bounds_[k].low >= 0 && bounds_[k].high <= std::numeric_limits<std::uint32_t>::max();
  }

  [[nodiscard]] CostedInstruction of(std::size_t k) {
    const Instruction& instruction = code_[k];
    switch (instruction.op) {
      case Opcode::literal:
      case Opcode::variable:
        return {nothing};
      case Opcode::negate:
        return {&Costs::sum_cycles};
      case Opcode::add:
      case Opcode::subtract:
        return {literal(instruction.b) ? nothing : &Costs::sum_cycles};  // else a part of the address
      case Opcode::complement:
      case Opcode::bit_and:
      case Opcode::bit_or:
      case Opcode::bit_xor:
        return {&Costs::bits_cycles};
      case Opcode::shift_left:
      case Opcode::shift_right:
        return {&Costs::shift_cycles};
      case Opcode::multiply:
        return multiplied(k);
      case Opcode::divide:
      case Opcode::remainder:
        return {divided(instruction)};
      case Opcode::choose:
      case Opcode::minimum:
      case Opcode::maximum:
        return {&Costs::choice_cycles};
      case Opcode::logical_not:
      case Opcode::less:
      case Opcode::less_equal:
      case Opcode::equal:
      case Opcode::not_equal:
      case Opcode::logical_and:
      case Opcode::logical_or:
        return {&Costs::comparison_cycles};
    }
    return {nothing};
  }

  static constexpr InstructionCost nothing = nullptr;

  const std::vector<Instruction>& code_;
  std::vector<Bounds> bounds_;
  std::set<std::pair<std::uint16_t, std::uint16_t>> divisions_;
};

}  // namespace

std::vector<CostedInstruction> instructions_of(const Expression& expression) { return Compiled(expression.code).all(); }

double cycles_of(std::span<const CostedInstruction> instructions, const InstructionCosts& costs) {
  double cycles = 0;
  for (const CostedInstruction& instruction : instructions) cycles += instruction.times * costs.*instruction.cost;
  return cycles;
}

}  // namespace gpumem::pattern
