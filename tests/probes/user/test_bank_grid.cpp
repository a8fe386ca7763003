// The picture of a tile in shared memory: banks, and the lanes of the request with most wavefronts.

#include <algorithm>
#include <set>
#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/user/shared_pattern/shared_pattern.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::shared_pattern::test_bank_grid {

namespace {

using Catch::Matchers::StartsWith;

BankGrid grid_of(const std::string& pattern, std::vector<Parameter> parameters = {}) {
  parameters.push_back({"pattern", pattern});
  return bank_grid_of(tile_of_expression(test::any_case("shared-pattern", parameters)));
}

std::vector<Parameter> tile(std::uint64_t rows, std::uint64_t columns, std::uint64_t word_bytes,
                            const std::string& swizzle = "none") {
  return {{"rows", rows}, {"columns", columns}, {"word_bytes", word_bytes}, {"swizzle", swizzle}};
}

/// The rows and columns of the lanes that each wavefront serves.
std::vector<std::set<std::uint64_t>> rows_by_wavefront(const BankGrid& grid) {
  std::vector<std::set<std::uint64_t>> rows(grid.wavefronts);
  for (const BankGrid::Lane& lane : grid.lanes) rows.at(lane.wavefront).insert(lane.row);
  return rows;
}

}  // namespace

TEST_CASE("bank grid: a column of floats lies in one bank, and padding moves each row by one", "[bank_grid]") {
  const BankGrid plain = grid_of("column * pitch + row", tile(32, 32, 4));
  CHECK(plain.rows() == 32);
  CHECK(plain.banks.front() == BankGrid::digits);
  CHECK(plain.banks.back() == BankGrid::digits);
  CHECK(plain.wavefronts == 32);
  CHECK(plain.least_wavefronts == 1);
  CHECK(plain.requests == 32);
  CHECK(plain.text ==
        "The slowest of 32 requests takes 32 wavefronts, 1 without bank conflicts; its lanes access column 0, rows 0 "
        "to 31, all in bank 0.");
  std::vector<Parameter> padded = tile(32, 32, 4);
  padded.push_back({"pad_elements", std::uint64_t{1}});
  const BankGrid free = grid_of("column * pitch + row", padded);
  CHECK(free.tile_columns == 32);
  CHECK(free.banks[1] == "123456789abcdefghijklmnopqrstuv0");
  CHECK(free.wavefronts == 1);
  CHECK_THAT(free.text, StartsWith("The slowest of 32 requests takes 1 wavefront, the fewest for its bytes;"));
}

TEST_CASE("bank grid: a swizzle of three bits serves a column of halves eight rows at a time", "[bank_grid]") {
  const BankGrid grid = grid_of("column * pitch + row", tile(64, 64, 2, "3,3,3"));
  CHECK(grid.banks[0].substr(0, 10) == "0011223344");
  CHECK(grid.banks[1].substr(0, 10) == "4455667700");
  CHECK(grid.wavefronts == 4);
  const auto rows = rows_by_wavefront(grid);
  CHECK(rows[0] == std::set<std::uint64_t>{0, 1, 2, 3, 4, 5, 6, 7});
  CHECK(rows[3] == std::set<std::uint64_t>{24, 25, 26, 27, 28, 29, 30, 31});
}

TEST_CASE("bank grid: the wavefronts are those that the case is predicted to take", "[bank_grid]") {
  for (const char* swizzle : {"none", "3,0,5", "2,1,4", "5,0,5"}) {
    for (const std::uint64_t word_bytes : {1U, 2U, 4U, 8U, 16U}) {
      for (const char* op : {"read", "write"}) {
        const Case tested = test::any_case("shared-pattern", {{"pattern", std::string("i * 5 ^ i / 7")},
                                                              {"swizzle", std::string(swizzle)},
                                                              {"word_bytes", word_bytes},
                                                              {"op", std::string(op)}});
        const TileCase numbers = tile_of_expression(tested);
        const TileRequests requests = requests_of(numbers, most_block_bytes);
        unsigned most = 0;
        for (std::uint64_t k = 0; k < requests.count(); ++k) {
          most = std::max(most, wavefronts_of(requests.request(k), numbers));
        }
        const BankGrid grid = bank_grid_of(numbers);
        CHECK(grid.wavefronts == most);
        CHECK(std::ranges::max(grid.lanes, {}, &BankGrid::Lane::wavefront).wavefront + 1 == most);
      }
    }
  }
}

