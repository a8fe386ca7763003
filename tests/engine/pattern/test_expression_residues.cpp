#include <string>

#include "engine/pattern/expression_evaluator.hpp"
#include "engine/pattern/expression_period.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test_expression_residues {

namespace {

std::optional<Residues> residues_of(const std::string& text, std::int64_t n) {
  return residues(parse_one(text, "pattern"), n);
}

}  // namespace

TEST_CASE("residues: remainders of affine expressions are proved, and are what the expression says", "[residues]") {
  for (const char* text : {"i * 2654435761 % n", "i * 6 % 1000", "(i * 3 + 5) % 64", "(i * 40 + 7) & 255", "i % 48",
                           "63 & (n - i)", "(i - 70) * 5 & (n - 1)", "7 % n + 3 * i & 1023", "(2 * n - i) % 100"}) {
    CAPTURE(text);
    constexpr std::int64_t n = 1024;
    const auto found = residues_of(text, n);
    REQUIRE(found);
    Evaluator evaluate(parse_one(text, "pattern"), n);
    for (std::int64_t i = 0; i < n; i += lanes) {
      const WarpValues& values = evaluate(consecutive(i));
      for (std::size_t lane = 0; lane < lanes; ++lane) {
        const std::int64_t access = i + static_cast<std::int64_t>(lane);
        REQUIRE(values[lane] == (found->first + found->step * access) % found->modulus);
        const std::int64_t there = where(*found, values[lane]);
        REQUIRE(there >= 0);
        REQUIRE((found->first + found->step * there) % found->modulus == values[lane]);
      }
    }
  }
}

TEST_CASE("residues: what may wrap, be negative or is no remainder of something affine is not proved", "[residues]") {
  for (const char* text : {"i", "i * i % n", "(i - 5) % 64", "i % 1000 + 1", "i & 100", "i & i * 3", "i ^ 5",
                           "i % (i + 1)", "i * 0x9E3779B97F4A7C15 % n", "i / 3 % 64", "i & -1"}) {
    CAPTURE(text);
    CHECK_FALSE(residues_of(text, 1024));
  }
}

}  // namespace gpumem::pattern::test_expression_residues
