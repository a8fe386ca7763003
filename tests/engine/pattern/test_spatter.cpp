#include <algorithm>
#include <numeric>
#include <random>

#include "engine/pattern/spatter.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_spatter {

namespace {

Indices offsets(const std::string& notation) { return parse_spatter(notation, "--indices").offsets; }

std::string error(const std::string& notation) {
  return error_of([&] { static_cast<void>(parse_spatter(notation, "--indices")); });
}

}  // namespace

// The examples of Spatter's README.
TEST_CASE("Spatter's patterns are what its documentation says", "[spatter]") {
  CHECK(offsets("UNIFORM:8:4") == Indices{0, 4, 8, 12, 16, 20, 24, 28});
  CHECK(offsets("MS1:8:4:32") == Indices{0, 1, 2, 3, 35, 36, 37, 38});
  CHECK(offsets("MS1:8:2,3:20") == Indices{0, 1, 21, 41, 42, 43, 44, 45});
  CHECK(offsets("MS1:8:2,3:20,22") == Indices{0, 1, 21, 43, 44, 45, 46, 47});
  CHECK(offsets("LAPLACIAN:1:1:100") == Indices{0, 1, 2});
  CHECK(offsets("LAPLACIAN:2:1:100") == Indices{0, 99, 100, 101, 200});
  CHECK(offsets("LAPLACIAN:2:2:100") == Indices{0, 100, 198, 199, 200, 201, 202, 300, 400});
  CHECK(offsets("LAPLACIAN:3:1:100") == Indices{0, 9900, 9999, 10000, 10001, 10100, 20000});
  CHECK(offsets("UNIFORM:4:0") == Indices{0, 0, 0, 0});
  CHECK(offsets("1,2,4,8,16,32") == Indices{1, 2, 4, 8, 16, 32});
  CHECK(offsets("4,4,4,4,4") == Indices{4, 4, 4, 4, 4});
}

TEST_CASE("a notation may say how far a repeat is from the next", "[spatter]") {
  CHECK_FALSE(parse_spatter("UNIFORM:8:4", "").delta);
  CHECK(parse_spatter("UNIFORM:8:4:NR", "").delta == 32);
  CHECK(parse_spatter("UNIFORM:8:4:3", "").delta == 3);
  CHECK(parse_spatter("UNIFORM:8:4:0", "").delta == 0);
  CHECK(parse_spatter("LAPLACIAN:3:1:100", "").delta == 1);
  CHECK_FALSE(parse_spatter("MS1:8:4:32", "").delta);
  CHECK_FALSE(parse_spatter("0, 4 ,8", "").delta);
}

