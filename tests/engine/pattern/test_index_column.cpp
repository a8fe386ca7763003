// Columns of tables in text.

#include "engine/pattern/index_file_text.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_index_column {

namespace {

Indices read(const std::string& text, std::string_view column) {
  return all_of(read_index_column(bytes_in_memory(text, "a.csv"), column));
}

std::string error(const std::string& text, std::string_view column) {
  return error_of([&] { static_cast<void>(read(text, column)); });
}

}  // namespace

TEST_CASE("a column is named, or numbered from 1", "[index_column]") {
  const std::string table = "from,to,weight\n1,20,0.5\n2,30,x\n";
  CHECK(read(table, "to") == Indices{20, 30});
  CHECK(read(table, "2") == Indices{20, 30});
  CHECK(read("1,20\n2,30", "2") == Indices{20, 30});
  CHECK(read("\xEF\xBB\xBF"
             "from,to\r\n\r\n1,20\r\n",
             "from") == Indices{1});
  CHECK(read("a\n5000000000\n7\n", "a") == Indices{5'000'000'000, 7});
  CHECK(read("a\n3.0\n1e3\n", "a") == Indices{3, 1000});
}

TEST_CASE("tabs, semicolons and blanks separate columns too", "[index_column]") {
  CHECK(read("from\tto, later\n1\t2\n\t4\n", "to, later") == Indices{2, 4});
  CHECK(read("from;to\n1;2\n", "to") == Indices{2});
  CHECK(read("# FromNodeId ToNodeId\n  1   20  \n 2 30\n", "2") == Indices{20, 30});
  CHECK(read("4\n5\n", "1") == Indices{4, 5});
}

TEST_CASE("fields may be in quotes", "[index_column]") {
  CHECK(read("\"a, b\",\"to\"\n\"x \"\",\"\"\",\"7\"\n", "to") == Indices{7});
  CHECK(error("\"a\nb\",to\n", "to") == "a.csv: line 1: a field in quotes does not end in its line");
}

TEST_CASE("what is no column or no index is named", "[index_column]") {
  CHECK(error("", "to") == "a.csv: has no rows; expected a table");
  CHECK(error("#\n\n", "1") == "a.csv: has no rows; expected a table");
  CHECK(error("from,to\n", "to") == "a.csv: has no rows below the names of its columns");
  CHECK(error("from,weight\n1,2\n", "to") == "a.csv: has no column 'to'; there are: from, weight");
  CHECK(error("from,target\n1,2\n", "targt") == "a.csv: has no column 'targt'; did you mean 'target'?");
  CHECK(error("1,2\n", "to") == "a.csv: its columns have no names; pass the number of one, from 1 to 2");
  CHECK(error("1,2\n", "0") == "a.csv: has no column 0; columns are numbered from 1");
  CHECK(error("1,2\n", "99999999999999999999") ==
        "a.csv: has no column 99999999999999999999; columns are numbered from 1");
  CHECK(error("1,2\n", "3") == "a.csv: line 1: has 2 columns, and column 3 is asked for");
  CHECK(error("a,b\n1,2\n3\n", "b") == "a.csv: line 3: has 1 column, and column b is asked for");
  CHECK(error("a,b\n1,\n", "b") == "a.csv: line 2: column b: is empty");
  CHECK(error("a,b\n1,-2\n", "b") ==
        "a.csv: line 2: column b: -2 is negative: an index is the number of an element, from 0 on");
  CHECK(error("1,0.5\n", "2") == "a.csv: line 1: column 2: '0.5' is no decimal integer");
  CHECK(error(std::string(3 << 20U, 'x'), "x") == "a.csv: line 1: is longer than 1 MiB; is it the right file?");
}

TEST_CASE("a table longer than what is read at a time has all its rows", "[index_column]") {
  std::string table = "row,index\n";
  Indices expected;
  for (std::uint64_t i = 0; table.size() < (3U << 20U); ++i) {
    table += fmt::format("{},{}\n", i, i * 7);
    expected.push_back(i * 7);
  }
  CHECK(read(table, "index") == expected);
}

}  // namespace gpumem::pattern::test::test_index_column
