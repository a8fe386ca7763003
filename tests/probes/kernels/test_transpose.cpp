// Ways to transpose a matrix: where elements lie in tiles, that the declared requests are those of the kernels, and
// what is concluded.

#include <algorithm>
#include <map>
#include <set>
#include <string>
#include <tuple>
#include <vector>

#include "engine/access/site.hpp"
#include "probes/kernels/transpose/transpose.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::kernels::transpose::test_transpose {

namespace {

const std::vector<Matrix> matrices = {{1, 1},   {3, 5},    {32, 32},  {33, 31}, {64, 72},
                                      {70, 34}, {100, 36}, {130, 40}, {65, 66}, {72, 136}};

Case transpose_case(const std::string& way, const Matrix& matrix, const std::string& type = "float") {
  return test::any_case("transpose", {{"transpose", way},
                                      {"type", type},
                                      {"matrix_columns", std::uint64_t{matrix.columns}},
                                      {"matrix_rows", std::uint64_t{matrix.rows}}});
}

Workload workload_of(const std::string& way, const Matrix& matrix, const std::string& type = "float") {
  const Case tested = transpose_case(way, matrix, type);
  return tested.probe->describe(tested, test::some_device());
}

/// A request by what its lanes ask for.
using Request = std::vector<std::pair<unsigned, std::uint64_t>>;
using Requests = std::vector<Request>;

Requests declared(const access::Site& site) {
  Requests all;
  for (std::uint64_t k = 0; k < site.requests; ++k) {
    const access::WarpRequest request = site.request(k);
    Request& lanes = all.emplace_back();
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if (request.lane_active(lane)) lanes.emplace_back(lane, request.address[lane]);
    }
  }
  std::ranges::sort(all);
  CHECK((all.empty() || !all.front().empty()));  // none without active lanes
  return all;
}

/// A kernel simulated on the host, thread by thread: the requests of its sites, in their order, and the target.
struct Simulated {
  std::map<std::tuple<std::size_t, std::uint32_t, std::uint32_t, std::uint32_t>, Request> requests;
  std::vector<std::uint64_t> target;  ///< the source's index of each element

  void access(std::size_t site, std::uint32_t block, std::uint32_t thread, std::uint32_t turn, std::uint64_t address) {
    const std::uint32_t lane = thread % access::warp_lanes;
    requests[{site, block, thread / access::warp_lanes, turn}].emplace_back(lane, address);
  }
  [[nodiscard]] Requests of_site(std::size_t site) const {
    Requests all;
    for (const auto& [key, request] : requests) {
      if (std::get<0>(key) == site) all.push_back(request);
    }
    std::ranges::sort(all);
    return all;
  }
};

constexpr std::uint64_t nothing = ~std::uint64_t{0};

Simulated play_tiles(const Matrix& matrix, TileLayout layout, std::uint32_t bytes) {
  Simulated simulated{.requests = {}, .target = std::vector<std::uint64_t>(matrix.count(), nothing)};
  const shared::TilePattern pattern = tile_pattern(layout);
  const std::uint32_t across = parts(matrix.columns, tile_side);
  for (std::uint32_t block = 0; block < across * parts(matrix.rows, tile_side); ++block) {
    const std::uint32_t first_row = block / across * tile_side;
    const std::uint32_t first_column = block % across * tile_side;
    std::vector<std::uint64_t> tile(pattern.extent(), nothing);
    for (const bool loads : {true, false}) {
      for (std::uint32_t thread = 0; thread < block_threads; ++thread) {
        for (std::uint32_t turn = 0; turn < tile_turns; ++turn) {
          const std::uint32_t x = thread % tile_side;
          const std::uint32_t y = thread / tile_side + turn * block_rows;
          const std::uint32_t r = loads ? y : x;
          const std::uint32_t c = loads ? x : y;
          if (first_row + r >= matrix.rows || first_column + c >= matrix.columns) continue;
          const std::uint64_t from = matrix.source(first_row + r, first_column + c);
          const std::uint64_t to = matrix.target(first_row + r, first_column + c);
          const std::uint32_t word = pattern.word(r, c);
          simulated.access(loads ? 0 : 3, block, thread, turn, (loads ? from : to) * bytes);
          simulated.access(loads ? 1 : 2, block, thread, turn, std::uint64_t{word} * bytes);
          (loads ? tile[word] : simulated.target[to]) = loads ? from : tile[word];
        }
      }
    }
  }
  return simulated;
}

