// Comparing two runs of a user's program: which kernels are the same, and what is said of them.

#include <nlohmann/json.hpp>
#include <optional>
#include <sstream>
#include <string>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/record/kernels.hpp"
#include "report/write/comparisons/comparison.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_compare_program {

namespace {

struct Kernel {
  std::string name;
  double launches = 10;
  std::string grid = "64";
};

/// Kernels in the order of their first launches, and last in the report what was first.
std::vector<Record> run_of(const std::vector<Kernel>& kernels) {
  std::vector<Record> records;
  for (const Kernel& kernel : kernels) {
    Record record = examples::kernel_case(kernel.name, 1e-3, 0);
    record.parameters[1].value = kernel.grid;
    record.metrics[2].measured = kernel.launches;
    record.first_launch = records.size();
    records.insert(records.begin(), record);
  }
  return records;
}

/// "old -> new" of each pair that is not of one name and grid, in the order of the old kernels' first launches.
std::vector<std::string> renamed(const std::vector<Kernel>& olds, const std::vector<Kernel>& new_reports) {
  const std::vector<Record> old_run = run_of(olds);
  const std::vector<Record> new_run = run_of(new_reports);
  Partners partner = pair_cases(old_run, new_run);
  pair_kernels_by_place(old_run, new_run, partner);
  const auto words = [](const Record& record) {
    return gpumem::to_string(record.parameters[0].value) + " " + gpumem::to_string(record.parameters[1].value);
  };
  std::vector<std::string> pairs;
  for (std::size_t i = old_run.size(); i-- > 0;) {
    if (!partner[i] || old_run[i].parameters == new_run[*partner[i]].parameters) continue;
    pairs.push_back(words(old_run[i]) + " -> " + words(new_run[*partner[i]]));
  }
  return pairs;
}

using Pairs = std::vector<std::string>;

/// The example, and a later run of it: the transpose is another kernel and four times as fast, the copy has gone, the
/// sum is launched twice as often, and one has come.
std::vector<NamedReport> two_runs() {
  Report before = examples::program();
  for (std::size_t i = 0; i < before.results.size(); ++i) before.results[i].first_launch = i;
  Report after = before;
  Record& transpose = after.results[0];
  transpose = examples::kernel_case("transpose_padded(float*, float const*)", 2.75e-3, 0);
  transpose.first_launch = 0;
  Record& sum = after.results[4];
  sum.metrics[0].measured = 14e-3;
  sum.metrics[2].measured = 20;
  Record fill = examples::kernel_case("fill(float*)", 1e-3, 0);
  fill.first_launch = 5;
  after.results.push_back(fill);
  after.results.erase(after.results.begin() + 2);
  after.program->launches_seen = 70;
  after.program->gpu_seconds = 27e-3;
  return {{"before.json", before}, {"after.json", after}};
}

std::string written(const std::vector<NamedReport>& reports, Format format, unsigned width = 100) {
  std::ostringstream out;
  write_comparison(out, compare(reports), format, {.width = width});
  return out.str();
}

const ComparedCase& case_of_kernel(const Comparison& comparison, const std::string& part) {
  for (const ComparedCase& compared : comparison.cases) {
    if (gpumem::to_string(compared.record->parameters[0].value).find(part) != std::string::npos) return compared;
  }
  throw std::logic_error("no kernel " + part);
}

}  // namespace

