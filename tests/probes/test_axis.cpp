// Typed parameters: the axes made of them, and what they read from a case.

#include <stdexcept>

#include "probes/probe.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_axis {

namespace {

enum class Fruit { apple, pear };

constexpr Number<unsigned> weight{"weight_grams"};
constexpr Choice<Fruit> fruit{"fruit", {"apple", "pear"}};
constexpr Choice<double> share{"share", {{"all", 1.0}, {"half", 0.5}}};
constexpr Text label{"label"};

}  // namespace

TEST_CASE("an axis has the name of its parameter and the names that a choice has", "[axis]") {
  const Axis weights = weight({.flag = "weight", .purpose = "how heavy", .defaults = "1..4"});
  CHECK(weights.parameter == "weight_grams");
  CHECK(weights.takes_range());
  const Axis fruits = fruit({.flag = "fruit", .purpose = "which one"});
  CHECK(fruits.parameter == "fruit");
  CHECK(fruits.names == std::vector<std::string>{"apple", "pear"});
  CHECK(fruits.defaults == "apple,pear");
  CHECK(fruit({.flag = "fruit", .purpose = "which one", .defaults = "pear"}).defaults == "pear");
}

TEST_CASE("a case is read by parameters as what their values stand for", "[axis]") {
  Case tested{.parameters = {{"weight_grams", std::uint64_t{3}}, {"fruit", "pear"}, {"share", "half"}, {"label", "x"}}};
  CHECK(tested[weight] == 3U);
  CHECK(tested[fruit] == Fruit::pear);
  CHECK(tested.name(fruit) == "pear");
  CHECK(tested[share] == 0.5);
  CHECK(tested[label] == "x");
  tested.set(weight, "auto");
  CHECK(tested.is_auto(weight));
  CHECK_THROWS_AS(tested[weight], std::logic_error);
  tested.set(fruit, fruit.name_of(Fruit::apple));
  CHECK(tested[fruit] == Fruit::apple);
  tested.set(fruit, "plum");
  CHECK_THROWS_AS(tested[fruit], std::logic_error);
  CHECK_THROWS_AS(Case{}[label], std::logic_error);
}

}  // namespace gpumem::test_axis
