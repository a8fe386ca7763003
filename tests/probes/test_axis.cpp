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
  Case one{.parameters = {{"weight_grams", std::uint64_t{3}}, {"fruit", "pear"}, {"share", "half"}, {"label", "x"}}};
  CHECK(one[weight] == 3U);
  CHECK(one[fruit] == Fruit::pear);
  CHECK(one.name(fruit) == "pear");
  CHECK(one[share] == 0.5);
  CHECK(one[label] == "x");
  one.set(weight, "auto");
  CHECK(one.is_auto(weight));
  CHECK_THROWS_AS(one[weight], std::logic_error);
  one.set(fruit, fruit.name_of(Fruit::apple));
  CHECK(one[fruit] == Fruit::apple);
  one.set(fruit, "plum");
  CHECK_THROWS_AS(one[fruit], std::logic_error);
  CHECK_THROWS_AS(Case{}[label], std::logic_error);
}

}  // namespace gpumem::test_axis
