#include <algorithm>
#include <chrono>
#include <random>
#include <string>

#include "engine/base/demangle.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_demangle {

namespace {

const std::string digits = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZ";

/// "S_", "S0_", ...
std::string reference(unsigned number) { return number == 0 ? "S_" : std::string("S") + digits[number - 1] + "_"; }

/// Each argument is a template of two of those before it.
std::string bomb(unsigned depth, const std::string& beginning = "_Z1f1PIiiE") {
  std::string name = beginning;
  for (unsigned i = 1; i <= depth && i < digits.size(); ++i) name += "S_I" + reference(i) + reference(i) + "E";
  return name;
}

}  // namespace

TEST_CASE("names are demangled as people write them", "[demangle]") {
  CHECK(demangled("_Z4copyPfPKf") == "copy(float*, float const*)");
  CHECK(demangled("main") == "main");
  CHECK(demangled("") == "");
  CHECK(demangled("_Z4copyPf.") == "_Z4copyPf.");
  // Many back references, one behind an identifier that ends like one, one of two digits, and a literal.
  CHECK(demangled("_Z1f3SCCIiES_IS0_ES_IS1_ES_IS2_ES_IS3_ES_IS4_ES_IS5_ES_IS6_ES_IS7_ES0_S0_S0_S0_S0_S0_S0_S0_1SS0_")
            .starts_with("f(SCC<int>, SCC<SCC<int> >, "));
  CHECK(
      demangled("_Z1fILi10ELb1EEvPA10_iS0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_S0_") ==
      "void f<10, true>(int (*) [10], int [10], int [10], int [10], int [10], int [10], int [10], int [10], "
      "int [10], int [10], int [10], int [10], int [10], int [10], int [10], int [10], int [10], int [10], int [10])");
}

TEST_CASE("a name that doubles with each step is not spelt out", "[demangle]") {
  CHECK(demangled(bomb(3)) ==
        "f(P<int, int>, P<P<int, int>, P<int, int> >, P<P<P<int, int>, P<int, int> >, "
        "P<P<int, int>, P<int, int> > >, P<P<P<P<int, int>, P<int, int> >, P<P<int, int>, P<int, "
        "int> > >, P<P<P<int, int>, P<int, int> >, P<P<int, int>, P<int, int> > > >)");
  for (unsigned depth = 12; depth < digits.size(); ++depth) CHECK(demangled(bomb(depth)) == bomb(depth));
  // Behind numbers that look like the lengths of identifiers.
  for (const char* beginning :
       {"_Z1fA9_1PIiiE", "_Z1fLi20E1PIiiE", "_Z3S0_1PIiiE", "_ZN1S1fE1PIiiE", "_Z1f4S1S_1PIiiE"}) {
    CHECK(demangled(bomb(34, beginning)).size() <= longest_demangled);
  }
  CHECK(demangled("_Z1f" + std::string(longest_mangled, 'i')).size() == longest_mangled + 4);
}

TEST_CASE("no name takes long to demangle", "[demangle]") {
  std::mt19937 random(1);
  const auto begin = std::chrono::steady_clock::now();
  for (unsigned round = 0; round < 2000; ++round) {
    std::string name = bomb(20 + static_cast<unsigned>(random() % 15));
    for (unsigned i = 0; i < random() % 6; ++i)
      name[2 + random() % (name.size() - 2)] = digits[random() % digits.size()];
    if (random() % 2 == 0) name.insert(2 + random() % (name.size() - 2), random() % 2 == 0 ? "A20_" : "S1_S1_S2_S3_");
    CHECK(demangled(name).size() <= std::max(longest_demangled, name.size()));
  }
  CHECK(std::chrono::steady_clock::now() - begin < std::chrono::minutes(1));
}

}  // namespace gpumem::test_demangle
