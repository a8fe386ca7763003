#pragma once
// Evaluates each operation of an expression.

#include <cstdint>

#include "engine/pattern/expression.hpp"
#include "engine/pattern/expression_functions.hpp"

namespace gpumem::pattern {

GPUMEM_EXPRESSION_FUNCTIONS(constexpr)

/// The value of an operation. It uses as many operands as operands() says. 0 for literals and variables, which are no
/// operations, and for division by zero. Inline, so that a known `op` compiles to that operation and nothing else.
[[nodiscard]] constexpr std::int64_t apply(Opcode op, std::int64_t a, std::int64_t b, std::int64_t c) {
  switch (op) {
    case Opcode::literal:
    case Opcode::variable:
      return 0;
    case Opcode::negate:
      return gpumem_negate(a);
    case Opcode::complement:
      return ~a;
    case Opcode::logical_not:
      return a == 0 ? 1 : 0;
    case Opcode::add:
      return gpumem_add(a, b);
    case Opcode::subtract:
      return gpumem_subtract(a, b);
    case Opcode::multiply:
      return gpumem_multiply(a, b);
    case Opcode::divide:
      return gpumem_divide(a, b);
    case Opcode::remainder:
      return gpumem_remainder(a, b);
    case Opcode::shift_left:
      return gpumem_shift_left(a, b);
    case Opcode::shift_right:
      return gpumem_shift_right(a, b);
    case Opcode::bit_and:
      return a & b;
    case Opcode::bit_or:
      return a | b;
    case Opcode::bit_xor:
      return a ^ b;
    case Opcode::less:
      return a < b ? 1 : 0;
    case Opcode::less_equal:
      return a <= b ? 1 : 0;
    case Opcode::equal:
      return a == b ? 1 : 0;
    case Opcode::not_equal:
      return a != b ? 1 : 0;
    case Opcode::logical_and:
      return a != 0 && b != 0 ? 1 : 0;
    case Opcode::logical_or:
      return a != 0 || b != 0 ? 1 : 0;
    case Opcode::choose:
      return a != 0 ? b : c;
    case Opcode::minimum:
      return gpumem_minimum(a, b);
    case Opcode::maximum:
      return gpumem_maximum(a, b);
  }
  return 0;
}

}  // namespace gpumem::pattern
