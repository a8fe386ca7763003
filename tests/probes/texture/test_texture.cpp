// The walks of the texture probe, what it says of its cases, and what it concludes from rates that were made up.

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "probes/probe.hpp"
#include "probes/texture/walk.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_texture {

using texture::Grid;
using texture::Walk;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

const Probe& texture_probe() {
  const Probe* probe = find_probe("texture");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case read_case(const std::string& walk, const std::string& path, std::uint64_t buffer_bytes = 64 * mib) {
  return {.probe = &texture_probe(), .parameters = {{"walk", walk}, {"path", path}, {"buffer_bytes", buffer_bytes}}};
}

Outcome outcome(const std::string& walk, const std::string& path, double gb_per_s) {
  return {.tested = read_case(walk, path), .headline = gb_per_s};
}

/// Every texel of the array once, none outside, and the index by rows is that of the place.
template <class Order>
bool is_permutation(std::uint64_t texels) {
  const Walk<Order> walk{Grid::of(texels)};
  std::vector<bool> seen(walk.extent(texels));
  for (std::uint32_t i = 0; i < seen.size(); ++i) {
    const texture::Texel texel = walk.at(i);
    const std::uint64_t index = walk(i);
    if (texel.x >= walk.grid.width() || texel.y >= walk.grid.height()) return false;
    if (index != texel.y * walk.grid.width() + texel.x || seen.at(index)) return false;
    seen.at(index) = true;
  }
  return true;
}

/// True if a step's texel is the sum of the texels of its parts.
template <class Order>
bool is_sum_of_parts(std::uint64_t texels) {
  const Walk<Order> walk{Grid::of(texels)};
  for (std::uint32_t i = 0; i < texels; i += 7) {
    for (const std::uint32_t turn : {0x100U, 0x200U, 0x300U}) {
      const std::uint32_t rest = i & ~0x300U;
      const texture::Texel whole = walk.at(rest | turn);
      const texture::Texel parts = walk.at(rest) | walk.at(turn);
      if (whole.x != parts.x || whole.y != parts.y || walk(rest | turn) != (walk(rest) | walk(turn))) return false;
    }
  }
  return true;
}

const model::Profile& h200() {
  static const model::Profile profile = model::load_profile("h200");
  return profile;
}

}  // namespace

static_assert(Grid::of(1).width() == 16 && Grid::of(1).height() == 16);
static_assert(Grid::of(256).width() == 16 && Grid::of(257).width() == 32 && Grid::of(257).height() == 16);
static_assert(Grid::of(std::uint64_t{1} << 31U).width() == 65536 &&
              Grid::of(std::uint64_t{1} << 31U).height() == 32768);

