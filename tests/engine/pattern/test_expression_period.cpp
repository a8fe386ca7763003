#include <algorithm>
#include <cstdint>
#include <limits>
#include <random>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_bounds.hpp"
#include "engine/pattern/expression_period.hpp"
#include "tests/catch.hpp"
#include "tests/engine/pattern/random_expression.hpp"

namespace gpumem::pattern::test_expression_period {

using namespace gpumem::pattern::test;

namespace {

using Int = std::int64_t;
__extension__ using Wide = __int128;

/// "period 4096 + 2, first 0", "affine 3 i + 5" or "not known".
std::string proved(const std::string& text, Int n = Int{1} << 28U) {
  const auto found = periodicity(parse_one(text, "pattern"), n);
  if (!found) return "not known";
  const std::string growth = std::to_string(found->growth);
  const std::string first = std::to_string(found->first);
  if (found->affine()) return growth + " i + " + first;
  return "every " + std::to_string(found->period) + " by " + growth + " from " + first;
}

/// Returns all values of an expression of i and n, evaluated one by one without shortcuts.
std::vector<std::optional<Int>> all_values(const RandomExpression& drawn, Int n) {
  std::vector<std::optional<Int>> values;
  for (Int i = 0; i < n; ++i) values.push_back(drawn.value({.i = i, .n = n}));
  return values;
}

std::string counterexample(const std::vector<std::optional<Int>>& values, const Periodicity& claim) {
  const auto n = static_cast<Int>(values.size());
  if (values[0] != claim.first) return "another first value";
  for (Int i = 0; i + claim.period < n; ++i) {
    const auto here = values[static_cast<std::size_t>(i)];
    const auto there = values[static_cast<std::size_t>(i + claim.period)];
    if (here.has_value() != there.has_value()) return "division by zero at one of " + std::to_string(i) + " and later";
    if (here && Wide{*here} + claim.growth != Wide{*there}) return "i = " + std::to_string(i);
  }
  return "";
}

/// The shortest period that the values have as far as they go; 0 if none.
Int true_period(const std::vector<std::optional<Int>>& values) {
  const auto n = static_cast<Int>(values.size());
  for (Int period = 1; period <= n / 2; ++period) {
    if (!values[0] || !values[static_cast<std::size_t>(period)]) continue;
    const Wide growth = Wide{*values[static_cast<std::size_t>(period)]} - *values[0];
    if (growth != static_cast<Int>(growth)) continue;
    if (counterexample(values, {period, static_cast<Int>(growth), *values[0]}).empty()) return period;
  }
  return 0;
}

}  // namespace

TEST_CASE("affine expressions are found, with slope and intercept") {
  CHECK(proved("i") == "1 i + 0");
  CHECK(proved("i * 3 + 7") == "3 i + 7");
  CHECK(proved("5 - (i << 4)") == "-16 i + 5");
  CHECK(proved("n - 1 - i", 1'000) == "-1 i + 999");
  CHECK(proved("42") == "0 i + 42");
  CHECK(proved("i < n ? i * 2 : i / 0") == "2 i + 0");
  CHECK(proved("i < n ? i * 2 : i % 3") == "2 i + 0");
  CHECK(proved("i / 4 * 4 + i % 4") == "1 i + 0");
  CHECK(proved("i % 4096 + (i / 4096 << 12)") == "1 i + 0");
  CHECK(proved("i % n") == "1 i + 0");
  CHECK(proved("i & 0x7FFFFFFF") == "1 i + 0");
  CHECK(proved("-i % n") == "-1 i + 0");
  CHECK(proved("i & ~0") == "1 i + 0");
  CHECK(proved("min(i, n) + max(3, 4)") == "1 i + 4");
  CHECK(proved("-(~i)") == "1 i + 1");
  CHECK(proved("i + lane") == "not known");
  CHECK(proved("i + 3", 1) == "0 i + 3");
}

TEST_CASE("periods are found, with their growth") {
  CHECK(proved("i % 4096 * 2 + i / 4096 * 8192") == "2 i + 0");
  CHECK(proved("i % 4096 * 4096 + i / 4096") == "every 4096 by 1 from 0");
  CHECK(proved("i % 4096 * 4096 + i / 4096 % 4096", Int{1} << 24U) == "every 4096 by 1 from 0");
  CHECK(proved("i % 4096 * 4096 + i / 4096 % 4096", Int{1} << 25U) == "every 16777216 by 0 from 0");
  CHECK(proved("i + (i & ~31)") == "every 32 by 64 from 0");
  CHECK(proved("i ^ 5") == "every 8 by 8 from 5");
  CHECK(proved("i * 3 ^ 5") == "every 8 by 24 from 5");
  CHECK(proved("i | 6") == "every 8 by 8 from 6");
  CHECK(proved("i ^ ~5") == "every 8 by -8 from -6");
  CHECK(proved("i & ~5") == "every 8 by 8 from 0");
  CHECK(proved("i | ~5") == "every 8 by 0 from -6");
  CHECK(proved("i >> 3") == "every 8 by 1 from 0");
  CHECK(proved("(i * 6) / 4") == "every 2 by 3 from 0");
  CHECK(proved("-i / 7") == "every 7 by -1 from 0");
  CHECK(proved("i % 3 == 0 ? i : i + 100") == "every 3 by 3 from 0");
  CHECK(proved("i % 2 && i % 3") == "every 6 by 0 from 0");
  CHECK(proved("min(i % 5, 3) + max(i, i + 1)") == "every 5 by 5 from 1");
  CHECK(proved("i % 6 % 3") == "every 3 by 0 from 0");
  CHECK(proved("10 / (i % 3 - 3)") == "every 3 by 0 from -3");
  CHECK(proved("i % 1000 / (i % 7 + 1)") == "every 7000 by 0 from 0");
  // No period that is shorter than the launch.
  CHECK(proved("i % 1000 * 3", 1'000) == "3 i + 0");
  CHECK(proved("i % 1000 * 3 ^ i / 3 % 8", 1'000) == "every 24 by 72 from 0");
  CHECK(proved("i % 1000 * i ^ i / 3 % 8", 1'000) == "not known");
}

TEST_CASE("bits that do not meet are a sum") {
  CHECK(proved("i >> 3 << 3 | i & 7") == "1 i + 0");
  CHECK(proved("i >> 12 << 12 ^ (i & 4095) ^ 4095") == "every 4096 by 4096 from 4095");
  CHECK(proved("i >> 6 << 6 | (i & 3) | (i >> 2 & 1) << 5 | (i >> 3 & 7) << 2") == "every 64 by 64 from 0");
  CHECK(proved("(i & 63) << 20 | i >> 6", Int{1} << 26U) == "every 64 by 1 from 0");
  CHECK(proved("(i & 63) << 20 | i >> 6", Int{1} << 27U) == "not known");  // they meet
  CHECK(proved("i * 8 | i % 5") == "every 5 by 40 from 0");
  CHECK(proved("i * 24 + 5 ^ i % 8") == "every 8 by 192 from 5");
  CHECK(proved("i / 32 * 32 | 31 - i % 32") == "every 32 by 32 from 31");
  CHECK(proved("min(i * 4, 4 * n) | max(i % 2, i % 3)") == "every 6 by 24 from 0");
  CHECK(proved("(i % 2 ? 16 : 32) | (i % 3 ? 1 : 8) | i << 6") == "every 6 by 384 from 40");
  CHECK(proved("(i >> 4 << 8) + (i & 15) >> 4") == "every 16 by 16 from 0");
  CHECK(proved("i << 4 & ~15") == "16 i + 0");
}

TEST_CASE("bits that repeat themselves change no higher ones") {
  CHECK(proved("i ^ i % 8") == "every 8 by 8 from 0");
  CHECK(proved("i ^ (i >> 3 & 7)") == "every 64 by 64 from 0");
  CHECK(proved("i | i % 3") == "every 12 by 12 from 0");
  CHECK(proved("i & ~(i % 8)") == "every 8 by 8 from 0");
  CHECK(proved("i | ~(i & 12)") == "0 i + -1");
  CHECK(proved("i ^ -1 - i % 8") == "every 8 by -8 from -1");
  CHECK(proved("i * 3 & i % 16") == "every 16 by 0 from 0");
  CHECK(proved("-i ^ i % 4") == "every 4 by -4 from 0");
  CHECK(proved("i - 1000 ^ (i % 8)") == "every 8 by 8 from -1000");
  CHECK(proved("i ^ (i % 16 ^ i % 4)") == "every 16 by 16 from 0");
}

TEST_CASE("bits that meet, carry or wrap are no sum") {
  CHECK(proved("i << 2 | i") == "not known");
  CHECK(proved("i ^ i >> 16") == "not known");
  CHECK(proved("i * 8 | i % 9 << 28") == "not known");  // they meet above bit 27
  CHECK(proved("i >> 1 | i << 12") == "not known");
  CHECK(proved("i << 3 | (i >> 3) - 4") == "not known");  // all bits of what is negative
  CHECK(proved("i << 8 ^ (i % 3 - 1)") == "not known");   // sometimes
  CHECK(proved("(i + 1) * 4 | i * 3 >> 1") == "not known");
  CHECK(proved("i & i * 3") == "not known");
  CHECK(proved("(i << 60) | (i & 15)") == "not known");  // how far apart values are does not fit
}

TEST_CASE("what has no period, or only until it wraps, is not known") {
  CHECK(proved("i * i") == "not known");
  CHECK(proved("i * i % 64") == "not known");  // it is one of 64, which no rule says
  CHECK(proved("i < 100 ? i : i * 2") == "not known");
  CHECK(proved("i % 2 ? i : i * 2") == "not known");
  CHECK(proved("i % 2 ? i : 7") == "not known");
  CHECK(proved("min(i, 100)") == "not known");
  CHECK(proved("(i - 100) / 3") == "not known");
  CHECK(proved("(i - 100) >> 2") == "every 4 by 1 from -25");
  CHECK(proved("i * 0x100000000000 / 3") == "not known");
  CHECK(proved("i * 0x9E3779B97F4A7C15") == "not known");
  CHECK(proved("i * 0x9E3779B97F4A7C15 & 15") == "every 16 by 0 from 0");  // low bits care for no wrapping
  CHECK(proved("i * 0x9E3779B97F4A7C15 >> 60") == "not known");
  CHECK(proved("i * 0x6000000000000000 >> 60") == "not known");
  CHECK(proved("i * 0x6000000000000000 % 5") == "not known");
  CHECK(proved("i * 0x4000000000000000 < (i + 1) * 0x4000000000000000") == "not known");
  CHECK(proved("1 << i") == "not known");
  CHECK(proved("block * 3") == "not known");
}

TEST_CASE("where a division by zero is not as periodic as the value, nothing is proved") {
  CHECK(proved("10 / (i % 3 - 1)") == "not known");                               // within the first warp
  CHECK(proved("10 / (i % 300 - 100)") == "every 300 by 0 from 0");               // and whoever evaluates finds it
  CHECK(proved("min(i - n - 50, 1 / (i - 5) % 10 - 10)", 1'000) == "not known");  // affine, but for i = 5
  CHECK(proved("i + 0 * (1 / (i - 5000))") == "not known");
  CHECK(proved("i > 1000 && 1 / (i % 4000 - 1500)") == "not known");
}

TEST_CASE("no proof is wrong: random expressions, against all of their values") {
  std::mt19937_64 random(17);
  int known = 0;
  int periodic = 0;
  int missed = 0;
  constexpr int expressions = 3'000;
  for (int k = 0; k < expressions; ++k) {
    const Kinds kinds{
        .place_in_launch = false, .large_literals = k % 3 == 0, .rounding_only = k % 2 == 0, .bits = k % 5 < 2};
    const RandomExpression drawn = random_expression(random, 1 + k % 7, kinds);
    const Int n = 1 + static_cast<Int>(random() % 300);
    INFO(drawn.text << " for n = " << n);
    try {
      const Expression expression = parse_one(drawn.text, "pattern");
      const auto values = all_values(drawn, n);
      const Bounds bounds = bounds_of(expression, n);
      for (const auto& value : values) {
        if (value && !bounds.contains(*value)) FAIL(*value << " is not in " << bounds.low << ".." << bounds.high);
      }
      const auto claim = periodicity(expression, n);
      if (claim) {
        ++known;
        const std::string wrong = counterexample(values, *claim);
        if (!wrong.empty()) FAIL("every " << claim->period << " by " << claim->growth << " is wrong: " << wrong);
        if (!claim->affine()) ++periodic;
        // As short as it can be, where that shows.
        const Int shortest = claim->period <= n / 4 ? true_period(values) : claim->period;
        if (shortest != claim->period) FAIL("every " << claim->period << ", but it is every " << shortest);
      } else if (values.size() > 1 && true_period(values) != 0) {
        ++missed;
      }
    } catch (const Error& error) {
      if (std::string(error.what()).find("whatever the access") == std::string::npos) FAIL(error.what());
      for (const auto& value : all_values(drawn, n)) {
        if (value) FAIL(error.what());
      }
    }
  }
  // The test would prove little if hardly anything was found.
  CHECK(known > expressions / 3);
  CHECK(periodic > expressions / 50);
  CHECK(missed < expressions / 3);
}

TEST_CASE("an expression that may divide by zero is told from one that never does") {
  const auto may = [](const std::string& text) { return may_divide_by_zero(parse_one(text, "pattern"), 1000); };
  CHECK_FALSE(may("i * 7 + lane"));
  CHECK_FALSE(may("i % n / 3"));
  CHECK_FALSE(may("i / (i % 10 + 1)"));
  CHECK_FALSE(may("i % (0 - 4 - i)"));
  CHECK(may("i / (i % 10)"));
  CHECK(may("n % (i - 5)"));
  CHECK(may("1 + (i == 3 ? i : n / lane)"));
}

TEST_CASE("bounds are those of the values for what patterns are made of") {
  const auto bounds = [](const std::string& text, Int n) {
    const Bounds found = bounds_of(parse_one(text, "pattern"), n);
    return std::to_string(found.low) + ".." + std::to_string(found.high);
  };
  CHECK(bounds("i * 3 + 7", 100) == "7..304");
  CHECK(bounds("i % 4096 * 4096 + i / 4096", 1 << 24) == "0..16777215");
  CHECK(bounds("i ^ 5", 1 << 20) == "0..1048575");
  CHECK(bounds("n - 1 - i", 100) == "0..99");
  CHECK(bounds("lane * 32 + warp", 100) == "0..1023");
  CHECK(bounds("(i - 50) / 7", 100) == "-7..7");
  CHECK(bounds("i < 50 ? i : -1", 100) == "-1..99");
  CHECK(bounds("i << i % 3", 100) == "0..396");
  CHECK(bounds("3 << (i % 3 - 1)", 100) == "-9223372036854775808..9223372036854775807");
  CHECK(bounds("-5 >> (i - 70)", 100) == "-5..-1");
  CHECK(bounds("i << 58", 100) == "-9223372036854775808..9223372036854775807");
}

}  // namespace gpumem::pattern::test_expression_period