TEST_CASE("A kernel with another name is found by its place", "[compare][run]") {
  CHECK(renamed({{"a"}, {"b"}, {"c"}}, {{"a"}, {"x"}, {"c"}}) == Pairs{"b 64 -> x 64"});
  CHECK(renamed({{"a"}}, {{"x"}}) == Pairs{"a 64 -> x 64"});                           // all that there is
  CHECK(renamed({{"a"}, {"b", 10}}, {{"a"}, {"x", 20}}) == Pairs{"b 64 -> x 64"});     // the only one left
  CHECK(renamed({{"a"}, {"b"}, {"c"}}, {{"a"}, {"c"}, {"x"}}).empty());                // elsewhere
  CHECK(renamed({{"a"}, {"b"}, {"c"}, {"d"}}, {{"a"}, {"d"}, {"x"}, {"c"}}).empty());  // in another order
  CHECK(renamed({{"a"}, {"b"}, {"c"}}, {{"a"}, {"c"}}).empty());
  CHECK(renamed({{"a"}, {"b", 1}, {"c", 2}}, {{"a"}, {"x", 2}, {"y", 1}}) == Pairs{"b 64 -> y 64", "c 64 -> x 64"});
  CHECK(renamed({{"a"}, {"b"}, {"c"}}, {{"a"}, {"x"}, {"y"}}) == Pairs{"b 64 -> x 64", "c 64 -> y 64"});
  CHECK(renamed({{"a"}, {"b"}, {"c"}}, {{"a"}, {"x"}}).empty());  // two became one, and nobody knows which
  CHECK(renamed({{"b", 1}, {"c", 2}, {"d", 3}}, {{"x", 1}, {"y", 3}}) == Pairs{"b 64 -> x 64", "d 64 -> y 64"});
}

TEST_CASE("A kernel that is launched with another grid is the same before others are looked at", "[compare][run]") {
  CHECK(renamed({{"a", 10, "64"}, {"b"}}, {{"x", 10}, {"a", 20, "128"}, {"b"}}) == Pairs{"a 64 -> a 128"});
  CHECK(renamed({{"a", 10, "64"}, {"a", 10, "32"}}, {{"a", 10, "128"}, {"a", 10, "32"}}) == Pairs{"a 64 -> a 128"});
}

TEST_CASE("Reports that say no order are not matched by it", "[compare][run]") {
  std::vector<Record> olds = run_of({{"a"}, {"b"}});
  const std::vector<Record> new_reports = run_of({{"a"}, {"x"}});
  for (Record& record : olds) record.first_launch.reset();
  Partners partner = pair_cases(olds, new_reports);
  pair_kernels_by_place(olds, new_reports, partner);
  CHECK(partner == Partners{std::nullopt, 1});
}

TEST_CASE("Kernels are compared by the time of a launch", "[compare][run]") {
  const std::vector<NamedReport> reports = two_runs();
  const Comparison comparison = compare(reports);
  REQUIRE(comparison.cases.size() == 6);
  const ComparedCase& transpose = case_of_kernel(comparison, "elementwise");
  CHECK(transpose.quantity->name == "time_seconds");
  const CaseChange& faster = transpose.changes.at(0);
  CHECK(faster.by_place);
  CHECK(faster.outcome == CaseVerdict::faster);
  CHECK(faster.speed->value == Approx(4));
  CHECK(faster.speed->low);
  const CaseChange& unseen = case_of_kernel(comparison, "triton").changes.at(0);
  CHECK(unseen.outcome == CaseVerdict::same);  // whose accesses nobody saw
  CHECK_FALSE(unseen.by_place);
  CHECK(case_of_kernel(comparison, "copy(float*").changes.at(0).outcome == CaseVerdict::missing);
  CHECK(case_of_kernel(comparison, "fill").changes.at(0).outcome == CaseVerdict::added);
  CHECK(tally(comparison, 0).compared() == 4);
}

TEST_CASE("GPU times of programs are compared only if all launches of both were counted", "[compare][run]") {
  const std::string sums = "GPU time of the program: ";
  std::vector<NamedReport> reports = two_runs();
  CHECK(written(reports, Format::table).find(sums) != std::string::npos);
  for (NamedReport& named : reports) {
    named.report.program->watched_s = 2.1;
    const std::string text = written(reports, Format::table, 200);
    CHECK(text.find(sums) == std::string::npos);
    CHECK(text.find("not all launches were counted") != std::string::npos);
    named.report.program->watched_s.reset();
  }
}

