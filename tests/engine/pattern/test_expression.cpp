#include <algorithm>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "tests/catch.hpp"

namespace gpumem::pattern::test_expression {

namespace {

using Int = std::int64_t;

/// An expression and the same in C++, as a function of the names that an expression knows.
struct Compiled {
  std::string text;
  std::function<Int(Int i, Int n, Int lane, Int warp, Int thread, Int block)> value;
};

[[maybe_unused]] Int min(Int a, Int b) { return std::min(a, b); }
[[maybe_unused]] Int max(Int a, Int b) { return std::max(a, b); }

// The text and the code are the same characters. Literals are 64-bit when the other operand is.
#define COMPILED(...)                                                                                            \
  Compiled {                                                                                                     \
#__VA_ARGS__,                                                                                                \
        []([[maybe_unused]] Int i, [[maybe_unused]] Int n, [[maybe_unused]] Int lane, [[maybe_unused]] Int warp, \
           [[maybe_unused]] Int thread, [[maybe_unused]] Int block) { return static_cast<Int>(__VA_ARGS__); }    \
  }

// That precedence is not what one thinks is what is tested.
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"
#pragma GCC diagnostic ignored "-Wbool-operation"
#pragma GCC diagnostic ignored "-Wint-in-bool-context"
#if defined(__clang__)
#pragma GCC diagnostic ignored "-Wconstant-logical-operand"
#pragma GCC diagnostic ignored "-Wtautological-compare"
#else
#pragma GCC diagnostic ignored "-Wbool-compare"
#endif

// clang-format off
const std::vector<Compiled>& compiled() {
  static const std::vector<Compiled> all = {
      COMPILED(i), COMPILED(7), COMPILED(0x1F), COMPILED(i % 4096 * 4096 + i / 4096), COMPILED((i % 7) * 3 + i / 7),
      COMPILED(i - 3 - 2), COMPILED(i - (3 - 2)), COMPILED(n / 3 / 2), COMPILED(n / (3 * 2)), COMPILED(100 - i * 2 % 7),
      COMPILED(i * 3 ^ 5), COMPILED(i + 1 << 2), COMPILED(i << 2 + 1), COMPILED(i >> 1 >> 1), COMPILED(1 + i & 3),
      COMPILED(i & 3 == 3), COMPILED((i & 3) == 3), COMPILED(i | 4 ^ 6 & 2), COMPILED(i ^ 1 | i & 2), COMPILED(~i + 1),
      COMPILED(-i * -3), COMPILED(- -i), COMPILED(!i + !!i), COMPILED(~-i), COMPILED(-~i), COMPILED(!i == 0), COMPILED(+i - +3),
      COMPILED(i < 5 == 1), COMPILED(3 < i < 2), COMPILED(i < 10 != i > 5), COMPILED(i <= 5), COMPILED(i >= 5), COMPILED(5 > i),
      COMPILED(i == 3 || i == 4 && n == 0), COMPILED(i && n || lane), COMPILED(i || lane && warp), COMPILED(i | lane && 4),
      COMPILED(i ? 1 : lane ? 2 : 3), COMPILED(i % 2 ? lane % 2 ? 1 : 2 : 3), COMPILED(i < 5 ? i : n - i), COMPILED(1 || i ? 2 : 3),
      COMPILED((i - 50) / 7), COMPILED((i - 50) % 7), COMPILED((i - 50) / -7), COMPILED((i - 50) % -7), COMPILED((i - 50) / 8),
      COMPILED((i - 50) % 8), COMPILED((i - 50) >> 3), COMPILED((i - 50) / -8), COMPILED((i - 50) / (i % 3 - 5)),
      COMPILED(i && 100 / i), COMPILED(i == 0 || 100 % i), COMPILED(i ? 100 / i : -1), COMPILED(!(i == 0 || 5 / i) ? 7 / i : 0),
      COMPILED(i > 3 && i < 9 ? 40 / (i - 3) / (9 - i) : 0), COMPILED(min(i, 5) + max(i, n / 2)), COMPILED(min(max(i - 3, 0), n - 1)),
      COMPILED(thread + block * 1024), COMPILED(warp * 32 + lane == thread), COMPILED(lane * lane - (warp ^ block)),
      COMPILED((i << 40) + (i >> 2)), COMPILED((i * 0x7FFFFFFF) & 0xFFFFFFFFFF), COMPILED((i ^ i >> 7) * 5 & n - 1)};
  return all;
}
// clang-format on

#pragma GCC diagnostic pop

std::string error_of(const std::string& text) {
  try {
    static_cast<void>(parse(text, "pattern"));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    const std::string line = error.what();
    CHECK(std::ranges::all_of(line, [](char c) { return c >= 0x20 && c < 0x7F; }));
    CHECK(line.size() < 400);
    return line;
  }
  return "nothing";
}

std::string values_of(const std::string& text) {
  std::string all;
  for (const Swept& swept : parse(text, "pattern")) {
    Evaluator evaluator(swept.expression, 1'000);
    all += (swept.value ? std::to_string(*swept.value) : "-") + ":" + swept.text + "=" +
           std::to_string(evaluator(consecutive(10, 1))[0]) + " ";
  }
  return all;
}

/// "f(f(...x...))"
std::string nested(const std::string& open, int times, const std::string& inside, const std::string& close) {
  std::string text;
  for (int k = 0; k < times; ++k) text += open;
  text += inside;
  for (int k = 0; k < times; ++k) text += close;
  return text;
}

}  // namespace

TEST_CASE("an expression has the value that the same text has in C++") {
  for (const Compiled& example : compiled()) {
    INFO(example.text);
    for (const Int n : {1, 64, 1000}) {
      Evaluator evaluator(parse_one(example.text, "pattern"), n);
      for (Int first = 0; first < n; first += 32) {
        WarpAccesses at = consecutive(first);
        at.warp = first / 32 % 4;
        at.block = first / 128;
        const WarpValues values = evaluator(at);
        for (Int lane = 0; lane < 32; ++lane) {
          const Int expected = example.value(first + lane, n, lane, at.warp, 32 * at.warp + lane, at.block);
          if (values[static_cast<std::size_t>(lane)] != expected) {
            FAIL("i = " << first + lane << ", n = " << n << ": " << values[static_cast<std::size_t>(lane)] << ", not "
                        << expected);
          }
        }
      }
    }
  }
}

TEST_CASE("what C++ leaves undefined is defined") {
  const auto value = [](const std::string& text) {
    Evaluator evaluator(parse_one(text, "pattern"), 8);
    return evaluator(consecutive(3, 1))[0];
  };
  const Int smallest = std::numeric_limits<Int>::min();
  const Int largest = std::numeric_limits<Int>::max();
  // With i in it an expression is evaluated; without, it is worked out before.
  CHECK(value("9223372036854775807 + (i - 2)") == smallest);
  CHECK(value("9223372036854775807 + 1") == smallest);
  CHECK(value("-(9223372036854775807 + (i - 2))") == smallest);
  CHECK(value("-9223372036854775807 - (i - 1)") == largest);
  CHECK(value("(9223372036854775807 + (i - 2)) / (i - 4)") == smallest);
  CHECK(value("(9223372036854775807 + 1) / -1") == smallest);
  CHECK(value("(9223372036854775807 + (i - 2)) % (i - 4)") == 0);
  CHECK(value("(9223372036854775807 + i - 2) / 3") == smallest / 3);
  CHECK(value("(9223372036854775807 + i - 2) / 0x8000000000000000") == 1);
  CHECK(value("(i - 4) << 63") == smallest);
  CHECK(value("(i - 4) << (i + 61)") == 0);
  CHECK(value("1 << 64") == 0);
  CHECK(value("(i - 4) >> (i + 61)") == -1);
  CHECK(value("i >> (i + 61)") == 0);
  CHECK(value("i << (i - 4)") == 0);
  CHECK(value("i * 9223372036854775807") == largest - 2);
  CHECK(value("0xFFFFFFFFFFFFFFFF") == -1);
  CHECK(value("0xffffffffffffffff + i") == 2);
}

TEST_CASE("errors of expressions say the column, what is wrong and what would be right") {
  CHECK(error_of("") == "--pattern: the expression is empty; write one of i, such as i * 3");
  CHECK(error_of("i ** 3") == "--pattern: column 4 of 'i ** 3': a value is missing before '*'; a square is i * i");
  CHECK(error_of("i +") == "--pattern: column 4 of 'i +': a value is missing before the end");
  CHECK(error_of("i + (3 * 2") ==
        "--pattern: column 11 of 'i + (3 * 2': ')' is missing before the end, for '(' in column 5");
  CHECK(error_of("i)") == "--pattern: column 2 of 'i)': ')' has no '(' before it");
  CHECK(error_of("i 3") == "--pattern: column 3 of 'i 3': an operator is missing before '3'");
  CHECK(error_of("i ? 3") == "--pattern: column 6 of 'i ? 3': ':' is missing before the end, for '?' in column 3");
  CHECK(error_of("lan + 1") ==
        "--pattern: column 1 of 'lan + 1': 'lan' is none of the names i, n, lane, warp, thread, block, min, max; did "
        "you mean 'lane'?");
  CHECK(error_of("3 + xyz") ==
        "--pattern: column 5 of '3 + xyz': 'xyz' is none of the names i, n, lane, warp, thread, block, min, max");
  CHECK(error_of("i(3)") == "--pattern: column 2 of 'i(3)': 'i' is a value, not a function; an operator is missing");
  CHECK(error_of("min i") == "--pattern: column 5 of 'min i': min takes two values: min(i, 31)");
  CHECK(error_of("max(1, 2, 3)") == "--pattern: column 9 of 'max(1, 2, 3)': max takes two values: max(i, 31)");
  CHECK(error_of("i = 3") == "--pattern: column 3 of 'i = 3': '=' assigns; compare with ==");
  CHECK(error_of("i += 3") == "--pattern: column 4 of 'i += 3': '=' assigns; compare with ==");
  CHECK(error_of("i + threadIdx.y") ==
        "--pattern: column 5 of 'i + threadIdx.y': 'threadIdx.y' is no name: launches have one dimension; write "
        "threadIdx.x or blockIdx.x");
  CHECK(error_of("blockIdx.x * blockDim.x").find("column 14 of") != std::string::npos);
  CHECK(error_of("blockIdx.x * blockDim.x").find("'blockDim.x' is no name: write the number") != std::string::npos);
  CHECK(error_of("i.x") ==
        "--pattern: column 1 of 'i.x': 'i.x' is none of the names i, n, lane, warp, thread, block, min, max");
  CHECK(error_of("i. x") == "--pattern: column 2 of 'i. x': values are whole numbers, without a point");
  CHECK(error_of("i % 1.5") == "--pattern: column 6 of 'i % 1.5': values are whole numbers, without a point");
  CHECK(error_of("i * 010") ==
        "--pattern: column 5 of 'i * 010': '010' begins with 0, which is octal in C++; write 10, or 0x and hexadecimal "
        "digits");
  CHECK(error_of("9223372036854775808") ==
        "--pattern: column 1 of '9223372036854775808': '9223372036854775808' is out of range: the largest number is "
        "9223372036854775807, or 64 bits as 0xFFFFFFFFFFFFFFFF");
  CHECK(error_of("0x10000000000000000").find("out of range") != std::string::npos);
  CHECK(error_of("16u").find("runs into 'u'") != std::string::npos);
  CHECK(error_of("0xFG").find("runs into 'G'") != std::string::npos);
  CHECK(error_of("i $ 2") == "--pattern: column 3 of 'i $ 2': '$' is no part of an expression");
  CHECK(error_of("i + \xC3\x97 2") == "--pattern: column 5 of 'i + ? 2': byte 0xC3 is no part of an expression");
  CHECK(error_of("i + \n * 2") == "--pattern: column 7 of 'i + ? * 2': a value is missing before '*'");
  CHECK(error_of(std::string("i\0+ 3", 5)).find("byte 0x00") != std::string::npos);
}

TEST_CASE("errors of long expressions mark the place, for nobody can count columns from what is left out") {
  std::string text = "i";
  while (text.size() < 160) text += " + i % 7 * 3";
  for (std::size_t at = 1; at <= text.size(); ++at) {
    std::string wrong = text;
    const std::string error = error_of(wrong.insert(at, "$"));
    INFO(error);
    const std::string column = "--pattern: column " + std::to_string(at + 1);
    const std::size_t mark = error.find("[here]");
    if (mark == std::string::npos) {
      REQUIRE(error.starts_with(column + " of '" + wrong.substr(0, 60) + "...': '$'"));
    } else {
      REQUIRE(error.starts_with(column + ", [here] in '..."));
      const std::size_t place = error.rfind("[here]");
      const std::size_t shown = place - error.find("'...") - 4;
      CHECK(error.substr(place - shown, shown) == wrong.substr(at - shown, shown));
      CHECK(error.substr(place + 6).starts_with("$"));
    }
  }
  CHECK(error_of(text + " +") == "--pattern: column " + std::to_string(text.size() + 3) + ", [here] in '..." +
                                     (text + " +").substr(text.size() - 58) +
                                     "[here]': a value is missing before the end");
}

TEST_CASE("division by a zero that is written is refused where it counts") {
  CHECK(error_of("i / 0") == "--pattern: column 3 of 'i / 0': '/' is by zero, whatever the access");
  CHECK(error_of("i % (3 - 3)") == "--pattern: column 3 of 'i % (3 - 3)': '%' is by zero, whatever the access");
  CHECK(error_of("0 && i / 0") == "nothing");
  CHECK(error_of("1 || i / 0") == "nothing");
  CHECK(error_of("1 ? 2 : i / 0") == "nothing");
  CHECK(error_of("1 && i / 0").find("column 8") != std::string::npos);
  CHECK(error_of("i ? 1 : i / 0") == "nothing");  // only where i is 0
  CHECK_THROWS_WITH(with_accesses(parse_one("i / (n - 8)", "pattern"), 8),
                    "--pattern: column 3 of 'i / (n - 8)': '/' is by zero, whatever the access");
}

TEST_CASE("what is nested too deeply, too long or too much is refused, and what is just not is taken") {
  const int deep = deepest_nesting;
  CHECK(error_of(nested("(", deep / 2 - 1, "i", ")")) == "nothing");
  CHECK(error_of(nested("(", deep, "i", ")")).find("more than 100 levels") != std::string::npos);
  CHECK(error_of(nested("- ", deep - 2, "i", "")) == "nothing");
  CHECK(error_of(nested("- ", deep + 1, "i", "")).find("levels") != std::string::npos);
  CHECK(error_of(nested("i?", 101, "1", ":2")).find("levels") != std::string::npos);
  CHECK(error_of(nested("1?2:", 101, "3", "")).find("levels") != std::string::npos);
  CHECK(error_of(nested("(", 1'900, "", "")).find("levels") != std::string::npos);
  CHECK(error_of(std::string(longest_text, '(')).find("levels") != std::string::npos);
  CHECK(error_of(std::string(longest_text + 1, 'i')).find("4001 characters") != std::string::npos);
  CHECK(error_of("i" + nested("*i", most_operations, "", "")) == "nothing");
  CHECK(error_of("i" + nested("*i", most_operations + 1, "", "")).find("more than the 250") != std::string::npos);
  CHECK(error_of("1" + nested("+1", 1'999, "", "")) == "nothing");  // which is one literal
}

TEST_CASE("a sweep in an expression is that of an axis, in its order") {
  CHECK(values_of("i * 3") == "-:i * 3=30 ");
  CHECK(values_of("i * {1..3}") == "1:i * 1=10 2:i * 2=20 3:i * 3=30 ");
  CHECK(values_of("i+{0..32:16}") == "0:i+0=10 16:i+16=26 32:i+32=42 ");
  CHECK(values_of("{1..8*2}-i") == "1:1-i=-9 2:2-i=-8 4:4-i=-6 8:8-i=-2 ");
  CHECK(values_of("i & { 5, 2,1..2 }") == "5:i & 5=0 2:i & 2=2 1:i & 1=0 ");
  CHECK(values_of("i % {1KiB}") == "1024:i % 1024=10 ");
  CHECK(parse("i + {0..9999}", "pattern").size() == 10'000);
  // Columns are those of the text as written.
  CHECK(parse("i * {1..3} / i", "active")[1].expression.text == "i * {1..3} / i");
  Evaluator evaluator(parse("i * {10..12} / i", "active")[1].expression, 8);
  CHECK_THROWS_WITH(evaluator(consecutive(0)),
                    "--active: column 14 of 'i * {10..12} / i': '/' is by zero for access i = 0");
}

TEST_CASE("errors of sweeps") {
  CHECK(error_of("i * {1..3} + {1,2}") ==
        "--pattern: column 14 of 'i * {1..3} + {1,2}': a second sweep, beside the one in column 5; an expression takes "
        "one");
  CHECK(error_of("i*{5..1}") == "--pattern: column 3 of 'i*{5..1}': '5..1' runs backwards; write 1..5");
  CHECK(error_of("i*{}") == "--pattern: column 3 of 'i*{}': needs a value, such as 0..32, 0..32:4, 1..1024*2 or 1,2,8");
  CHECK(error_of("i*{1,,2}") == "--pattern: column 3 of 'i*{1,,2}': '1,,2' has a comma without a value beside it");
  CHECK(error_of("i*{1..3") == "--pattern: column 3 of 'i*{1..3': '{' has no '}'; write a sweep as {0..32}");
  CHECK(error_of("i*1}") == "--pattern: column 4 of 'i*1}': '}' has no '{' before it");
  CHECK(error_of("i*{0..10000}").find("10001 points, more than the 10000 a sweep takes") != std::string::npos);
  CHECK(error_of("i*{0..9999,20000}").find("more than the 10000 points a sweep takes") != std::string::npos);
  CHECK(error_of("i*{9223372036854775808}").find("out of range") != std::string::npos);
  CHECK(error_of("i*{0..4\n}").find("characters that no range has") != std::string::npos);
  CHECK(error_of("i{1..3}").find("an operator is missing before '{1..3}'") != std::string::npos);
  CHECK(error_of("i / {1,0}").find("column 3 of 'i / {1,0}': '/' is by zero") != std::string::npos);
  CHECK_THROWS_WITH(parse_one("i*{1..2}", "pattern"),
                    "--pattern: column 3 of 'i*{1..2}': one expression is needed here, without a sweep");
}

TEST_CASE("a list of expressions is parted by the commas outside parentheses and braces") {
  const auto parts = [](std::string_view list) {
    std::vector<std::string> all;
    for (const std::string_view part : expressions_of(list)) all.emplace_back(part);
    return all;
  };
  using Parts = std::vector<std::string>;
  CHECK(parts("i") == Parts{"i"});
  CHECK(parts("i, i ^ 5,i*7") == Parts{"i", "i ^ 5", "i*7"});
  CHECK(parts("  i  ,  7  ") == Parts{"i", "7"});
  CHECK(parts("min(i, 5), max(i, min(2, 3)) + (i), i") == Parts{"min(i, 5)", "max(i, min(2, 3)) + (i)", "i"});
  CHECK(parts("i * {1,2,5}, i + min({0..3}, n)") == Parts{"i * {1,2,5}", "i + min({0..3}, n)"});
  // Splitting reports no errors: that is left to the parser.
  CHECK(parts("") == Parts{""});
  CHECK(parts("i,") == Parts{"i", ""});
  CHECK(parts(",,") == Parts{"", "", ""});
  CHECK(parts("   ") == Parts{""});
  CHECK(parts("min(i, 5") == Parts{"min(i, 5"});
  CHECK(parts("i), 5") == Parts{"i)", "5"});
}

TEST_CASE("an expression of the access alone has the value of lane, warp, thread and block") {
  struct Blocks {
    Int threads;
    Int accesses;
  };
  for (const Compiled& example : compiled()) {
    for (const Blocks blocks : {Blocks{256, 256}, Blocks{64, 256}, Blocks{97, 97}, Blocks{97, 291}, Blocks{1, 4}}) {
      INFO(example.text << ", blocks of " << blocks.threads << " threads and " << blocks.accesses << " accesses");
      constexpr Int n = 1000;
      const Expression alone =
          of_access_alone(with_accesses(parse_one(example.text, "pattern"), n), blocks.threads, blocks.accesses);
      CHECK(alone.text == example.text);
      for (const Variable place : {Variable::lane, Variable::warp, Variable::thread, Variable::block}) {
        CHECK_FALSE(alone.uses(place));
      }
      Evaluator evaluator(alone, n);
      for (Int first = 0; first < n; first += 32) {
        WarpAccesses at = consecutive(first, static_cast<std::size_t>(std::min<Int>(32, n - first)));
        at.warp = at.block = 1'000'000;  // wherever the warp is
        const WarpValues values = evaluator(at);
        for (Int lane = 0; lane < std::min<Int>(32, n - first); ++lane) {
          const Int i = first + lane;
          const Int thread = i % blocks.accesses % blocks.threads;
          const Int expected = example.value(i, n, thread % 32, thread / 32, thread, i / blocks.accesses);
          if (values[static_cast<std::size_t>(lane)] != expected) {
            FAIL("i = " << i << ": " << values[static_cast<std::size_t>(lane)] << ", not " << expected);
          }
        }
      }
    }
  }
}

TEST_CASE("an expression that names no place in the launch stays as it is") {
  const Expression written = parse_one("i * 7 + n / 2", "pattern");
  const Expression alone = of_access_alone(written, 97, 291);
  REQUIRE(alone.code.size() == written.code.size());
  for (std::size_t k = 0; k < alone.code.size(); ++k) CHECK((alone.code[k].op == written.code[k].op));
  CHECK(alone.uses(Variable::n));
}

TEST_CASE("an expression of a tile has rows, columns and a pitch in terms of the access") {
  const Expression written = parse_one("column * pitch + row", "pattern", Names::of_tile);
  CHECK(written.uses(Variable::pitch));
  const Expression expression = in_tile(written, 16, 33);
  for (const Variable of_tile : {Variable::row, Variable::column, Variable::pitch})
    CHECK_FALSE(expression.uses(of_tile));
  Evaluator evaluator(expression, 512);
  for (Int first = 0; first < 512; first += 32) {
    const WarpValues values = evaluator(consecutive(first));
    for (Int lane = 0; lane < 32; ++lane) {
      const Int i = first + lane;
      CHECK(values[static_cast<std::size_t>(lane)] == i % 16 * 33 + i / 16);
    }
  }
}

TEST_CASE("names of a tile and of a launch are told apart") {
  CHECK_THROWS_WITH(
      parse_one("row + 1", "pattern"),
      "--pattern: column 1 of 'row + 1': 'row' is none of the names i, n, lane, warp, thread, block, min, "
      "max; --space shared has it");
  CHECK_THROWS_WITH(parse_one("i + block", "pattern", Names::of_tile),
                    Catch::Matchers::EndsWith("row, column, pitch, min, max; --space global has it"));
  CHECK_NOTHROW(parse_one("row + column + thread", "pattern", Names::of_tile));
}

TEST_CASE("division by zero in an expression of the access alone says its column as written") {
  const Expression alone = of_access_alone(parse_one("1 + i / (lane - 3)", "active"), 256, 1024);
  Evaluator evaluator(alone, 1000);
  const auto refusal = [&](std::int64_t first, std::uint32_t active) {
    WarpAccesses at = consecutive(first);
    at.active = active;
    try {
      static_cast<void>(evaluator(at));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string("nothing");
  };
  CHECK(refusal(64, ~0U) == "--active: column 7 of '1 + i / (lane - 3)': '/' is by zero for access i = 67");
  CHECK(refusal(64, ~8U) == "nothing");
}

}  // namespace gpumem::pattern::test_expression
