// Tiles of shared memory as rows of digits.

#include <sstream>
#include <string>
#include <vector>

#include "report/text/text.hpp"
#include "report/write/bank_picture.hpp"
#include "tests/catch.hpp"

namespace gpumem::report::test_bank_picture {

namespace {

/// Two rows of four halves. Lanes 0 and 1 access column 0, where both rows lie in bank 0.
BankGrid small_grid() {
  return {
      .tile_rows = 2,
      .tile_columns = 4,
      .element_bytes = 2,
      .banks = {"0011", "00uu"},
      .requests = 1,
      .wavefronts = 2,
      .least_wavefronts = 1,
      .lanes = {{.lane = 0, .row = 0, .column = 0, .wavefront = 0}, {.lane = 1, .row = 1, .column = 0, .wavefront = 1}},
      .text = "The request takes 2."};
}

std::string written(const std::vector<BankPicture>& pictures, unsigned width = 80, bool color = false) {
  std::ostringstream out;
  write_bank_pictures(out, pictures, {.width = width, .color = color});
  return out.str();
}

std::string drawing_of(const BankGrid& grid, unsigned width = 80, bool color = false) {
  const std::string text = written({{"case", &grid}}, width, color);
  return text.substr(text.find("case"));
}

}  // namespace

TEST_CASE("bank picture: halves of a word share a digit, and wavefronts stand beside the banks") {
  const BankGrid grid = small_grid();
  CHECK(drawing_of(grid) ==
        "case\n"
        "0 01   0.\n"
        "1 0u   1.\n"
        "The request takes 2.\n");
}

TEST_CASE("bank picture: halves of a word in different banks have digits of their own") {
  BankGrid grid = small_grid();
  grid.banks[1] = "0123";
  CHECK(drawing_of(grid) ==
        "case\n"
        "0 0011   0...\n"
        "1 0123   1...\n"
        "The request takes 2.\n");
}

TEST_CASE("bank picture: a digit for each word of a wide element") {
  BankGrid grid = small_grid();
  grid.element_bytes = 8;
  grid.banks = {"0246", "uuuu"};
  CHECK(drawing_of(grid) ==
        "case\n"
        "0 01234567   00......\n"
        "1 uvuvuvuv   11......\n"
        "The request takes 2.\n");
}

TEST_CASE("bank picture: with colours one grid tells both") {
  const BankGrid grid = small_grid();
  CHECK(drawing_of(grid, 80, true) ==
        "case\x1b[0m\n"
        "0 \x1b[30;41m0\x1b[0m\x1b[2m1\x1b[0m\n"
        "1 \x1b[30;42m0\x1b[0m\x1b[2mu\x1b[0m\n"
        "The request takes 2.\n");
}

TEST_CASE("bank picture: where there is no room beside the banks, wavefronts stand below, and what is cut is said") {
  BankGrid grid = small_grid();
  grid.element_bytes = 4;
  grid.tile_columns = 100;
  grid.tile_rows = 40;
  grid.banks.assign(40, std::string(100, '7'));
  grid.lanes = {{.lane = 0, .row = 20, .column = 1, .wavefront = 1}};
  const std::string text = drawing_of(grid, 30);
  for (const std::string& line : split(text, '\n')) CHECK(display_width(line) <= 30);
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\n 8 " + std::string(27, '7') + "\n"));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("\n20 .1" + std::string(25, '.') + "\n"));
  CHECK_THAT(drawing_of(grid), Catch::Matchers::ContainsSubstring("Shown: rows 8 to 39 of 40, columns 0 to 76 of 100"));
}

TEST_CASE("bank picture: lanes outside the part that is shown leave no mark") {
  BankGrid grid = small_grid();
  grid.first_row = 5;
  grid.first_column = 4;
  CHECK(drawing_of(grid).find("5 01   ..") != std::string::npos);
}

TEST_CASE("bank picture: the first few cases are shown, and the others counted") {
  const BankGrid grid = small_grid();
  const std::string text = written(std::vector<BankPicture>(7, {"case", &grid}));
  CHECK_THAT(text, Catch::Matchers::ContainsSubstring("3 more cases with a picture"));
  CHECK(written({}).empty());
}

}  // namespace gpumem::report::test_bank_picture
