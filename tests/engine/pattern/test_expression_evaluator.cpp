#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/engine/pattern/random_expression.hpp"

namespace gpumem::pattern::test_expression_evaluator {

using namespace gpumem::pattern::test;

namespace {

using Int = std::int64_t;

/// Values of a warp, or nothing if it divides by zero.
std::optional<WarpValues> evaluated(const std::string& text, const WarpAccesses& at, Int n) {
  try {
    Evaluator evaluator(parse_one(text, "pattern"), n);
    return evaluator(at);
  } catch (const Error& error) {
    INFO(text);
    if (std::string(error.what()).find("is by zero") == std::string::npos) FAIL(error.what());
    return std::nullopt;
  }
}

}  // namespace

TEST_CASE("random expressions have the values of an independent evaluation") {
  std::mt19937_64 random(13);
  int zeros = 0;
  constexpr int expressions = 3'000;
  for (int k = 0; k < expressions; ++k) {
    const RandomExpression drawn = random_expression(random, 1 + k % 5, {});
    const Int n = 1 + static_cast<Int>(random() % 300);
    WarpAccesses at = consecutive(static_cast<Int>(random() % 400));
    at.warp = static_cast<Int>(random() % 32);
    at.block = static_cast<Int>(random() % 50);
    at.active = 0;
    WarpValues expected{};
    for (std::size_t lane = 0; lane < lanes; ++lane) {
      const auto value = drawn.value({at.i[lane], n, static_cast<Int>(lane), at.warp, at.block});
      expected[lane] = value.value_or(0);
      if (value) at.active |= std::uint32_t{1} << lane;
    }
    INFO(drawn.text << " for n = " << n << ", i from " << at.i[0]);
    // Lanes that divide by zero are not active at first, and then alone are.
    const auto values = evaluated(drawn.text, at, n);
    if (at.active != 0) {
      REQUIRE(values);
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        if ((at.active >> lane & 1U) != 0 && (*values)[lane] != expected[lane]) {
          FAIL("lane " << lane << ": " << (*values)[lane] << ", not " << expected[lane]);
        }
      }
    }
    if (at.active == ~std::uint32_t{0}) continue;
    ++zeros;
    at.active = ~at.active;
    if (evaluated(drawn.text, at, n)) FAIL("division by zero goes unnoticed");
  }
  CHECK(zeros > expressions / 50);
}

TEST_CASE("division by a literal is division, for the ends of 64 bits and random numbers") {
  std::mt19937_64 random(7);
  constexpr Int smallest = std::numeric_limits<Int>::min();
  constexpr Int largest = std::numeric_limits<Int>::max();
  std::vector<Int> divisors = {1, 2, 3, 5, 7, 10, 641, 4096, 1'000'003, largest, largest - 1, smallest, smallest + 1};
  for (unsigned bit = 1; bit < 63; ++bit) {
    for (const Int near : {-1, 0, 1}) divisors.push_back((Int{1} << bit) + near);
  }
  for (int k = 0; k < 200; ++k) divisors.push_back(static_cast<Int>(random() >> (random() % 63)));
  for (const Int positive : divisors) {
    for (const Int d : {positive, static_cast<Int>(0 - static_cast<std::uint64_t>(positive))}) {
      if (d == 0 || d == -1) continue;
      std::vector<Int> dividends = {0, 1, -1, smallest, smallest + 1, largest, largest - 1, d, ~d};
      if (d < largest) dividends.push_back(d + 1);
      if (d > smallest) dividends.push_back(d - 1);
      while (dividends.size() < lanes) {
        const auto any = static_cast<Int>(random() >> (random() % 64));
        dividends.push_back(dividends.size() % 2 == 0 ? any : any / d * d - (any / d * d > smallest ? 1 : 0));
      }
      WarpAccesses wide;
      WarpAccesses narrow;  // of 31 bits, which a faster way divides
      std::copy(dividends.begin(), dividends.begin() + lanes, wide.i.begin());
      std::ranges::transform(wide.i, narrow.i.begin(), [](Int any) { return any & 0x7fff'ffff; });
      const std::string literal = d == smallest ? "0x8000000000000000"
                                  : d < 0       ? "(-" + std::to_string(-d) + ")"
                                                : std::to_string(d);
      Evaluator quotient(parse_one("i / " + literal, "pattern"), 1);
      Evaluator remainder(parse_one("i % " + literal, "pattern"), 1);
      for (const WarpAccesses& at : {wide, narrow}) {
        const WarpValues& quotients = quotient(at);
        const WarpValues& remainders = remainder(at);
        for (std::size_t lane = 0; lane < lanes; ++lane) {
          if (quotients[lane] != at.i[lane] / d || remainders[lane] != at.i[lane] % d) {
            FAIL(at.i[lane] << " divided by " << d << ": " << quotients[lane] << " and " << remainders[lane]);
          }
        }
      }
    }
  }
}

TEST_CASE("division by zero says the column and the first access that does it") {
  const auto error_in = [](const std::string& text, const WarpAccesses& at) -> std::string {
    Evaluator evaluator(parse_one(text, "pattern"), 100);
    try {
      static_cast<void>(evaluator(at));
    } catch (const Error& error) {
      CHECK(error.kind() == ErrorKind::usage);
      return error.what();
    }
    return "nothing";
  };
  CHECK(error_in("5 / (i - 40)", consecutive(0)) == "nothing");
  CHECK(error_in("5 / (i - 40)", consecutive(32)) ==
        "--pattern: column 3 of '5 / (i - 40)': '/' is by zero for access i = 40");
  CHECK(error_in("i + i % (i % 5 - 3)", consecutive(64)) ==
        "--pattern: column 7 of 'i + i % (i % 5 - 3)': '%' is by zero for access i = 68");
  CHECK(error_in("5 / (i - 40)", consecutive(32, 8)) == "nothing");  // lane 8 has no access
  CHECK(error_in("i == 40 ? 0 : 5 / (i - 40)", consecutive(32)) == "nothing");
  CHECK(error_in("i != 40 ? 0 : 5 / (i - 40)", consecutive(32)).find("column 17") != std::string::npos);
  CHECK(error_in("(i == 40 || 5 / (i - 40)) && i > 50 && 5 / (i - 40)", consecutive(32)) == "nothing");
  CHECK(error_in("(i == 40 || 5 / (i - 40)) && i > 30 && 5 / (i - 40)", consecutive(32)).find("column 42") !=
        std::string::npos);
  // An operand outside the && is evaluated all the same.
  CHECK(error_in("(i > 50 && i) + 5 / (i - 40)", consecutive(32)).find("column 19") != std::string::npos);
  CHECK(error_in("n / (n - 100 ? 1 : lane)", consecutive(5)).find("access i = 5") != std::string::npos);
}

}  // namespace gpumem::pattern::test_expression_evaluator