TEST_CASE("a stencil is its points' distances in a row-major cube", "[spatter]") {
  for (std::uint64_t dimension = 1; dimension <= 3; ++dimension) {
    for (std::uint64_t order = 1; order <= 3; ++order) {
      constexpr std::uint64_t size = 10;
      Indices expected = {500'000};  // a point in the middle
      std::uint64_t pitch = 1;
      for (std::uint64_t axis = 0; axis < dimension; ++axis, pitch *= size) {
        for (std::uint64_t i = 1; i <= order; ++i)
          expected.insert(expected.end(), {500'000 - i * pitch, 500'000 + i * pitch});
      }
      std::ranges::sort(expected);
      for (const std::uint64_t first = expected.front(); std::uint64_t & point : expected) point -= first;
      CHECK(offsets("LAPLACIAN:" + std::to_string(dimension) + ":" + std::to_string(order) + ":10") == expected);
    }
  }
}

TEST_CASE("a pattern unrolls to its accesses", "[spatter]") {
  const SpatterPattern pattern = parse_spatter("MS1:4:2:10", "");
  const IndexSequence indices = spatter_indices(pattern, 3, 3, "");
  CHECK(all_of(indices) == Indices{0, 1, 11, 12, 3, 4, 14, 15, 6, 7, 17, 18});
  CHECK(indices.maximum() == 18);
  CHECK(all_of(spatter_indices(pattern, 0, 2, "")) == Indices{0, 1, 11, 12, 0, 1, 11, 12});

  const IndexSequence contiguous = spatter_indices(parse_spatter("UNIFORM:8:1:NR", ""), 8, 100, "");
  Indices expected(800);
  std::iota(expected.begin(), expected.end(), 0U);
  CHECK(all_of(contiguous) == expected);
}

TEST_CASE("accesses beyond what an index can be are refused", "[spatter]") {
  const SpatterPattern pattern = parse_spatter("0,4", "");
  const auto far = [&](std::uint64_t delta, std::uint64_t count) {
    return error_of([&] { static_cast<void>(spatter_indices(pattern, delta, count, "--indices")); });
  };
  CHECK(far((most_index - 4) / 2, 3) == "nothing thrown");
  CHECK(
      far((most_index - 4) / 2 + 1, 3) ==
      "--indices: 3 repeats, each 4611686018427387902 elements further on, need indices above 2^63 - 1; take a smaller "
      "count or delta");
  CHECK(far(0, most_index) != "nothing thrown");
}

TEST_CASE("what is wrong in a notation is named with its character", "[spatter]") {
  const std::string uniform = "; it is written UNIFORM:LENGTH:STRIDE, :DELTA or :NR after it, such as UNIFORM:8:4:NR";
  const std::string ms1 = "; it is written MS1:LENGTH:BREAKS:GAPS, such as MS1:8:2,3:20";
  CHECK(error("UNIFORM") == "--indices: character 8: expected ':' before LENGTH" + uniform);
  CHECK(error("UNIFORM:8") == "--indices: character 10: expected ':' before STRIDE" + uniform);
  CHECK(error("UNIFORM:0:1") == "--indices: character 9: expected LENGTH, a whole number from 1 to 67108864" + uniform);
  CHECK(error("UNIFORM:8:x") ==
        "--indices: character 11: expected STRIDE, a whole number from 0 to 9223372036854775807" + uniform);
  CHECK(error("UNIFORM:99999999999:1") ==
        "--indices: character 9: expected LENGTH, a whole number from 1 to 67108864" + uniform);
  CHECK(error("UNIFORM:8:9223372036854775807") ==
        "--indices: character 30: its offsets are above 2^63 - 1, the largest index" + uniform);
  CHECK(error("UNIFORM:8:1:NRX") == "--indices: character 15: expected nothing more, not 'X'" + uniform);
  CHECK(error("UNIFORM:8:1:x") ==
        "--indices: character 13: expected DELTA or NR, a whole number from 0 to "
        "9223372036854775807" +
            uniform);
  CHECK(error("MS1:8:4") == "--indices: character 8: expected ':' before GAPS" + ms1);
  CHECK(error("MS1:8:3,2:5") == "--indices: character 7: expected breaks that ascend and are below LENGTH, 8" + ms1);
  CHECK(error("MS1:8:2,2:5") == "--indices: character 7: expected breaks that ascend and are below LENGTH, 8" + ms1);
  CHECK(error("MS1:8:8:5") == "--indices: character 7: expected breaks that ascend and are below LENGTH, 8" + ms1);
  CHECK(error("MS1:8:2,3:5,6,7") == "--indices: character 11: expected one gap or as many as breaks, 2, not 3" + ms1);
  CHECK(error("MS1:8:0:0") == "--indices: character 9: expected gaps that leave all offsets from 0 to 2^63 - 1" + ms1);
  CHECK(error("MS1:8:1,2:9223372036854775807") ==
        "--indices: character 11: expected gaps that leave all offsets from 0 to 2^63 - 1" + ms1);
  CHECK_THAT(error("LAPLACIAN:3:1:9000000000"),
             Catch::Matchers::ContainsSubstring("its offsets are above 2^63 - 1, the largest index"));
  CHECK(error("0,4,") ==
        "--indices: character 5: expected an offset, a whole number from 0 to 9223372036854775807; it is written as "
        "offsets with commas between them, such as 0,4,8,12");
  CHECK_THAT(error("0,-4"), Catch::Matchers::StartsWith("--indices: character 3: expected an offset"));
  CHECK(error("UNIFROM:8:1") == "--indices: character 1: 'UNIFROM' is no pattern; did you mean 'UNIFORM'?");
  CHECK(error("uniform:8:1") == "--indices: character 1: 'uniform' is no pattern; did you mean 'UNIFORM'?");
  CHECK(error("RANDOM:8") ==
        "--indices: character 1: 'RANDOM' is no pattern; there are UNIFORM, MS1, LAPLACIAN and offsets such as 0,4,8");
  CHECK_THAT(error(""), Catch::Matchers::StartsWith("--indices: character 1: '' is no pattern"));
}

TEST_CASE("a notation is told from the name of a file", "[spatter]") {
  for (const std::string text : {"UNIFORM:8:1:NR", "UNIFORM:", "MS1:8:4:32", "LAPLACIAN:1:1:1", "0,4,8", "7", "0, 4"}) {
    CHECK(is_spatter_notation(text));
  }
  for (const std::string text : {"", "a.npy", "./0,4", "UNIFORM.npy", "UNIFORM", "0,4.txt", "/dev/stdin"}) {
    CHECK_FALSE(is_spatter_notation(text));
  }
}

TEST_CASE("damaged notations are read or refused in one line", "[spatter]") {
  std::mt19937 random(17);
  const std::string alphabet = "0123456789:,NRUM S1-x\n\xff";
  const std::vector<std::string> seeds = {"UNIFORM:8:4:NR", "MS1:8:2,3:20,22", "LAPLACIAN:2:2:100", "0,4,8,12"};
  for (int round = 0; round < 20'000; ++round) {
    std::string text = seeds[random() % seeds.size()];
    for (auto changes = 1 + random() % 3; changes-- > 0;) {
      const std::size_t at = random() % text.size();
      if (random() % 4 == 0 && text.size() > 1) {
        text.erase(at, 1);
      } else {
        text[at] = alphabet[random() % alphabet.size()];
      }
    }
    const std::string outcome = error(text);
    REQUIRE((outcome == "nothing thrown" || outcome.starts_with("--indices: character ")));
    if (outcome == "nothing thrown") REQUIRE(std::ranges::max(offsets(text)) <= most_index);
  }
}

}  // namespace gpumem::pattern::test::test_spatter
