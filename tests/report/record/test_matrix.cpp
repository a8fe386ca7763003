// Finds the tables that are matrices, and the cases of a matrix that are unlike the others.

#include <set>

#include "report/explain/outlier_text.hpp"
#include "report/record/matrix.hpp"
#include "tests/catch.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::test_matrix {

namespace {

Cases all_of(const Report& report) {
  Cases cases;
  for (const Record& record : report.results) cases.push_back(&record);
  return cases;
}

MatrixJudgement judged(const CaseMatrix& matrix) {
  return judge_matrix(matrix, std::string(bandwidth_name), Better::more);
}

/// By row and column.
std::set<std::pair<std::string, std::string>> unlike_places(const CaseMatrix& matrix) {
  std::set<std::pair<std::string, std::string>> places;
  for (const UnlikeCase& unlike : judged(matrix).unlike) {
    const auto text = [&](const std::string& name) {
      return gpumem::to_string(find_parameter(*unlike.record, name)->value);
    };
    places.insert({text(unlike.record->swept), text(unlike.record->across)});
  }
  return places;
}

}  // namespace

TEST_CASE("the pairs of a node are a matrix for each alternative", "[matrix]") {
  const Report report = examples::node();
  const std::vector<CaseMatrix> all = matrices(all_of(report));
  REQUIRE(all.size() == 2);
  CHECK(all[0].rows.size() == 8);
  CHECK(all[0].columns.size() == 8);
  CHECK(all[0].cells[3][3] == nullptr);
  CHECK(find_parameter(*all[1].cells[2][5], "via")->value == Value("kernel-read"));
  CHECK(find_parameter(*all[1].cells[2][5], "target")->value == Value(std::uint64_t{5}));
  CHECK(all[0].cases().size() == 56);
  CHECK(is_of_pairs(all[0]));
  CHECK_FALSE(is_of_pairs(matrices(all_of(examples::all_gpus())).front()));
}

TEST_CASE("numbers stand in rising order, in whatever order the cases come", "[matrix]") {
  Report report = examples::even_node(12);
  std::ranges::reverse(report.results);
  const std::vector<CaseMatrix> all = matrices(all_of(report));
  REQUIRE(all.size() == 1);
  CHECK(all[0].columns.front().value == Value(std::uint64_t{0}));
  CHECK(all[0].columns.back().value == Value(std::uint64_t{11}));
}

TEST_CASE("few columns, two cases in a cell and other differences make no matrix", "[matrix]") {
  CHECK(matrices(all_of(examples::even_node(2))).empty());
  CHECK(matrices(all_of(examples::even_node(3))).size() == 1);
  Report report = examples::even_node(4);
  report.results.push_back(report.results.front());
  CHECK(matrices(all_of(report)).empty());
  report.results.back().parameters.back().value = std::uint64_t{4096};
  CHECK(matrices(all_of(report)).empty());
  report.results.pop_back();
  for (Record& record : report.results) record.across.clear();
  CHECK(matrices(all_of(report)).empty());
}

TEST_CASE("pairs are held against all others of which the same is predicted", "[matrix]") {
  const Report report = examples::node();
  const CaseMatrix matrix = matrices(all_of(report)).front();
  CHECK(unlike_places(matrix) == std::set<std::pair<std::string, std::string>>{{"2", "5"}, {"5", "2"}});
  CHECK(judged(matrix).judged == 55);  // one moved wrong data

  Report islands = examples::islands();
  CHECK(unlike_places(matrices(all_of(islands)).front()).empty());
  const CaseMatrix within = matrices(all_of(islands)).front();
  const std::set<std::pair<std::string, std::string>> first = {{"0", "1"}};
  *islands.results.front().headline.measured = 51;  // as slow as between the islands
  CHECK(unlike_places(within) == first);
  // Without predictions, pairs are compared with the pairs that are as near.
  for (Record& record : islands.results) record.headline.predicted.reset();
  *islands.results.front().headline.measured = 200;
  CHECK(unlike_places(within) == first);
}

TEST_CASE("pairs of one source are held against each other too", "[matrix]") {
  Report report = examples::node();
  std::erase_if(report.results, [](const Record& record) {
    return find_parameter(record, "source")->value != Value(std::uint64_t{2}) ||
           find_parameter(record, "via")->value != Value(std::string("kernel-read"));
  });
  CHECK(matrices(all_of(report)).empty());
  const std::vector<CaseMatrix> row = matrices(all_of(report), 1);
  REQUIRE(row.size() == 1);
  CHECK(outlier_text(row.front(), false) == "Unlike the others: source 2, target 5 (45 % less).");
}

TEST_CASE("what several GPUs ran is held against the others of its row", "[matrix]") {
  const Report report = examples::all_gpus();
  const CaseMatrix matrix = matrices(all_of(report)).front();
  const auto places = unlike_places(matrix);
  CHECK(places.size() == 9);
  CHECK(std::ranges::all_of(places, [](const auto& place) { return place.second == "7"; }));
  CHECK(outlier_text(matrix, false) == "Unlike the others: GPU 7 (7.0 % less in all 9 cases).");
}

TEST_CASE("nothing is said of predictions, of few values, and where no way is better", "[matrix]") {
  Report report = examples::node();
  const CaseMatrix matrix = matrices(all_of(report)).front();
  CHECK(judge_matrix(matrix, std::string(bandwidth_name), Better::neither).judged == 0);
  for (Record& record : report.results) record.headline.measured.reset();
  CHECK(judged(matrix).judged == 0);
  CHECK_FALSE(outlier_text(matrix, false).has_value());
  Report four = examples::all_gpus();
  std::erase_if(four.results, [](const Record& record) {
    return std::get<std::uint64_t>(find_parameter(record, "device")->value) < 4;
  });
  CHECK(judged(matrices(all_of(four)).front()).judged == 0);
}

TEST_CASE("unlike cases are named, the worst first", "[matrix]") {
  const Report report = examples::node();
  const std::vector<CaseMatrix> all = matrices(all_of(report));
  CHECK(outlier_text(all[1], true) ==
        "Unlike the others via kernel-read: source 2, target 5 (45 % less); source 5, target 2 (44 % less).");
  const Report even = examples::even_node(4);
  CHECK(outlier_text(matrices(all_of(even)).front(), false) == "");
}

}  // namespace gpumem::report::test_matrix
