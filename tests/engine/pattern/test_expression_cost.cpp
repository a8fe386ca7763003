// The instructions that an expression is compiled to, as far as they cost something.

#include <string>

#include "engine/pattern/expression_cost.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test_expression_cost {

namespace {

/// A cost of its own for each, so that a sum tells what it is of.
constexpr InstructionCosts costs = {.sum_cycles = 1,
                                    .bits_cycles = 10,
                                    .shift_cycles = 100,
                                    .product_cycles = 1e3,
                                    .wide_product_cycles = 1e4,
                                    .narrow_product_cycles = 1e5,
                                    .division_cycles = 1e6,
                                    .division_by_literal_cycles = 1e7,
                                    .narrow_division_cycles = 1e8,
                                    .like_division_cycles = 1e9,
                                    .shifted_division_cycles = 1e10,
                                    .comparison_cycles = 1e11,
                                    .choice_cycles = 1e12};

double cycles(const std::string& text) { return cycles_of(instructions_of(parse_one(text, "pattern")), costs); }

}  // namespace

TEST_CASE("an expression costs what its instructions cost", "[expression]") {
  CHECK(cycles("i") == 0);
  CHECK(cycles("7") == 0);
  CHECK(cycles("i + 7") == 0);  // a part of the address
  CHECK(cycles("i + i * 4") == 1);
  CHECK(cycles("i ^ i >> 3") == 110);
  CHECK(cycles("i * 3") == 1e3);
  CHECK(cycles("i * 0x9E3779B97F4A7C15") == 1e4);
  CHECK(cycles("i * i") == 1e4);
  CHECK(cycles("(i & 7) * 3") == 1e5 + 10);
  CHECK(cycles("i / (i + 1)") == 1e6);
  CHECK(cycles("i / 3") == 1e7);
  CHECK(cycles("(i & 1023) / 3") == 1e8 + 10);
  CHECK(cycles("i / 3 + i / 6") == 1e7 + 1e9 + 1);
  CHECK(cycles("i < 5 ? i : 0") == 1e11 + 1e12);
}

TEST_CASE("a division by a power of two is a shift, and what comes of it costs nothing", "[expression]") {
  CHECK(cycles("i / 8") == 1e10);
  CHECK(cycles("i % 8") == 0);
  CHECK(cycles("i * 8") == 0);
  CHECK(cycles("i / 8 * 8") == 0);
}

TEST_CASE("a remainder shares the division of the same operands", "[expression]") {
  CHECK(cycles("i / 3 ^ i % 3") == 1e7 + 1 + 10);
  CHECK(cycles("i / (i + 1) ^ i % (i + 1)") == 1e6 + 1 + 10);
}

}  // namespace gpumem::pattern::test_expression_cost