template <std::uint32_t bytes, std::uint32_t vector>
Simulated play_wide(const Matrix& matrix) {
  using Tile = WideTile<bytes, vector>;
  Simulated simulated{.requests = {}, .target = std::vector<std::uint64_t>(matrix.count(), nothing)};
  const TileOrder order{parts(matrix.columns, Tile::side), parts(matrix.rows, Tile::side)};
  for (std::uint32_t block = 0; block < order.across * order.down; ++block) {
    const std::uint32_t first_row = order(block).y * Tile::side;
    const std::uint32_t first_column = order(block).x * Tile::side;
    std::vector<std::uint64_t> tile(std::size_t{Tile::side} * Tile::side, nothing);
    for (std::uint32_t thread = 0; thread < block_threads; ++thread) {
      for (std::uint32_t turn = 0; turn < Tile::turns * vector; ++turn) {
        const std::uint32_t square = turn / vector * block_threads + thread;
        const std::uint32_t k = turn % vector;
        const std::uint32_t row = Tile::first_row(square);
        const std::uint32_t column = Tile::first_column(square);
        if (first_row + row >= matrix.rows || first_column + column >= matrix.columns) continue;
        simulated.access(0, block, thread, turn, matrix.source(first_row + row + k, first_column + column) * bytes);
        const std::uint32_t place = Tile::place(column + k, row / vector);
        simulated.access(1, block, thread, turn, std::uint64_t{place} * vector * bytes);
        for (std::uint32_t i = 0; i < vector; ++i) {
          tile[place * vector + i] = matrix.source(first_row + row + i, first_column + column + k);
        }
      }
    }
    for (std::uint32_t thread = 0; thread < block_threads; ++thread) {
      for (std::uint32_t turn = 0; turn < Tile::turns * vector; ++turn) {
        const std::uint32_t number = turn * block_threads + thread;
        const std::uint32_t column = number / Tile::squares;
        const std::uint32_t row = number % Tile::squares * vector;
        if (first_row + row >= matrix.rows || first_column + column >= matrix.columns) continue;
        const std::uint32_t place = Tile::place(column, row / vector);
        const std::uint64_t to = matrix.target(first_row + row, first_column + column);
        simulated.access(2, block, thread, turn, std::uint64_t{place} * vector * bytes);
        simulated.access(3, block, thread, turn, to * bytes);
        for (std::uint32_t i = 0; i < vector; ++i) simulated.target[to + i] = tile[place * vector + i];
      }
    }
  }
  return simulated;
}

Simulated play_wide(const Matrix& matrix, std::uint32_t bytes) {
  const std::uint32_t vector = vector_elements(matrix, bytes);
  if (bytes == 8) return vector == 2 ? play_wide<8, 2>(matrix) : play_wide<8, 1>(matrix);
  if (bytes == 4) {
    return vector == 4 ? play_wide<4, 4>(matrix) : vector == 2 ? play_wide<4, 2>(matrix) : play_wide<4, 1>(matrix);
  }
  if (bytes == 2) {
    if (vector == 8) return play_wide<2, 8>(matrix);
    return vector == 4 ? play_wide<2, 4>(matrix) : vector == 2 ? play_wide<2, 2>(matrix) : play_wide<2, 1>(matrix);
  }
  if (vector == 8) return play_wide<1, 8>(matrix);
  return vector == 4 ? play_wide<1, 4>(matrix) : vector == 2 ? play_wide<1, 2>(matrix) : play_wide<1, 1>(matrix);
}

