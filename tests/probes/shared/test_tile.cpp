// Tiles of shared memory: where elements lie, what requests cost, and what is said of it.

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/shared/tile/tile_pattern.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_tile {

using shared::TilePattern;

namespace {

double wavefronts(const std::string& layout, const std::string& walk, std::uint64_t word_bytes, const std::string& op) {
  const Case tested =
      test::any_case("tile", {{"tile", layout}, {"tile_walk", walk}, {"word_bytes", word_bytes}, {"op", op}});
  return access::summarise(tested.probe->describe(tested, test::some_device()).sites.front())
      .cost.wavefronts_per_request;
}

Outcome tile(const std::string& layout, double cycles) { return test::outcome("tile", {{"tile", layout}}, cycles); }

}  // namespace

TEST_CASE("every element of a tile has a word of its own, whatever the layout", "[tile]") {
  for (const TilePattern& pattern :
       {TilePattern{.pitch = 32}, TilePattern{.pitch = 33}, TilePattern{.pitch = 32, .swizzled = true}}) {
    std::set<std::uint32_t> words;
    for (std::uint32_t row = 0; row < TilePattern::side; ++row) {
      for (std::uint32_t column = 0; column < TilePattern::side; ++column) words.insert(pattern.word(row, column));
    }
    CHECK(words.size() == 32U * 32U);
    CHECK(*words.rbegin() < pattern.extent());
  }
  CHECK(TilePattern{.pitch = 32, .swizzled = true}.word(5, 3) == 5 * 32 + (3 ^ 5));
}

TEST_CASE("four warps access all of a tile, by columns and by rows", "[tile]") {
  for (const bool by_columns : {true, false}) {
    const TilePattern pattern{.pitch = 32, .by_columns = by_columns};
    std::set<std::uint32_t> words;
    for (std::uint32_t thread = 0; thread < 128; ++thread) {
      for (std::uint32_t turn = 0; turn < TilePattern::lines_per_warp; ++turn) words.insert(pattern(thread, turn));
    }
    CHECK(words.size() == 32U * 32U);
    CHECK(pattern(1, 0) == (by_columns ? 32U : 1U));
    CHECK(pattern(128, 0) == pattern(0, 0));
  }
}

TEST_CASE("a column of a plain tile lies in one bank, padding and swizzling spread it", "[tile]") {
  for (const char* op : {"read", "write"}) {
    for (const std::uint64_t word_bytes : {4U, 8U, 16U}) {
      INFO(op << " " << word_bytes);
      const double least = static_cast<double>(word_bytes) / 4;
      CHECK(wavefronts("plain", "columns", word_bytes, op) == 32);
      CHECK(wavefronts("padded", "columns", word_bytes, op) == least);
      CHECK(wavefronts("swizzled", "columns", word_bytes, op) == least);
      for (const char* layout : {"plain", "padded", "swizzled"}) {
        CHECK(wavefronts(layout, "rows", word_bytes, op) == least);
      }
    }
  }
}

TEST_CASE("the advice on tiles says what cures conflicts, and what it costs", "[tile]") {
  const std::vector<Outcome> outcomes = {tile("plain", 32), tile("padded", 1), tile("swizzled", 1.01)};
  CHECK(test::advice(outcomes) ==
        "Swizzle the tile, with column c of row r at c ^ r, or pad each row by a word, for 128 bytes a tile: 32 x as "
        "fast as the plain layout. A request that reads the tile by columns takes: plain 32.0 cycles, padded 1.00 "
        "cycles and swizzled 1.01 cycles.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{1, 0});
  CHECK(std::get<double>(facts[0].values.at(1).items.front()) == 32);
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{0, 1, 2});

  const auto first = [](const std::vector<Outcome>& some) { return report::say(test::conclusion(some).facts.front()); };
  CHECK(first({tile("plain", 32), tile("padded", 2), tile("swizzled", 1)}) ==
        "Swizzle the tile, with column c of row r at c ^ r: 32 x as fast as the plain layout.");
  CHECK(first({tile("plain", 32), tile("padded", 1)}) ==
        "Pad each row by a word, for 128 bytes a tile: 32 x as fast as the plain layout.");
  CHECK(first({tile("plain", 1), tile("padded", 1)}) ==
        "No layout is faster than the plain one: it has no conflicts here.");
  CHECK(test::advice({tile("padded", 1)}) == "A request that reads the tile by columns takes: padded 1.00 cycles.");
}

TEST_CASE("no layout of a tile is a cure where intervals overlap", "[tile]") {
  Outcome plain = tile("plain", 1.1);
  plain.interval = {0.9, 1.3};
  CHECK(test::conclusion({plain, tile("padded", 1)}).facts.front().kind == FactKind::as_fast_as);
}

}  // namespace gpumem::test_tile
