#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_functions.hpp"
#include "engine/pattern/expression_source.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test_expression_source {

namespace {

GPUMEM_EXPRESSION_FUNCTIONS([[maybe_unused]] inline)

using Int = long long;

/// An expression, and the source code it becomes: as text to compare with, and compiled here.
struct Generated {
  std::string expression;
  std::string source;
  std::function<Int(Int i, Int n, Int lane, Int warp, Int thread, Int block)> value;
};

#define GENERATED(expression, ...)                                                                               \
  Generated {                                                                                                    \
    expression, #__VA_ARGS__,                                                                                    \
        []([[maybe_unused]] Int i, [[maybe_unused]] Int n, [[maybe_unused]] Int lane, [[maybe_unused]] Int warp, \
           [[maybe_unused]] Int thread, [[maybe_unused]] Int block) -> Int { return __VA_ARGS__; }               \
  }

const std::vector<Generated>& generated() {
  static const std::vector<Generated> all = {
      GENERATED("i * 3 + 2", gpumem_add(gpumem_multiply(i, 3LL), 2LL)),
      // Nothing negative: the compiler makes a mask and a shift of them.
      GENERATED("i % 4096 * 4096 + i / 4096",
                gpumem_add(gpumem_multiply((long long)((unsigned long long)i % (unsigned long long)4096LL), 4096LL),
                           (long long)((unsigned long long)i / (unsigned long long)4096LL))),
      GENERATED("(i - 50) / 7 % (lane - 3)",
                gpumem_remainder((gpumem_subtract(i, 50LL) / 7LL), gpumem_subtract(lane, 3LL))),
      GENERATED("(i - 50) / -1", gpumem_divide(gpumem_subtract(i, 50LL), (-1LL))),
      GENERATED("i && n / i ? ~i : !lane", ((long long)(i && gpumem_divide(n, i)) ? (~i) : (long long)(!lane))),
      GENERATED("min(i ^ 5 | 2, warp) << thread >> block",
                gpumem_shift_right(gpumem_shift_left(gpumem_minimum(((i ^ 5LL) | 2LL), warp), thread), block)),
      GENERATED("i < 3 == (n <= 4) != (i & 1) || i > 3",
                (long long)((long long)((long long)((long long)(i < 3LL) == (long long)(n <= 4LL)) != (i & 1LL)) ||
                            (long long)(3LL < i))),
      GENERATED("max(0x8000000000000000, -i) + -9",
                gpumem_add(gpumem_maximum((-9223372036854775807LL - 1), gpumem_negate(i)), (-9LL))),
  };
  return all;
}

}  // namespace

TEST_CASE("the source code of an expression has its values") {
  for (const Generated& example : generated()) {
    INFO(example.expression);
    const Expression expression = parse_one(example.expression, "pattern");
    CHECK(c_expression(expression, std::int64_t{1} << 40U) == example.source);
    constexpr std::int64_t n = 300;
    Evaluator evaluator(expression, n);
    for (std::int64_t first = 0; first < n; first += 32) {
      WarpAccesses at = consecutive(first);
      at.warp = first / 32;
      at.block = first % 7;
      at.active = ~0xFU;  // where lane - 3 is 0
      const WarpValues values = evaluator(at);
      for (std::size_t k = 4; k < lanes; ++k) {
        const auto lane = static_cast<Int>(k);
        CHECK(values[k] == example.value(at.i[k], n, lane, at.warp, 32 * at.warp + lane, at.block));
      }
    }
  }
}

TEST_CASE("the functions before generated source code are complete and in one line") {
  const std::string text = expression_functions("__device__ static");
  CHECK(
      text.find("__device__ static long long gpumem_add(long long a, long long b) { return (long long)((unsigned long "
                "long)a + (unsigned long long)b); }") != std::string::npos);
  CHECK(text.find('\n') == text.size() - 1);
  CHECK(text.find("GPUMEM") == std::string::npos);
  CHECK(text.find("QUALIFIERS") == std::string::npos);
  // Whatever generated code calls is there.
  for (const Generated& example : generated()) {
    for (std::size_t at = example.source.find("gpumem_"); at != std::string::npos;
         at = example.source.find("gpumem_", at + 1)) {
      const std::string name = example.source.substr(at, example.source.find('(', at) + 1 - at);
      INFO(name);
      CHECK(text.find(" long long " + name) != std::string::npos);
    }
  }
}

}  // namespace gpumem::pattern::test_expression_source