void check_simulated(const std::string& way, const Matrix& matrix, const std::string& type,
                     const Simulated& simulated) {
  std::vector<std::uint64_t> transposed;
  for (std::uint64_t i = 0; i < matrix.count(); ++i) {
    transposed.push_back(i % matrix.rows * matrix.columns + i / matrix.rows);
  }
  CHECK((simulated.target == transposed));
  const Workload workload = workload_of(way, matrix, type);
  REQUIRE(workload.sites.size() == 4);
  for (std::size_t site = 0; site < 4; ++site) {
    INFO(way << " " << matrix.rows << " x " << matrix.columns << " " << type << " site " << site);
    CHECK((declared(workload.sites[site]) == simulated.of_site(site)));
  }
}

Outcome outcome(const std::string& way, double gb_per_s, std::uint32_t side = 8192, const std::string& type = "float") {
  const double rate = gb_per_s * 1e9;
  const Case tested = transpose_case(way, {0, side}, type);
  return {.tested = tested, .headline = gb_per_s, .seconds = 1e-3, .bytes_per_s = rate};
}

}  // namespace

TEST_CASE("tiles transpose every matrix, with the requests that are declared", "[transpose]") {
  const std::vector<std::pair<std::string, TileLayout>> layouts = {
      {"tile", TileLayout::plain}, {"padded", TileLayout::padded}, {"swizzled", TileLayout::swizzled}};
  for (const Matrix& matrix : matrices) {
    for (const auto& [way, layout] : layouts) {
      check_simulated(way, matrix, "float", play_tiles(matrix, layout, 4));
      check_simulated(way, matrix, "double", play_tiles(matrix, layout, 8));
      check_simulated(way, matrix, "bfloat16", play_tiles(matrix, layout, 2));
      check_simulated(way, matrix, "fp8", play_tiles(matrix, layout, 1));
    }
    check_simulated("wide", matrix, "float", play_wide(matrix, 4));
    check_simulated("wide", matrix, "double", play_wide(matrix, 8));
    check_simulated("wide", matrix, "half", play_wide(matrix, 2));
    check_simulated("wide", matrix, "int8", play_wide(matrix, 1));
  }
}

TEST_CASE("without a tile either side strides, and edges have fewer lanes", "[transpose]") {
  for (const Matrix& matrix : matrices) {
    const Workload copy = workload_of("copy", matrix);
    const Workload writes = workload_of("strided-write", matrix);
    const Workload reads = workload_of("strided-read", matrix);
    const Workload padded = workload_of("padded", matrix);
    CHECK((declared(copy.sites[0]) == declared(copy.sites[1])));
    CHECK((declared(copy.sites[0]) == declared(writes.sites[0])));
    CHECK((declared(copy.sites[0]) == declared(padded.sites[0])));
    CHECK((declared(reads.sites[1]) == declared(padded.sites[3])));
    for (const access::Site* site : {&writes.sites[1], &reads.sites[0]}) {
      std::set<std::uint64_t> addresses;
      std::size_t accesses = 0;
      for (const Request& request : declared(*site)) {
        accesses += request.size();
        for (const auto& [lane, address] : request) addresses.insert(address);
      }
      CHECK(accesses == matrix.count());
      CHECK(addresses.size() == matrix.count());
      CHECK(*addresses.rbegin() == (matrix.count() - 1) * 4);
    }
  }
}

TEST_CASE("blocks of the wide kernel take every tile once, a few below each other", "[transpose]") {
  for (const auto& [across, down] : std::vector<std::pair<std::uint32_t, std::uint32_t>>{{1, 1}, {5, 8}, {7, 19}}) {
    const TileOrder order{across, down};
    std::set<std::pair<std::uint32_t, std::uint32_t>> tiles;
    for (std::uint32_t block = 0; block < across * down; ++block) {
      const auto [x, y] = order(block);
      CHECK(x < across);
      CHECK(y < down);
      tiles.emplace(x, y);
    }
    CHECK(tiles.size() == std::size_t{across} * down);
  }
  CHECK(TileOrder{4, 16}(1).y == 1);
  CHECK(TileOrder{4, 16}(TileOrder::group).x == 1);
}

