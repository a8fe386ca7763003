// Expectations of the kernels of a user's program.

#include <algorithm>

#include "engine/measure/counters.hpp"
#include "report/check/check.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/record/readings.hpp"
#include "tests/catch.hpp"
#include "tests/report/check/checks.hpp"
#include "tests/report/program_example.hpp"

namespace gpumem::report::test_check_program {

namespace {

Expectation of_kernels(const std::string& quantity, double at_most, const std::string& kernel = "") {
  Expectation expectation;
  expectation.name = "e";
  expectation.cases.probes = {kernel_probe_name};
  if (!kernel.empty()) {
    expectation.cases.parameters.push_back({.parameters = {kernel_parameter}});
    expectation.cases.parameters.back().patterns.emplace_back(kernel);
  }
  expectation.quantity = quantity;
  expectation.at_most = at_most;
  return expectation;
}

/// The example without the kernel that nobody saw.
Report seen() {
  Report report = examples::program();
  report.results.erase(report.results.begin() + 3);
  return report;
}

std::string held(const Expectation& expectation, const Report& report = seen()) {
  return said(evaluate(expectation, report, {}));
}

}  // namespace

TEST_CASE_METHOD(Checks, "kernels are held to what a report has of them, and the worst one is named", "[check][run]") {
  CHECK(verdict(held(of_kernels(moved_name, 1.2))) == "fail");
  CHECK(verdict(held(of_kernels(moved_name, 4.5))) == "pass");
  CHECK(verdict(held(of_kernels(could_save_name, 1e-3, "tile"))) == "fail");
  CHECK(verdict(held(of_kernels(could_save_name, 1e-3, "^copy|^sum"))) == "pass");
  CHECK(verdict(held(of_kernels(could_save_share_name, 0.05))) == "fail");
  CHECK(evaluate(of_kernels(could_save_share_name, 0.05), seen(), {}).measured.value() == Approx(9.8 / 31));
  CHECK(verdict(held(of_kernels(gpu_time_name, 3e-3, "tile"))) == "fail");
  CHECK(verdict(held(of_kernels(launches_name, 10))) == "pass");
  Expectation of_peak = of_kernels("fraction_of_peak", 1, "sum");
  of_peak.at_least = 0.5;
  CHECK(held(of_peak).starts_with("fail: sum: 767 of 4814 GB/s"));
}

TEST_CASE_METHOD(Checks, "a kernel without accesses of a kind is not held to what is about these", "[check][run]") {
  const CheckRecord conflicts = evaluate(of_kernels("wavefronts_per_request", 4), seen(), {});
  CHECK(verdict(said(conflicts)) == "fail");
  CHECK(conflicts.cases == std::vector<std::size_t>{1});
  CHECK(verdict(held(of_kernels("wavefronts_per_request", 4, "copy"))) == "skip");
}

TEST_CASE_METHOD(Checks, "what is stored in local memory counts, and nothing is none", "[check][run]") {
  Report report = seen();
  CHECK(held(of_kernels(local_bytes_name, 0), report).starts_with("pass: "));
  SiteRecord& site = report.results[2].access[0];
  site.space = "local";
  CHECK(verdict(held(of_kernels(local_bytes_name, 0), report)) == "fail");
  CHECK(case_quantity(report.results[2], local_bytes_name) == 524'288.0 * 32 * 4);
  site.requests.reset();
  CHECK(verdict(held(of_kernels(local_bytes_name, 0), report)) == "skip");
}

TEST_CASE_METHOD(Checks, "a kernel that was not seen has times, and no more", "[check][run]") {
  const Report report = examples::program();
  const std::string unseen = "skip: triton_poi_fused_add_0: not looked at: launched by a CUDA graph";
  CHECK(held(of_kernels(moved_name, 5), report) == unseen);
  CHECK(held(of_kernels(local_bytes_name, 5), report) == unseen);
  CHECK(verdict(held(of_kernels(gpu_time_name, 7e-3, "triton"), report)) == "fail");
  CHECK(held(of_kernels(moved_name, 1.2), report).starts_with("fail: "));  // what is known to be bad stays bad
}

TEST_CASE_METHOD(Checks, "what hardware counts of a kernel is known where it was counted", "[check][run]") {
  Report report = seen();
  CHECK(verdict(held(of_kernels("dram_read_bytes", 100, "sum"), report)) == "skip");
  report.results[3].counters.emplace().dram_read_bytes = 64;
  CHECK(verdict(held(of_kernels("dram_read_bytes", 100, "sum"), report)) == "pass");
  CHECK(verdict(held(of_kernels(local_bytes_name, 0, "sum"), report)) == "pass");
  report.results[3].access.clear();  // where it was counted alone
  for (const char* of_sites : {local_bytes_name, "wavefronts_per_request"}) {
    CHECK(held(of_kernels(of_sites, 0, "sum"), report) == "skip: sum: it was counted, not seen access by access");
  }
  CHECK(verdict(held(of_kernels(gpu_time_name, 1, "sum"), report)) == "pass");
}

TEST_CASE_METHOD(Checks, "a condition leaves out what does not matter", "[check][run]") {
  Expectation expectation = of_kernels(moved_name, 5);
  expectation.where = Condition{.quantity = could_save_name, .at_least = 1e-3};
  const CheckRecord check = evaluate(expectation, examples::program(), {});
  CHECK(verdict(said(check)) == "pass");  // the unseen one saves
                                          // nothing known
  CHECK(check.cases == std::vector<std::size_t>{0, 1});
  expectation.where->at_most = 2e-3;
  CHECK(evaluate(expectation, examples::program(), {}).cases == std::vector<std::size_t>{1});
  expectation.where->at_least = 1;
  expectation.where->at_most.reset();
  CHECK(verdict(held(expectation)) == "skip");
  CHECK(foreseen(std::vector{expectation}, Report()).front().reason ==
        "dry run: bytes moved per byte used at most 5 where could save in s is at least 1, 0 cases");
}

TEST_CASE_METHOD(Checks, "a kernel may be held to another one of the same launch", "[check][run]") {
  Expectation expectation = of_kernels(gpu_time_name, 0.5, "tile");
  expectation.relative_to = of_kernels("", 0, "direct_copy").cases;
  CHECK(verdict(held(expectation)) == "pass");
}

TEST_CASE_METHOD(Checks, "launches of one kernel are told apart", "[check][run]") {
  Report report = seen();
  report.results[3] = report.results[2];
  report.results[3].parameters[1].value = std::string("64");
  CHECK(verdict(held(of_kernels(moved_name, 1.2, "copy\\(float"), report)) == "fail");
}

TEST_CASE_METHOD(Checks, "a program has to have ended well, and to have been seen", "[check][run]") {
  Report report = examples::program();
  CHECK(common_expectations(report).empty());
  auto checks = check(report, {}, {});
  REQUIRE(checks.size() == 2);
  CHECK(checks[0].name == "the program ended well");
  CHECK(verdict(said(checks[0])) == "pass");
  CHECK(verdict(said(checks[1])) == "pass");
  report.program->exit_code = 137;
  CHECK(verdict(said(check_soundness(report, {})[0])) == "fail");
  report.program->exit_code.reset();
  CHECK(verdict(said(check_soundness(report, {})[0])) == "skip");
  for (Record& record : report.results) record.status = Status::skipped;
  CHECK(check_soundness(report, {})[1].verdict == Verdict::skip);
  report.results.clear();
  CHECK(verdict(said(check_soundness(report, {})[1])) == "skip");
}

TEST_CASE("every quantity that a suite may name is one that a kernel can have", "[check][run]") {
  Record record = examples::program().results[0];
  record.access.push_back({.site = "s", .space = "constant", .op = "load", .word_bytes = 4, .costs = {}});
  record.access.back().cost(wavefronts).predicted = 1;
  record.access.back().cost(addresses).predicted = 1;
  for (const Quantity& quantity : case_quantities(kernel_probe())) {
    INFO(quantity.name);
    const bool is_counter =
        std::ranges::any_of(measure::counter_fields(), [&](const auto& field) { return field.name == quantity.name; });
    CHECK((is_counter || case_quantity(record, quantity.name)));
  }
}

}  // namespace gpumem::report::test_check_program
