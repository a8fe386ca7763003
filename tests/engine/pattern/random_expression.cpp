#include "tests/engine/pattern/random_expression.hpp"

#include <array>
#include <utility>

namespace gpumem::pattern::test {

namespace {

__extension__ using Wide = __int128;
using Value = std::optional<std::int64_t>;

std::int64_t cut(Wide value) { return static_cast<std::int64_t>(static_cast<std::uint64_t>(value)); }

Wide power_of_two(std::int64_t exponent) { return Wide{1} << static_cast<int>(exponent); }

Wide rounded_down(Wide a, Wide b) { return a >= 0 ? a / b : -((-a + b - 1) / b); }

Value binary(const std::string& sign, Wide a, Wide b) {
  const bool far = b < 0 || b > 63;
  if ((sign == "/" || sign == "%") && b == 0) return std::nullopt;
  if (sign == "+") return cut(a + b);
  if (sign == "-") return cut(a - b);
  if (sign == "*") return cut(a * b);
  if (sign == "/") return cut(a / b);
  if (sign == "%") return cut(a - a / b * b);
  if (sign == "<<") return far ? 0 : cut(a * power_of_two(static_cast<std::int64_t>(b)));
  if (sign == ">>") return far ? (a < 0 ? -1 : 0) : cut(rounded_down(a, power_of_two(static_cast<std::int64_t>(b))));
  if (sign == "&") return cut(a & b);
  if (sign == "|") return cut(a | b);
  if (sign == "^") return cut(a ^ b);
  if (sign == "<") return a < b;
  if (sign == "<=") return a <= b;
  if (sign == ">") return a > b;
  if (sign == ">=") return a >= b;
  if (sign == "==") return a == b;
  return a != b;
}

class Maker {
 public:
  Maker(std::mt19937_64& random, const Kinds& kinds) : random_(random), kinds_(kinds) {}

  RandomExpression make(int depth) {
    if (depth == 0 || below(8) == 0) return operand();
    const std::uint64_t kind = below(20);
    if (kind < 2) return unary(depth);
    if (kind < 4) return smaller_or_larger(depth);
    if (!kinds_.rounding_only && kind < 6) return conditional(depth);
    if (!kinds_.rounding_only && kind < 8) return logical(depth);
    return arithmetic(depth);
  }

 private:
  std::uint64_t below(std::uint64_t end) { return random_() % end; }

  template <std::size_t size>
  const char* one_of(const std::array<const char*, size>& all) {
    return all[below(size)];
  }

  RandomExpression literal() {
    std::uint64_t value = below(2) == 0 ? below(9) : std::uint64_t{1} << below(8);
    if (below(3) == 0) value = below(100);
    if (kinds_.large_literals && below(4) == 0) value = random_() >> (1 + below(62));
    const auto number = static_cast<std::int64_t>(value);
    return {std::to_string(number), [number](const Place&) -> Value { return number; }};
  }

  RandomExpression operand() {
    const std::uint64_t kind = below(10);
    if (kind < 4) return {"i", [](const Place& at) -> Value { return at.i; }};
    if (kind == 4) return {"n", [](const Place& at) -> Value { return at.n; }};
    if (kind > 6 || !kinds_.place_in_launch) return literal();
    switch (below(4)) {
      case 0:
        return {"lane", [](const Place& at) -> Value { return at.lane; }};
      case 1:
        return {"warp", [](const Place& at) -> Value { return at.warp; }};
      case 2:
        return {"thread", [](const Place& at) -> Value { return 32 * at.warp + at.lane; }};
      default:
        return {"block", [](const Place& at) -> Value { return at.block; }};
    }
  }

  RandomExpression unary(int depth) {
    const std::string sign = one_of(std::array{"-", "~", "!", "+"});
    const RandomExpression a = make(depth - 1);
    return {sign + "(" + a.text + ")", [=](const Place& at) -> Value {
              const Value value = a.value(at);
              if (!value || sign == "+") return value;
              if (sign == "!") return *value == 0;
              return cut(sign == "-" ? -Wide{*value} : -Wide{*value} - 1);
            }};
  }

  RandomExpression smaller_or_larger(int depth) {
    const bool smaller = below(2) == 0;
    const RandomExpression a = make(depth - 1);
    const RandomExpression b = make(depth - 1);
    return {(smaller ? "min(" : "max(") + a.text + ", " + b.text + ")", [=](const Place& at) -> Value {
              const Value of_a = a.value(at);
              const Value of_b = b.value(at);
              if (!of_a || !of_b) return std::nullopt;
              return (*of_a < *of_b) == smaller ? of_a : of_b;
            }};
  }

  RandomExpression conditional(int depth) {
    const RandomExpression c = make(depth - 1);
    const RandomExpression a = make(depth - 1);
    const RandomExpression b = make(depth - 1);
    return {"(" + c.text + " ? " + a.text + " : " + b.text + ")", [=](const Place& at) -> Value {
              const Value condition = c.value(at);
              if (!condition) return condition;
              return *condition != 0 ? a.value(at) : b.value(at);
            }};
  }

  RandomExpression logical(int depth) {
    const bool all = below(2) == 0;
    const RandomExpression a = make(depth - 1);
    const RandomExpression b = make(depth - 1);
    return {"(" + a.text + (all ? " && " : " || ") + b.text + ")", [=](const Place& at) -> Value {
              const Value of_a = a.value(at);
              if (!of_a) return of_a;
              if ((*of_a != 0) != all) return *of_a != 0;
              const Value of_b = b.value(at);
              if (!of_b) return of_b;
              return *of_b != 0;
            }};
  }

  RandomExpression arithmetic(int depth) {
    const bool rounding = kinds_.rounding_only || below(2) == 0;
    const bool bits = kinds_.bits && below(4) != 0;
    const std::string sign = bits       ? one_of(std::array{"&", "&", "|", "|", "^", "<<", ">>", ">>"})
                             : rounding ? one_of(std::array{"+", "-", "*", "/", "%", "&", "|", "^"})
                                        : one_of(std::array{"<<", ">>", "<", "<=", ">", ">=", "==", "!=", "+", "*"});
    const RandomExpression a = make(depth - 1);
    const RandomExpression b = below(2) == 0 ? literal() : make(depth - 1);
    return {"(" + a.text + " " + sign + " " + b.text + ")", [=](const Place& at) -> Value {
              const Value of_a = a.value(at);
              const Value of_b = b.value(at);
              if (!of_a || !of_b) return std::nullopt;
              return binary(sign, *of_a, *of_b);
            }};
  }

  std::mt19937_64& random_;
  Kinds kinds_;
};

}  // namespace

RandomExpression random_expression(std::mt19937_64& random, int depth, const Kinds& kinds) {
  return Maker(random, kinds).make(depth);
}

}  // namespace gpumem::pattern::test
