#include "engine/base/error.hpp"
#include "report/text/name_pattern.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_name_pattern {

namespace {

std::string refusal(const std::string& text) {
  try {
    static_cast<void>(NamePattern(text));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing thrown";
}

}  // namespace

TEST_CASE("kernels are meant by a part of their name, an expression, or all of it", "[name_pattern]") {
  const std::string copy = "void copy<4>(float*, float const*)";
  CHECK(NamePattern("copy").matches(copy));
  CHECK(NamePattern("^void copy<[0-9]+>").matches(copy));
  CHECK(NamePattern("gemm|copy").matches(copy));
  CHECK_FALSE(NamePattern("^copy").matches(copy));
  CHECK_FALSE(NamePattern("Copy").matches(copy));
  CHECK(NamePattern(copy).matches(copy));  // which as an expression is another one
  CHECK_FALSE(NamePattern(copy).matches("void copy<4>(double*, double const*)"));
  const NamePattern other = NamePattern("sum");
  CHECK(NamePattern(other).matches("sum(float*)"));
}

TEST_CASE("what is no expression is refused, and what would take all memory", "[name_pattern]") {
  CHECK(refusal("(").starts_with("--kernel: '(' is no extended regular expression: "));
  CHECK(refusal("").starts_with("--kernel: '' names no kernel"));
  CHECK(refusal("((a{255}){255}){255}").find("counts repetitions") != std::string::npos);
  CHECK(NamePattern("\\{lambda").matches("f()::{lambda(int)#1}::operator()"));
}

}  // namespace gpumem::report::test_name_pattern
