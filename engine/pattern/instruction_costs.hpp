#pragma once
// The costs of an expression's instructions on a GPU.

namespace gpumem::pattern {

/// A T for each instruction of an expression as it is compiled, 64 bits wide unless the name says otherwise.
template <typename T>
struct PerInstruction {
  T sum_cycles{};
  T bits_cycles{};  ///< and, or, exclusive or, complement
  T shift_cycles{};
  T product_cycles{};              ///< by a literal of at most 32 bits
  T wide_product_cycles{};         ///< by a longer literal, or of two values
  T narrow_product_cycles{};       ///< of 32 bits, as the compiler can tell
  T division_cycles{};             ///< a loop's worth
  T division_by_literal_cycles{};  ///< a multiplication by the reciprocal, 128 bits wide
  T narrow_division_cycles{};      ///< of 32 bits, as the compiler can tell
  T like_division_cycles{};        ///< of the same by another divisor times a power of two
  T shifted_division_cycles{};     ///< by a power of two
  T comparison_cycles{};
  T choice_cycles{};  ///< also minimum, maximum
};

/// Cycles that a warp keeps a scheduler's units busy for an instruction; 0 if it has become a part of another one. A
/// GPU's profile has the values (engine/model/rates.hpp).
using InstructionCosts = PerInstruction<double>;

}  // namespace gpumem::pattern
