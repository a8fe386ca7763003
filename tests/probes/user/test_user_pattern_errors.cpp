// Patterns that are refused: elements that no array has, and expressions without a value.

#include "tests/catch.hpp"
#include "tests/files.hpp"
#include "tests/probes/user/user_pattern_cases.hpp"

namespace gpumem::global::test_user_pattern_errors {

using namespace gpumem::global::test;
using Catch::Matchers::StartsWith;

TEST_CASE("user pattern: elements before the first are refused with the access that goes there", "[user_pattern]") {
  const std::string hint = "; elements begin at 0: add what is missing, or leave the access out with --active";
  CHECK(refusal_of("i - 5") == "--pattern: 'i - 5' is -5 for access i = 0" + hint);
  CHECK(refusal_of("500 - i") == "--pattern: '500 - i' is -499 for access i = 999" + hint);
  CHECK_THAT(refusal_of("i * i - 200 * i"), StartsWith("--pattern: 'i * i - 200 * i' is -"));
  CHECK_THAT(refusal_of("i - 5", "i != 0"), StartsWith("--pattern: 'i - 5' is -4 for access i = 1;"));
  CHECK(refusal_of("i - 5", "i >= 5") == "nothing");
  // Whatever repeats itself sinks as far as its end, of which there is more than a period.
  CHECK_THAT(refusal_of("600 - i + i % 64", "1", 1000), StartsWith("--pattern: '600 - i + i % 64' is -"));
}

TEST_CASE("user pattern: division by zero is refused with its column and access", "[user_pattern]") {
  CHECK(refusal_of("i / (i - 7)") == "--pattern: column 3 of 'i / (i - 7)': '/' is by zero for access i = 7");
  CHECK(refusal_of("i", "i % (i - 40)") == "--active: column 3 of 'i % (i - 40)': '%' is by zero for access i = 40");
  CHECK(refusal_of("i / (lane - 3)", "lane > 3") == "nothing");
  CHECK_THAT(refusal_of("i / (lane - 3)", "lane > 2"),
             StartsWith("--pattern: column 3 of 'i / (lane - 3)': '/' is by zero for access i = 3"));
  CHECK(refusal_of("i == 7 ? 0 : i / (i - 7) + 6") == "nothing");
  CHECK_THAT(refusal_of("i % (n - 1000)"), StartsWith("--pattern: column 3 of 'i % (n - 1000)': "));
}

TEST_CASE("user pattern: where nothing would take part it is refused", "[user_pattern]") {
  CHECK(refusal_of("i", "i < 0") == "--active: 'i < 0' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i", "0") == "--active: '0' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i", "warp > 7") == "--active: 'warp > 7' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i - 5", "i * i < 0") == "--active: 'i * i < 0' is 0 for all 1000 accesses; none would take part");
}

TEST_CASE("user pattern: no access goes beyond --extent, and no array beyond the device's memory", "[user_pattern]") {
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  CHECK(describing_refusal_of(pattern_case("i", {{"extent_elements", accesses}})) == "nothing");
  CHECK(describing_refusal_of(pattern_case("i + 1", {{"extent_elements", accesses}})) ==
        "--pattern: 'i + 1' is 262144 for access i = 262143, beyond the 262144 elements of --extent; make that larger, "
        "or leave the access out with --active");
  CHECK(describing_refusal_of(
            pattern_case("i + 1", {{"extent_elements", accesses}, {"active", std::string("i < n - 1")}})) == "nothing");
  CHECK_THAT(sizing_refusal_of(pattern_case("i + 1", {{"extent_elements", accesses}})),
             Catch::Matchers::ContainsSubstring("beyond the 262144 elements of --extent"));

  CHECK(sizing_refusal_of(pattern_case("i * 100000")) == "nothing");
  CHECK_THAT(sizing_refusal_of(pattern_case("i * 1000000")),
             StartsWith("--pattern: 'i * 1000000' is 262143000000 for access i = 262143, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("9223372036854775807 - i")),
             StartsWith("--pattern: '9223372036854775807 - i' is 9223372036854775807 for access i = 0, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("9223372036854775807 - i")),
             StartsWith("--pattern: '9223372036854775807 - i' is 9223372036854775807 for access i = 0, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("i - 1")), StartsWith("--pattern: 'i - 1' is -1 for access i = 0"));
}

TEST_CASE("user pattern: an extent that no memory has is what is refused", "[user_pattern]") {
  CHECK_THAT(sizing_refusal_of(pattern_case("i", {{"extent_elements", std::uint64_t{1} << 40U}})),
             StartsWith("--extent 1099511627776: an array of so many elements of 4 bytes has 4 TiB, the GPU "));
}

TEST_CASE("user pattern: data is no pattern", "[user_pattern]") {
  const auto refusal = [](const std::string& text) {
    try {
      static_cast<void>(find_probe("pattern")->find_axis("pattern")->texts(text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("UNIFORM:8:1:NR") ==
        "--pattern: 'UNIFORM:8:1:NR' is Spatter's notation; pass it as --indices 'UNIFORM:8:1:NR'");
  const gpumem::test::TemporaryDirectory directory;
  const std::string path = (directory / "a.npy").string();
  gpumem::test::put(path, "x");
  CHECK(refusal(path) == "--pattern: '" + path + "' is a file; pass it as --indices '" + path + "'");
  CHECK_THAT(refusal("i +"), StartsWith("--pattern: column "));
  CHECK(refusal("0,4").empty());
}

TEST_CASE("user pattern: a pattern that is refused is refused again", "[user_pattern]") {
  KnownPatterns known;
  const Launch launch = launch_with(1000, {256, 1});
  const UserPattern pattern = user_pattern("i - 5", "1", launch);
  const auto refused = [&] { return refusal_of([&] { static_cast<void>(known.facts(pattern, launch)); }); };
  CHECK_THAT(refused(), StartsWith("--pattern: 'i - 5' is -5"));
  CHECK(refused() == refused());
}

}  // namespace gpumem::global::test_user_pattern_errors
