#pragma once
// The costs of an expression's instructions on a GPU.

namespace gpumem::pattern {

/// Cycles that a warp keeps a scheduler's units busy, for each instruction of an expression as it is compiled, 64 bits
/// wide unless the name says otherwise. An instruction of cost 0 has become a part of another one. A GPU's profile has
/// the values (engine/model/profile.hpp).
struct InstructionCosts {
  double integer_sum_cycles = 0;
  double integer_bits_cycles = 0;  ///< and, or, exclusive or, complement
  double integer_shift_cycles = 0;
  double integer_product_cycles = 0;              ///< by a literal of at most 32 bits
  double integer_wide_product_cycles = 0;         ///< by a longer literal, or of two values
  double integer_narrow_product_cycles = 0;       ///< of 32 bits, as the compiler can tell
  double integer_division_cycles = 0;             ///< a loop's worth
  double integer_division_by_literal_cycles = 0;  ///< a multiplication by the reciprocal, 128 bits wide
  double integer_narrow_division_cycles = 0;      ///< of 32 bits, as the compiler can tell
  double integer_like_division_cycles = 0;        ///< of the same by another divisor times a power of two
  double integer_shifted_division_cycles = 0;     ///< by a power of two
  double integer_comparison_cycles = 0;
  double integer_choice_cycles = 0;  ///< also minimum, maximum
};

}  // namespace gpumem::pattern
