#pragma once
// An expression as source code, to be compiled at run time.

#include <cstdint>
#include <string>

#include "engine/pattern/expression.hpp"

namespace gpumem::pattern {

/// An expression in C, C++ and CUDA C++ of type `long long`, which has 64 bits, with the value that Evaluator gives.
/// Expects before it what expression_functions() returns, and around it `long long` variables of the names that
/// Expression::uses(). It is right in launches of at most `most_accesses`, for which divisions are unsigned where
/// nothing is negative: by a power of two they are a shift then. What divides by zero gives 0 and does not trap: the
/// host, which evaluates first, has refused it.
[[nodiscard]] std::string c_expression(const Expression& expression, std::int64_t most_accesses);

/// The functions that such an expression calls, in one line; they need no header. `qualifiers` stand before the type of
/// each: "static inline", or "__device__ __forceinline__ static".
[[nodiscard]] std::string expression_functions(const std::string& qualifiers);

}  // namespace gpumem::pattern