TEST_CASE("bank grid: without rows a tile is words, 128 bytes a row", "[bank_grid]") {
  const BankGrid grid = grid_of("lane * 33", {{"word_bytes", std::uint64_t{4}}});
  CHECK(grid.columns() == 32);
  CHECK(grid.rows() == 32);  // up to element 1023
  CHECK(grid.lanes[1].row == 1);
  CHECK(grid.lanes[1].column == 1);
  CHECK(grid.wavefronts == 1);
}

TEST_CASE("bank grid: of a large tile the part is shown that the request accesses", "[bank_grid]") {
  const BankGrid grid =
      grid_of("(row + 150) * pitch + column * 0 + 130", {{"rows", std::uint64_t{200}},
                                                         {"columns", std::uint64_t{140}},
                                                         {"word_bytes", std::uint64_t{1}},
                                                         {"active", std::string("row < 50 && column < 1")}});
  CHECK(grid.tile_rows == 200);
  CHECK(grid.tile_columns == 140);
  CHECK(grid.rows() == BankGrid::most);
  CHECK(grid.columns() == BankGrid::most);
  CHECK(grid.first_row == 72);     // the last that leaves 128
  CHECK(grid.first_column == 12);  // likewise
}

TEST_CASE("bank grid: elements in the padding are shown if a lane accesses them", "[bank_grid]") {
  std::vector<Parameter> padded = tile(4, 8, 4);
  padded.push_back({"pad_elements", std::uint64_t{4}});
  CHECK(grid_of("row * pitch + column", padded).columns() == 8);
  CHECK(grid_of("row * pitch + column + 4", padded).columns() == 12);
}

TEST_CASE("bank grid: a lane of ldmatrix accesses eight halves, unless a swizzle parts them", "[bank_grid]") {
  std::vector<Parameter> parameters = tile(8, 128, 2);
  parameters.push_back({"op", std::string("ldmatrix")});
  CHECK(grid_of("i * 8", parameters).elements == 8);
  CHECK_THAT(grid_of("i * 8", parameters).text, Catch::Matchers::ContainsSubstring("rows 0 to 1, columns 0 to 127,"));
  parameters[3].value = std::string("3,3,4");
  CHECK(grid_of("i * 8", parameters).elements == 8);
  parameters[3].value = std::string("2,1,6");  // of bits 7 and 8, so that rows of matrices 0 to 15 stay where they are
  CHECK_THROWS_AS(grid_of("i * 8", parameters), Error);
  parameters[3].value = std::string("1,2,8");  // of bit 10, which no element of the tile has
  CHECK(grid_of("i * 8", parameters).elements == 8);
}

TEST_CASE("shared pattern: each pattern may begin with its operation", "[bank_grid]") {
  const auto tile_of = [](const std::string& pattern, const std::string& op) {
    return tile_of_expression(test::any_case("shared-pattern", {{"pattern", pattern}, {"op", op}}));
  };
  CHECK(own_operation("write: i * 2").name == "write");
  CHECK(own_operation("i > 3 ? 1 : 2").name.empty());
  CHECK(own_operation("own: i").name.empty());
  CHECK(tile_of("write: i * 2", "own").pattern == "i * 2");
  CHECK(tile_of("write: i * 2", "own").op == TileOp::write);
  CHECK(tile_of("ldmatrix: i * 4", "own").matrices == 4);
  CHECK_THROWS_WITH(tile_of("i", "own"), StartsWith("--op own: the pattern 'i' names no operation; begin it with one"));
  CHECK_THROWS_WITH(tile_of("read: i", "write"),
                    "--op write: the pattern 'read: i' names its operation itself; pass "
                    "--op own");
}

TEST_CASE("shared pattern: one conclusion is about loads by rows and stores by columns", "[bank_grid]") {
  std::vector<Outcome> outcomes;
  for (const char* swizzle : {"none", "5,1,5"}) {
    for (const char* pattern : {"read: row * pitch + column", "write: column * pitch + row"}) {
      std::vector<Parameter> parameters = tile(64, 64, 2, swizzle);
      parameters.push_back({"op", std::string("own")});
      parameters.push_back({"pattern", std::string(pattern)});
      outcomes.push_back(test::outcome("shared-pattern", parameters, 1));
    }
  }
  CHECK_THAT(test::advice(outcomes), StartsWith("Without bank conflicts in all these patterns: swizzle 5,1,5."));
}

}  // namespace gpumem::shared_pattern::test_bank_grid
