// Sparse matrices in Matrix Market's format.

#include "engine/pattern/matrix_market.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_matrix_market {

namespace {

Indices read(const std::string& text) { return all_of(read_matrix_market(bytes_in_memory(text, "a.mtx"))); }

std::string error(const std::string& text) {
  return error_of([&] { static_cast<void>(read(text)); });
}

const std::string general = "%%MatrixMarket matrix coordinate real general\n";

}  // namespace

TEST_CASE("columns come row by row, whatever the order of the entries", "[matrix_market]") {
  CHECK(read(general + "% a comment\n\n3 4 5\n3 1 0.5\n1 4 1e3\n1 2 -7\n2 3 0\n3 4 1\n") == Indices{1, 3, 2, 0, 3});
  CHECK(read("%%MatrixMarket MATRIX Coordinate Pattern General\n2 2 2\n2 1\n1 2") == Indices{1, 0});
  CHECK(read("%%MatrixMarket matrix coordinate complex general\r\n1 9 1\r\n1\t9 1 0\r\n") == Indices{8});
  CHECK(read(general + "4294967296 4294967296 2\n4294967296 1 1\n1 4294967296 1\n") == Indices{4'294'967'295, 0});
}

TEST_CASE("of a symmetric matrix both triangles are there", "[matrix_market]") {
  for (const char* symmetry : {"symmetric", "skew-symmetric", "hermitian"}) {
    CHECK(read(std::string("%%MatrixMarket matrix coordinate real ") + symmetry + "\n3 3 3\n1 1 1\n3 1 1\n3 2 1\n") ==
          Indices{0, 2, 2, 0, 1});
  }
}

TEST_CASE("what is no sparse matrix, or damaged, is named", "[matrix_market]") {
  CHECK(error("1 2\n") == "a.mtx: is no Matrix Market file: it does not begin with %%MatrixMarket");
  CHECK(error("") == "a.mtx: is no Matrix Market file: it does not begin with %%MatrixMarket");
  CHECK(error("%%MatrixMarket matrix array real general\n2 2\n") ==
        "a.mtx: is a Matrix Market file of a 'matrix array', which has no indices; expected a sparse 'matrix "
        "coordinate'");
  CHECK_THAT(error("%%MatrixMarket matrix coordinate float general\n"),
             Catch::Matchers::StartsWith("a.mtx: line 1: 'float general' is none of pattern, integer, real"));
  CHECK(error(general) == "a.mtx: is truncated: it ends before the size of the matrix");
  CHECK(error(general + "3 3 2\n1 1 1\n") == "a.mtx: is truncated: it ends before entry 2 of 2");
  CHECK(error(general + "3 3 1\n1 1 1\n2 2 1\n") == "a.mtx: line 4: is behind the last of its 1 entries");
  CHECK(error(general + "3 3 1\n0 1 1\n") == "a.mtx: line 3: its row is '0'; expected a whole number from 1 to 3");
  CHECK(error(general + "3 3 1\n1 4 1\n") == "a.mtx: line 3: its column is '4'; expected a whole number from 1 to 3");
  CHECK(error(general + "3 3 1\n1\n") == "a.mtx: line 3: its column is ''; expected a whole number from 1 to 3");
  CHECK_THAT(error(general + "3 3 0\n"), Catch::Matchers::StartsWith("a.mtx: line 2: its number of entries is '0'"));
  CHECK_THAT(error(general + "3 5000000000 1\n"), Catch::Matchers::StartsWith("a.mtx: line 2: its number of columns"));
  CHECK_THAT(error(general + "3 3 9000000000000000000\n1 1 1\n"), Catch::Matchers::ContainsSubstring("is truncated"));
  CHECK(error("%%MatrixMarket matrix coordinate real symmetric\n3 4 1\n1 1 1\n") ==
        "a.mtx: line 2: is no size of a symmetric matrix, which is square");
}

}  // namespace gpumem::pattern::test::test_matrix_market