TEST_CASE("A kernel by another name may fail a gate", "[compare][run]") {
  std::vector<NamedReport> reports = two_runs();
  CHECK_FALSE(gate(compare(reports), 0, 0.03).failure);
  std::swap(reports[0], reports[1]);
  const Gate slower = gate(compare(reports), 0, 0.03);
  CHECK(slower.failure == "1 kernel slower by more than 3 % (worst: transpose_padded: -75.0 %)");
  CHECK(slower.reshaped == 0);
}

TEST_CASE("What is written of two runs of a program", "[compare][run]") {
  const std::vector<NamedReport> reports = two_runs();
  for (const auto& [ending, format, width] :
       {std::tuple("80.txt", Format::table, 80U), std::tuple("140.txt", Format::table, 140U),
        std::tuple("md", Format::markdown, 80U), std::tuple("csv", Format::csv, 80U)}) {
    compare_with_golden(std::string("programs_compared.") + ending, written(reports, format, width));
  }
}

TEST_CASE("A time that nobody knows is no time of 0", "[compare][run]") {
  std::vector<NamedReport> reports = two_runs();
  Record& copy = reports[0].report.results[2];
  REQUIRE(gpumem::to_string(copy.parameters[0].value).starts_with("copy"));
  copy.metrics[0].measured.reset();
  copy.metrics[2].measured = 1;
  copy.time.reset();
  const std::string text = written(reports, Format::table, 200);
  CHECK(text.find("Only in old: copy (1 launch, time not known).\n") != std::string::npos);
}

TEST_CASE("A kernel has one name in a comparison, and its changes one sign", "[compare][run]") {
  std::vector<NamedReport> reports = two_runs();
  const std::string name = "void reduce_all_partial_sums<vectorised_policy<4, 128>, plus_operation>(float*, int)";
  for (NamedReport& named : reports) {
    for (Record& record : named.report.results) {
      if (gpumem::to_string(record.parameters[0].value).starts_with("sum")) record.parameters[0].value = name;
    }
  }
  std::swap(reports[0], reports[1]);
  const Comparison comparison = compare(reports);
  const ComparedCase& sum = case_of_kernel(comparison, "reduce_all");
  const std::string shortened = comparison.kernels.words(*sum.record);
  CHECK(sum.label == shortened);
  const std::string text = written(reports, Format::table, 200);
  for (std::size_t at = text.find("reduce_all"); at != std::string::npos; at = text.find("reduce_all", at + 1)) {
    CHECK(text.substr(at, shortened.size()) == shortened);
  }
  // Slower, and so less: in the table and in the sum.
  CHECK(text.find("27 ms in 70 launches -> 31 ms in 60 launches (speed -12.9 %)") != std::string::npos);
}

TEST_CASE("Kernels are named whichever run has them", "[compare][run]") {
  std::vector<NamedReport> reports = two_runs();
  const std::string text = written(reports, Format::table, 200);
  CHECK(text.find("matched by place: ") != std::string::npos);
  CHECK(text.find(" -> transpose_padded") != std::string::npos);
  CHECK(text.find("Only in old: copy (2.0 ms in 10 launches).\n") != std::string::npos);
  CHECK(text.find("Only in new: fill (1.0 ms in 10 launches).\n") != std::string::npos);
  CHECK(text.find("GPU time of the program: 31 ms in 60 launches -> 27 ms in 70 launches (speed +14.8 %).\n") !=
        std::string::npos);
  const auto json = nlohmann::json::parse(written(reports, Format::json));
  CHECK(json["old"]["program"]["launches_seen"] == 60);
  CHECK(json["cases"][0]["new"][0]["matched_by_place"] == true);
  CHECK(json["cases"][0]["new"][0]["parameters_changed"]["kernel"]["new"] == "transpose_padded(float*, float const*)");
  CHECK(json["differences"] == nlohmann::json::array());
}

}  // namespace gpumem::report::test_compare_program