TEST_CASE("texture: every walk takes every texel once", "[texture]") {
  for (const std::uint64_t texels : {1U, 300U, 1024U, 5000U, 100'000U}) {
    INFO(texels << " texels");
    CHECK(is_permutation<texture::RowOrder>(texels));
    CHECK(is_permutation<texture::ColumnOrder>(texels));
    CHECK(is_permutation<texture::TileOrder>(texels));
    CHECK(is_permutation<texture::ZOrder>(texels));
  }
}

TEST_CASE("texture: where a step leads is what its parts lead to, put together", "[texture]") {
  for (const std::uint64_t texels : {1024U, 100'000U}) {
    CHECK(is_sum_of_parts<texture::RowOrder>(texels));
    CHECK(is_sum_of_parts<texture::ColumnOrder>(texels));
    CHECK(is_sum_of_parts<texture::TileOrder>(texels));
    CHECK(is_sum_of_parts<texture::ZOrder>(texels));
  }
}

TEST_CASE("texture: walks go where their names say", "[texture]") {
  const auto at = [](auto walk, std::uint32_t i) { return std::pair(walk.at(i).x, walk.at(i).y); };
  const Grid grid = Grid::of(64 * 64);
  CHECK(at(Walk<texture::RowOrder>{grid}, 65) == std::pair(1U, 1U));
  CHECK(at(Walk<texture::ColumnOrder>{grid}, 65) == std::pair(1U, 1U));
  CHECK(at(Walk<texture::ColumnOrder>{grid}, 63) == std::pair(0U, 63U));
  CHECK(at(Walk<texture::TileOrder>{grid}, 17) == std::pair(1U, 1U));
  CHECK(at(Walk<texture::TileOrder>{grid}, 256) == std::pair(16U, 0U));
  CHECK(at(Walk<texture::TileOrder>{grid}, 4 * 256) == std::pair(0U, 16U));
  // Morton's curve: 0 and 1 beside each other, 2 and 3 below, and so on in larger squares.
  CHECK(at(Walk<texture::ZOrder>{grid}, 1) == std::pair(1U, 0U));
  CHECK(at(Walk<texture::ZOrder>{grid}, 2) == std::pair(0U, 1U));
  CHECK(at(Walk<texture::ZOrder>{grid}, 12) == std::pair(2U, 2U));
  CHECK(at(Walk<texture::ZOrder>{grid}, 0xFFF) == std::pair(63U, 63U));
}

TEST_CASE("texture: a 2^31-th texel does not overflow", "[texture]") {
  const Grid grid = Grid::of(std::uint64_t{1} << 31U);
  const std::uint64_t last = (std::uint64_t{1} << 31U) - 1;
  CHECK(Walk<texture::ZOrder>{grid}(last) == last);
  CHECK(Walk<texture::ColumnOrder>{grid}(last) == last);
  CHECK(Walk<texture::TileOrder>{grid}(last) == last);
}

TEST_CASE("texture: sectors are predicted of what lies by rows, times of what the model knows", "[texture]") {
  const auto workload = [](const char* walk, const char* path) {
    return texture_probe().describe(read_case(walk, path), h200().device);
  };
  for (const auto& [walk, sectors] : {std::pair("row", 4), {"column", 32}, {"tile", 4}, {"z-order", 4}}) {
    INFO(walk);
    for (const char* path : {"global", "read-only"}) {
      const Workload described = workload(walk, path);
      CHECK(model::predict(described, h200()).sites.front().cost.sectors_per_request == sectors);
      CHECK(described.modelled() == (std::string(walk) != "column"));
    }
    for (const char* path : {"texture-1d", "texture-2d", "surface"}) {
      const Workload described = workload(walk, path);
      CHECK(described.sites.front().space == access::Space::texture);
      CHECK(model::predict(described, h200()).sites.front().cost.sectors_per_request == 0);
      CHECK_FALSE(described.modelled());
      // An array of its own beside the source, unless it reads that.
      CHECK((described.allocated_bytes > 128 * mib) == (std::string(path) != "texture-1d"));
    }
  }
  CHECK(workload("row", "global").useful_bytes() == 64 * mib);
}

TEST_CASE("texture: the buffer is the memory's share at most, and no more than a 1-D texture holds", "[texture]") {
  const auto sized = [](std::uint64_t l2_bytes, std::uint64_t memory_bytes) {
    Case tested = read_case("row", "texture-2d");
    tested.set("buffer_bytes", std::string("auto"));
    Device device;
    device.l2_bytes = l2_bytes;
    device.memory_bytes = memory_bytes;
    texture_probe().size({&tested, 1}, device);
    return tested.number("buffer_bytes");
  };
  CHECK(sized(4 * mib, 16384 * mib) == 64 * mib);
  CHECK(sized(60 * mib, 143'000 * mib) == 512 * mib);
  CHECK(sized(60 * mib, 1024 * mib) == 128 * mib);
}

TEST_CASE("texture: part of a texel is refused with what would do", "[texture]") {
  const Case tested = read_case("row", "global", 1023);
  CHECK_THROWS_WITH(texture_probe().validate(tested), "--buffer 1023 is not a multiple of a texel's 4 bytes; use 1020");
  CHECK_NOTHROW(texture_probe().validate(read_case("row", "global", 1020)));
}

TEST_CASE("texture: the advice names the path for each walk", "[texture]") {
  const std::vector<Outcome> outcomes = {outcome("row", "global", 4400),     outcome("row", "texture-2d", 3000),
                                         outcome("column", "global", 500),   outcome("column", "texture-2d", 1500),
                                         outcome("column", "surface", 1480), outcome("tile", "global", 4300),
                                         outcome("tile", "texture-2d", 4350)};
  CHECK(test::advice(outcomes) ==
        "Walks by column are fastest through a 2-D texture and a surface: 1500 GB/s, 3.00 x the rate of global memory. "
        "Nothing is faster than global memory for walks by row and tile: 4400 GB/s and 4300 GB/s. The wrong path costs "
        "most by column: global memory reaches 500 GB/s where a 2-D texture reaches 1500 GB/s.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{2, 3, 4});
  CHECK(facts[1].kind == FactKind::as_fast_as);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{0, 1, 5, 6});
  CHECK(facts[2].kind == FactKind::costs);
  CHECK(facts[2].outcomes == std::vector<std::size_t>{2, 3});
}

TEST_CASE("texture: some of the cases conclude what they can", "[texture]") {
  CHECK(test::advice({outcome("row", "global", 4400), outcome("column", "texture-2d", 3000)}).empty());
  CHECK(test::advice({outcome("row", "global", 4400), outcome("row", "read-only", 4390)}).empty());
  CHECK(test::advice({outcome("row", "global", 4400), outcome("row", "surface", 4390)}) ==
        "Nothing is faster than global memory for walks by row: 4400 GB/s.");
  CHECK(
      test::advice({outcome("z-order", "surface", 1000), outcome("z-order", "texture-1d", 2000)}) ==
      "Walks by z-order are fastest through a 1-D texture: 2000 GB/s. The wrong path costs most by z-order: a surface "
      "reaches 1000 GB/s where a 1-D texture reaches 2000 GB/s.");
}

TEST_CASE("texture: no path is faster by less than its interval", "[texture]") {
  Outcome surface = outcome("row", "surface", 4800);
  surface.interval = {4300, 5300};
  CHECK(test::advice({outcome("row", "global", 4400), surface}) ==
        "Nothing is faster than global memory for walks by row: 4400 GB/s.");
}

}  // namespace gpumem::test_texture