TEST_CASE("a stride costs sectors, a column of a plain tile wavefronts", "[transpose]") {
  struct Row {
    const char* way;
    const char* type;
    std::vector<double> counts;  ///< sectors or wavefronts per request, site by site
  };
  const std::vector<Row> rows = {{"copy", "float", {4, 4}},
                                 {"copy", "double", {8, 8}},
                                 {"strided-write", "float", {4, 32}},
                                 {"strided-write", "double", {8, 32}},
                                 {"strided-read", "float", {32, 4}},
                                 {"strided-read", "double", {32, 8}},
                                 {"tile", "float", {4, 1, 32, 4}},
                                 {"tile", "double", {8, 2, 32, 8}},
                                 {"padded", "float", {4, 1, 1, 4}},
                                 {"padded", "double", {8, 2, 2, 8}},
                                 {"swizzled", "float", {4, 1, 1, 4}},
                                 {"swizzled", "double", {8, 2, 2, 8}},
                                 {"wide", "float", {16, 4, 4, 16}},
                                 {"wide", "double", {16, 4, 4, 16}},
                                 {"copy", "half", {2, 2}},
                                 {"copy", "int8", {1, 1}},
                                 {"strided-write", "half", {2, 32}},
                                 {"strided-write", "int8", {1, 32}},
                                 {"tile", "half", {2, 1, 16, 2}},
                                 {"tile", "int8", {1, 1, 8, 1}},
                                 {"padded", "half", {2, 1, 1.5, 2}},
                                 {"padded", "int8", {1, 1, 1.75, 1}},
                                 {"wide", "half", {16, 4, 4, 16}},
                                 {"wide", "int8", {8, 2, 2, 8}}};
  for (const auto& [way, type, counts] : rows) {
    INFO(way << " " << type);
    const Workload workload = workload_of(way, {4096, 4096}, type);
    REQUIRE(workload.sites.size() == counts.size());
    for (std::size_t i = 0; i < counts.size(); ++i) {
      const access::Site& site = workload.sites[i];
      const access::SiteSummary summary = access::summarise(site);
      const bool shared = site.space == access::Space::shared;
      CHECK((shared ? summary.cost.wavefronts_per_request : summary.cost.sectors_per_request) == counts[i]);
      CHECK(site.requests * 32 * site.word_bytes == workload.useful_bytes_read);
      if (shared) continue;
      CHECK(summary.footprint.sectors * 32 == static_cast<double>(workload.useful_bytes_read));
      CHECK(summary.footprint.partial_sectors == 0);
    }
  }
}

