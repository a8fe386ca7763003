#pragma once
// An expression as source code, to be compiled at run time.

#include <cstdint>
#include <string>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// Returns an expression in C, C++ and CUDA C++ of type `long long`, which has 64 bits, with the value that Evaluator
/// gives. The code has to define the functions of expression_functions() before it, and a `long long` variable for each
/// name that Expression::uses(). The text is right in launches of at most `most_accesses`: for these, divisions are
/// unsigned where nothing is negative, which makes a division by a power of two a shift. Division by zero gives 0 and
/// does not trap: the host, which evaluates first, has refused it.
[[nodiscard]] std::string c_expression(const Expression& expression, std::int64_t most_accesses);

/// The functions that such an expression calls, in one line; they need no header. `qualifiers` stand before the type of
/// each: "static inline", or "__device__ __forceinline__ static".
[[nodiscard]] std::string expression_functions(const std::string& qualifiers);

}  // namespace gpumem::pattern
