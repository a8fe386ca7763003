// Patterns of a tile in shared memory: their wavefronts, and what is refused.

#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "probes/user/shared_pattern/shared_pattern.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::shared_pattern::test_shared_pattern {

namespace {

using Catch::Matchers::StartsWith;

constexpr std::uint64_t most_bytes = 232'448;  // of a block of an H100

TileRequests evaluated(const std::string& pattern, std::vector<Parameter> parameters = {}) {
  parameters.push_back({"pattern", pattern});
  return requests_of(tile_of_expression(test::any_case("shared-pattern", parameters)), most_bytes);
}

double wavefronts(const std::string& pattern, const std::vector<Parameter>& parameters = {}) {
  return evaluated(pattern, parameters).wavefronts_per_request();
}

std::string refusal_of(const std::string& pattern, const std::vector<Parameter>& parameters = {}) {
  try {
    static_cast<void>(evaluated(pattern, parameters));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}

std::string refusal_of_swizzle(const std::string& text) {
  try {
    static_cast<void>(swizzle_values(text));
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}

Parameter words(std::uint64_t bytes) { return {"word_bytes", bytes}; }
Parameter rows(std::uint64_t count) { return {"rows", count}; }
Parameter columns(std::uint64_t count) { return {"columns", count}; }
Parameter pitch(std::uint64_t elements) { return {"pitch_elements", elements}; }
Parameter swizzle(const std::string& value) { return {"swizzle", value}; }
Parameter op(const std::string& name) { return {"op", name}; }

/// Cycles of a request at a wavefront a cycle.
struct Predicted {
  double cycles = 0;          ///< the headline
  double cycles_of_time = 0;  ///< those that the time of the launch has
};

Predicted predicted(const std::string& pattern, std::vector<Parameter> parameters) {
  parameters.push_back({"pattern", pattern});
  const Case tested = test::any_case("shared-pattern", parameters);
  const model::Profile profile = model::load_profile("h100");
  const Workload workload = tested.probe->describe(tested, profile.device);
  const model::Prediction prediction = model::predict(workload, profile);
  const double per_cycle = profile.rates.shared.wavefronts_per_cycle;
  const auto requests = static_cast<double>(workload.sites.front().requests / workload.blocks);
  const auto clock_hz = static_cast<double>(profile.device.sm_clock_hz);
  return {.cycles = *tested.probe->headline.predict(workload, prediction, profile) * per_cycle,
          .cycles_of_time = prediction.seconds * clock_hz / requests * per_cycle};
}

}  // namespace

TEST_CASE("shared pattern: wide words that take more wavefronts than one have no conflicts", "[shared_pattern]") {
  const TileRequests contiguous = evaluated("i", {words(16)});
  CHECK(contiguous.wavefronts_per_request() == 4);
  CHECK_FALSE(contiguous.conflicts());
  const TileRequests strided = evaluated("i * 8", {words(16)});
  CHECK(strided.wavefronts_per_request() == 32);
  CHECK(strided.least_per_request() == 4);
}

TEST_CASE("shared pattern: a tile of doubles takes 32 wavefronts by columns and 2 by rows", "[shared_pattern]") {
  const std::vector<Parameter> tile = {words(8), rows(32), columns(32)};
  CHECK(wavefronts("column * pitch + row", tile) == 32);
  CHECK(wavefronts("row * pitch + column", tile) == 2);
}

TEST_CASE("shared pattern: half a warp by columns needs other padding than a whole one", "[shared_pattern]") {
  const auto by_columns = [](std::uint64_t elements) {
    return wavefronts("column * pitch + row", {rows(32), columns(16), pitch(elements)});
  };
  CHECK(by_columns(32) == 16);
  CHECK(by_columns(33) == 2);
  CHECK(by_columns(34) == 1);
}

TEST_CASE("shared pattern: padding a tile of 16 x 16 floats gives stores what it takes from loads",
          "[shared_pattern]") {
  const auto tile = [](std::uint64_t elements) {
    return std::vector<Parameter>{rows(16), columns(16), pitch(elements)};
  };
  const auto stored = [&](std::uint64_t elements) {
    std::vector<Parameter> all = tile(elements);
    all.push_back(op("write"));
    return wavefronts("row * pitch + column", all);
  };
  CHECK(stored(16) == 1);
  CHECK(wavefronts("column * pitch + row", tile(16)) == 8);
  CHECK(stored(17) == 2);
  CHECK(wavefronts("column * pitch + row", tile(17)) == 2);
  std::vector<Parameter> padded = {rows(16), columns(16), {"pad_elements", std::uint64_t{1}}};
  CHECK(wavefronts("column * pitch + row", padded) == 2);
}

TEST_CASE("shared pattern: a swizzle of few bits leaves conflicts", "[shared_pattern]") {
  CHECK(wavefronts("i * 32") == 32);
  CHECK(wavefronts("i * 32", {swizzle("3,0,5")}) == 4);
  CHECK(wavefronts("i * 32", {swizzle("2,0,5")}) == 8);
  CHECK(wavefronts("i * 32", {swizzle("5,0,5")}) == 1);
}

TEST_CASE("shared pattern: rows of matrices in a tile whose columns are contiguous", "[shared_pattern]") {
  const auto per_matrix = [](const std::string& value) {
    constexpr double matrices = 4;
    return wavefronts("i / 8 * 8 + i % 8 * 128",
                      {words(2), rows(8), columns(128), op("ldmatrix-trans"), swizzle(value)}) /
           matrices;
  };
  CHECK(per_matrix("none") == 8);
  CHECK(per_matrix("3,3,4") == 1);
  CHECK(per_matrix("3,3,3") == 2);
}

TEST_CASE("shared pattern: a block accesses its tile once, whatever the size of an access", "[shared_pattern]") {
  CHECK(evaluated("i", {rows(64), columns(64), words(2)}).accesses == 4096);
  CHECK(evaluated("i").accesses == free_accesses);
  const auto matrices = [](std::uint64_t count) {
    return evaluated("i * 8", {rows(8), columns(128), words(2), op("ldmatrix"), {"matrices", count}});
  };
  CHECK(matrices(4).count() == 4);
  CHECK(matrices(2).count() == 8);
  CHECK(matrices(1).count() == 16);
  CHECK(matrices(1).accesses == 128);
  CHECK(matrices(1).wavefronts_per_request() == 1);
  CHECK(matrices(4).tile_bytes == 2048);
}

TEST_CASE("shared pattern: lanes that take no part cost nothing", "[shared_pattern]") {
  CHECK(wavefronts("i * 32", {{"active", std::string("lane < 8")}}) == 8);
  const TileRequests some = evaluated("i * 32", {{"active", std::string("i < 40")}});
  CHECK(some.count() == 2);
  CHECK(some.wavefronts == 32 + 8);
  CHECK(some.accesses == 40);
}

TEST_CASE("shared pattern: copies take a wavefront for each lane that has the same address", "[shared_pattern]") {
  CHECK(wavefronts("i", {op("cp-async"), words(16)}) == 4);
  CHECK(wavefronts("i % 4", {op("cp-async"), words(16)}) == 8);
  CHECK(wavefronts("i % 4", {op("write"), words(16)}) == 4);
  CHECK(wavefronts("i", {op("cp-async"), words(16), {"active", std::string("lane % 2")}}) == 4);
  CHECK(wavefronts("i", {op("cp-async"), words(16), {"active", std::string("lane < 16")}}) == 2);
  CHECK(wavefronts("lane * 32", {op("cp-async")}) == 32);
  CHECK_THAT(refusal_of("i", {op("cp-async"), words(2)}),
             StartsWith("--word-bytes 2: --op cp-async copies 4, 8 or 16 bytes"));
}

TEST_CASE("shared pattern: bytes and halves of a word come with it", "[shared_pattern]") {
  CHECK(wavefronts("i", {words(1)}) == 1);
  CHECK(wavefronts("i * 4", {words(1)}) == 1);
  CHECK(wavefronts("i * 64", {words(2)}) == 32);
  CHECK(wavefronts("i * 66", {words(2)}) == 1);
}

TEST_CASE("shared pattern: elements outside the tile or the block's memory are refused", "[shared_pattern]") {
  CHECK_THAT(refusal_of("i - 5"), StartsWith("--pattern: 'i - 5' is -5 for access i = 0, negative"));
  CHECK_THAT(refusal_of("i + 1", {rows(8)}),
             StartsWith("--pattern: 'i + 1' is 256 for access i = 255, beyond the 256 elements of the tile"));
  CHECK_THAT(refusal_of("i * 64"), StartsWith("--pattern: 'i * 64' is 58112 for access i = 908, beyond the 58112"));
  CHECK_THAT(refusal_of("i", {rows(256), columns(256)}), StartsWith("--rows 256: a tile of 65536 elements"));
  CHECK_THAT(refusal_of("i", {rows(32), columns(33), swizzle("1,5,5")}),
             StartsWith("--swizzle: element 1024 of 'i' (access i = 1024) goes to 1056, beyond the 1056 elements"));
  CHECK_THAT(refusal_of("i / (i - 7)"), StartsWith("--pattern: column 3 of 'i / (i - 7)': '/' is by zero"));
  CHECK_THAT(refusal_of("i", {{"active", std::string("i < 0")}}), StartsWith("--active: 'i < 0' is 0 for every one"));
}

TEST_CASE("shared pattern: rows of matrices begin at multiples of 16 bytes", "[shared_pattern]") {
  CHECK_THAT(refusal_of("i", {op("ldmatrix"), words(2)}),
             StartsWith("--pattern: 'i' is 1 for access i = 1, at byte 2, and a row of a matrix begins at a multiple"));
  CHECK_THAT(refusal_of("i * 8", {op("ldmatrix"), words(2), swizzle("1,0,3")}),
             StartsWith("--pattern: 'i * 8' is 8 for access i = 1, at byte 18 when swizzled"));
  CHECK_THAT(refusal_of("i", {op("ldmatrix"), rows(3), columns(3)}), StartsWith("--rows 3 and --columns 3 of 4 bytes"));
  CHECK_THAT(refusal_of("i * 8", {op("ldmatrix"), rows(5), columns(8), words(2)}),
             StartsWith("--rows 5 and --columns 8 have 5 rows of matrices, and --op ldmatrix takes 32 at once"));
  CHECK_THAT(refusal_of("i", {{"matrices", std::uint64_t{2}}}), StartsWith("--matrices 2: --op read moves words"));
  CHECK_THAT(refusal_of("i * 8", {op("stmatrix"), words(2), {"active", std::string("lane < 8")}}),
             StartsWith("--active: all lanes take part in --op stmatrix"));
}

TEST_CASE("shared pattern: --pitch and --pad are two ways to say one thing", "[shared_pattern]") {
  CHECK_THAT(refusal_of("i", {pitch(33), {"pad_elements", std::uint64_t{1}}}), StartsWith("--pitch 33 and --pad 1"));
}

TEST_CASE("shared pattern: names of a launch are not those of a tile", "[shared_pattern]") {
  CHECK(refusal_of("block + i") ==
        "--pattern: column 1 of 'block + i': 'block' is none of the names i, n, lane, warp, thread, row, column, "
        "pitch, min, max; --space global has it");
  CHECK_THAT(refusal_of("colum + 1"), Catch::Matchers::EndsWith("did you mean 'column'?"));
}

TEST_CASE("shared pattern: swizzles are three whole numbers whose bits fit", "[shared_pattern]") {
  CHECK(swizzle_values("none,3,0,5,2,3,-4") == std::vector<std::string>{"none", "3,0,5", "2,3,-4"});
  CHECK(swizzle_of("2,3,-4") == access::Swizzle{2, 3, -4});
  CHECK_THAT(refusal_of_swizzle("3,0"), StartsWith("--swizzle: '3,0' is neither none nor three whole numbers"));
  CHECK_THAT(refusal_of_swizzle("3,x,5"), StartsWith("--swizzle: '3,x,5' is neither"));
  CHECK_THAT(refusal_of_swizzle("-1,0,5"), StartsWith("--swizzle: '-1,0,5' has a negative number of bits"));
  CHECK_THAT(refusal_of_swizzle("3,0,2"), StartsWith("--swizzle: '3,0,2' shifts 3 bits by 2, onto themselves"));
  CHECK_THAT(refusal_of_swizzle("3,8,8"), StartsWith("--swizzle: '3,8,8' reaches bit 19"));
  CHECK_THAT(refusal_of_swizzle("3,0,-2147483648"), StartsWith("--swizzle: '3,0,-2147483648' reaches bit"));
}

TEST_CASE("shared pattern: a launch makes every request of the block equally often", "[shared_pattern]") {
  const auto launch_of = [](std::uint64_t count, std::uint64_t width) {
    const Case tested =
        test::any_case("shared-pattern", {{"pattern", std::string("i")}, rows(count), columns(width), words(1)});
    return TileLaunch(tile_of_expression(tested), test::some_device());
  };
  for (const TileLaunch& launch : {launch_of(32, 32), launch_of(5, 32), launch_of(3, 7), launch_of(64, 257)}) {
    CHECK(launch.rounds() * launch.block->count() == std::uint64_t{launch.groups} * 256);
    CHECK(launch.iterations >= 64);
  }
}

TEST_CASE("shared pattern: few lanes take a cycle for each group of lanes that is served together",
          "[shared_pattern]") {
  const auto cycles = [](const std::string& op_name, const std::string& active, std::uint64_t bytes) {
    return predicted("i", {{"active", active}, op(op_name), words(bytes)}).cycles;
  };
  CHECK(cycles("write", "lane < 17", 16) == Approx(4));
  CHECK(cycles("write", "lane < 1", 8) == Approx(2));
  CHECK(cycles("write", "lane < 1", 4) == Approx(1));
  CHECK(cycles("write", "1", 16) == Approx(4));
  CHECK(cycles("read", "lane < 17", 16) == Approx(4));
  CHECK(cycles("read", "lane < 3", 16) == Approx(4));
  CHECK(cycles("read", "lane < 2", 16) == Approx(2));  // every lane agrees with its second neighbour
}

TEST_CASE("shared pattern: the predicted time is that of the predicted cycles", "[shared_pattern]") {
  const auto check = [](const std::string& pattern, const std::vector<Parameter>& parameters, double cycles) {
    const Predicted found = predicted(pattern, parameters);
    CHECK(found.cycles == Approx(cycles));
    CHECK(found.cycles_of_time == Approx(cycles).epsilon(0.05));  // a launch takes some more
  };
  check("i * 9 % 4096", {words(16), {"active", std::string("lane < 4")}}, 4);
  check("lane % 4", {words(16), op("cp-async")}, 8 + 1.15);
  check("i", {words(16), op("cp-async")}, 4 + 1.15);
  check("i", {words(4), op("cp-async")}, 1 + 1.65);
  check("lane * 32", {op("cp-async")}, 32 + 1.15);
  check("i * 32", {op("write")}, 32);
  for (const std::uint64_t count : {1U, 2U, 4U}) {
    check("lane * 64", {op("ldmatrix"), {"matrices", count}}, 8 * static_cast<double>(count));
  }
}

TEST_CASE("shared pattern: matrices need a GPU that has the instruction", "[shared_pattern]") {
  Device device = test::some_device();
  device.compute_capability = "8.0";
  const Case loads = test::any_case("shared-pattern", {{"pattern", std::string("i * 4")}, op("ldmatrix")});
  CHECK_NOTHROW(loads.probe->describe(loads, device));
  const Case stores = test::any_case("shared-pattern", {{"pattern", std::string("i * 4")}, op("stmatrix")});
  CHECK_THROWS_WITH(stores.probe->describe(stores, device), Catch::Matchers::ContainsSubstring("stmatrix"));
}

}  // namespace gpumem::shared_pattern::test_shared_pattern