TEST_CASE("a wide tile has no conflicts with narrower vectors either", "[transpose]") {
  for (const char* type : {"float", "double"}) {
    for (const std::uint32_t side : {4096U, 4098U, 4097U}) {
      const Workload workload = workload_of("wide", {side, side}, type);
      for (const std::size_t site : {1U, 2U}) {
        INFO(type << " " << side << " site " << site);
        const double least = workload.sites[site].word_bytes / 4.0;
        CHECK(access::summarise(workload.sites[site]).cost.wavefronts_per_request == Approx(least).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("what the model sums up of a few requests is what all of them cost, at edges too", "[transpose]") {
  for (const char* way : {"copy", "strided-write", "strided-read", "padded", "wide"}) {
    for (const Matrix& matrix : {Matrix{500, 500}, Matrix{499, 501}, Matrix{66, 1002}}) {
      for (const access::Site& site : workload_of(way, matrix).sites) {
        INFO(way << " " << matrix.rows << " x " << matrix.columns << " " << site.name);
        const access::SiteCost exact = access::summarise(site, site.requests).cost;
        const access::SiteCost summed = access::summarise(site).cost;
        CHECK(summed.sectors_per_request == Approx(exact.sectors_per_request).epsilon(0.02));
        CHECK(summed.wavefronts_per_request == Approx(exact.wavefronts_per_request).epsilon(0.02));
      }
    }
  }
}

TEST_CASE("the conclusion says what striding costs, what a tile gains, and what cures its conflicts", "[transpose]") {
  const std::vector<Outcome> all = {outcome("copy", 4200), outcome("strided-write", 525), outcome("strided-read", 420),
                                    outcome("tile", 1600), outcome("padded", 3680),       outcome("swizzled", 3690),
                                    outcome("wide", 4150), outcome("copy", 9000, 1024)};
  CHECK(test::advice(all) ==
        "8192 x 8192 floats are transposed best by wide, with 4150 GB/s where a copy reaches 4200 GB/s. Turn it in a "
        "tile of shared memory, so that rows are loaded and stored: 3.05 x the rate of strided-write. Pad the tile by "
        "one column: its bank conflicts cost 2.30 x, 32 wavefronts become 1. Swizzling it does the same for no memory. "
        "Move vectors in wider tiles: 1.12 x the rate of swizzled. Storing columns takes 8.00 x as long as a copy. "
        "Loading columns takes 10 x as long as a copy.");
  const std::vector<Fact> facts = test::conclusion(all).facts;
  REQUIRE(facts.size() == 6);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{6, 0});
  CHECK(facts[1].kind == FactKind::fastest);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{3, 1});
  CHECK(facts[2].kind == FactKind::costs);
  CHECK(facts[2].outcomes == std::vector<std::size_t>{3, 4, 5});
  CHECK(std::get<double>(facts[2].values[1].items[0]) == Approx(2.3));
  CHECK(facts[4].kind == FactKind::costs);
  CHECK(std::get<double>(facts[4].values[1].items[0]) == 8);
  CHECK(test::advice({outcome("tile", 2000, 8192, "double"), outcome("swizzled", 3000, 8192, "double")}) ==
        "8192 x 8192 doubles are transposed best by swizzled, with 3000 GB/s. Swizzle the tile: its bank conflicts "
        "cost 1.50 x, 32 wavefronts become 2.");
  CHECK(test::advice({outcome("copy", 4200)}) == "A copy of 8192 x 8192 floats reaches 4200 GB/s.");
}

TEST_CASE("a variant whose interval overlaps with that of another is no faster", "[transpose]") {
  Outcome strided = outcome("strided-write", 2000);
  Outcome tile = outcome("tile", 2300);
  strided.interval = {1900, 2250};
  tile.interval = {2200, 2350};
  const std::vector<Fact> facts = test::conclusion({strided, tile}).facts;
  REQUIRE(facts.size() == 2);
  CHECK(facts[1].kind == FactKind::as_fast_as);
  CHECK(report::say(facts[1]) ==
        "Turned in a tile of shared memory it is no faster, with 1.15 x the rate of strided-write.");
}

TEST_CASE("the conclusion says what a cure was predicted to gain, where both ways were predicted", "[transpose]") {
  const auto both = [](const std::string& way, double measured, double predicted) {
    Outcome timed = outcome(way, measured);
    timed.predicted = predicted;
    return timed;
  };
  const Outcome strided = both("strided-read", 1900, 1850);
  const Outcome tile = both("tile", 1740, 1540);
  const Outcome padded = both("padded", 3570, 4000);
  CHECK(test::advice({strided, tile, padded, outcome("wide", 3500)}) ==
        "8192 x 8192 floats are transposed best by padded, with 3570 GB/s. Turned in a tile of shared memory it is no "
        "faster, with 0.92 x (predicted 0.83 x) the rate of strided-read. Pad the tile by one column: its bank "
        "conflicts cost 2.05 x (predicted 2.60 x), 32 wavefronts become 1. Vectors in wider tiles are no faster, with "
        "0.98 x the rate of padded.");
}

}  // namespace gpumem::kernels::transpose::test_transpose
