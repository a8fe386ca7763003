#pragma once
// Expressions that nobody wrote, each with its value by another road: closures over a tree, in 128 bits cut back to 64.

#include <cstdint>
#include <functional>
#include <optional>
#include <random>
#include <string>
#include <vector>

namespace gpumem::pattern::test {

struct Place {
  std::int64_t i = 0;
  std::int64_t n = 1;
  std::int64_t lane = 0;
  std::int64_t warp = 0;
  std::int64_t block = 0;
};

/// Absent: divides by zero.
using Reference = std::function<std::optional<std::int64_t>(const Place&)>;

struct RandomExpression {
  std::string text;
  Reference value;
};

/// The kinds of operands and operations that may be drawn.
struct Kinds {
  bool place_in_launch = true;  ///< lane, warp, thread and block too
  bool large_literals = true;   ///< up to 64 bits, and not only such as strides have
  bool rounding_only = false;   ///< no conditions, comparisons and shifts by variables
  bool bits = false;            ///< shifts and bitwise operations, mostly, as of bits in another order
};

/// `depth` operations on top of each other, at most.
[[nodiscard]] RandomExpression random_expression(std::mt19937_64& random, int depth, const Kinds& kinds);

}  // namespace gpumem::pattern::test
