// Expectations of a suite: bounds, the cases that they select, and references.

#include <string>
#include <vector>

#include "tests/app/suite/suites.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_suite_expectations {

using namespace suites;

namespace {

using Subject = report::Expectation::Subject;

}  // namespace

TEST_CASE("suite: an expectation of cases") {
  const report::Expectation e = expectation(
      R"("cases": {"probe": "shift", "shift": "1..3", "op": "read"}, "relative_to": {"shift": 0}, "at_least": 0.8,
         "gpu": "Fake GPU", "required": true, "because": "so")");
  CHECK(e.name == "e");
  CHECK(e.place == "s.json: /expectations/0");
  CHECK(e.subject == Subject::cases);
  CHECK(e.quantity == "bandwidth_gb_per_s");
  CHECK(e.at_least == 0.8);
  CHECK_FALSE(e.at_most.has_value());
  CHECK(e.gpu == "Fake GPU");
  CHECK(e.required);
  CHECK(e.because == "so");
  CHECK(e.cases.probes == std::vector<std::string>{"shift"});
  REQUIRE(e.cases.parameters.size() == 2);
  CHECK(e.cases.parameters[0].parameters == std::vector<std::string>{"shift_elements"});
  CHECK(e.cases.parameters[0].values == std::vector<Value>{1U, 2U, 3U});
  REQUIRE(e.relative_to.has_value());
  CHECK(e.relative_to->probes == std::vector<std::string>{"shift"});
}

TEST_CASE("suite: equals and its tolerance become both bounds") {
  const auto bounds = [](const std::string& members) {
    const report::Expectation e = expectation(R"("cases": {"probe": "skip", "skip": 1}, )" + members);
    return std::pair(e.at_least.value(), e.at_most.value());
  };
  CHECK(bounds(R"("equals": 32, "tolerance": "5%")").first == Approx(30.4));
  CHECK(bounds(R"("equals": 32, "tolerance": "5%")").second == Approx(33.6));
  CHECK(bounds(R"("equals": -2, "tolerance": "50%")").first == Approx(-3));
  CHECK(bounds(R"("equals": 0, "tolerance": "5%")").second == 0);
  CHECK(bounds(R"("at_least": 1, "at_most": 1)").first == 1);
}

TEST_CASE("suite: expectations of the device and of flags") {
  const report::Expectation device = expectation(R"("device": "pcie_width", "at_least": 16)");
  CHECK(device.subject == Subject::device);
  CHECK(device.quantity == "pcie_width");
  const report::Expectation flags = expectation(R"("no_flags": ["throttled", "ecc_errors"])");
  CHECK(flags.subject == Subject::flags);
  CHECK(flags.flags == Lines{"throttled", "ecc_errors"});
  CHECK(flags.cases.probes.empty());
  CHECK(expectation(R"("no_flags": ["throttled"], "cases": {"probe": "skip"})").cases.probes ==
        std::vector<std::string>{"skip"});
}

TEST_CASE_METHOD(Refusals, "suite: errors of an expectation name their place and the nearest name") {
  CHECK(place(wrong(R"("case": {})")) == "/expectations/0/case");
  CHECK(place(wrong(R"("required": true)")) == "/expectations/0");
  CHECK(place(wrong(R"("cases": {"skip": 1}, "at_least": 1)")) == "/expectations/0/cases/probe");
  CHECK(place(wrong(R"("cases": {"probe": "skp"}, "at_least": 1)")) == "/expectations/0/cases/probe");
  CHECK(place(wrong(R"("cases": {"probe": "skip", "skip_elements": 1}, "at_least": 1)")) ==
        "/expectations/0/cases/skip_elements");
  CHECK(place(wrong(R"("cases": {"probe": "skip", "op": "rite"}, "at_least": 1)")) == "/expectations/0/cases/op");
  CHECK(place(wrong(R"("cases": {"probe": "skip"}, "quantity": "bandwith_gb_per_s", "at_least": 1)")) ==
        "/expectations/0/quantity");
  CHECK(
      wrong(R"("cases": {"probe": "skip"}, "quantity": "shifts_per_second", "at_least": 1)")
          .starts_with("s.json: /expectations/0/quantity: cases of 'skip' have no quantity 'shifts_per_second'; there "
                       "are: bandwidth_gb_per_s, fraction_of_peak, "));
  CHECK(wrong(R"("cases": {"probe": "shift"}, "quantity": "shifts_per_second", "relative_to": {"probe": "skip"},
                 "at_least": 1)")
            .starts_with("s.json: /expectations/0/quantity: cases of 'skip' have no quantity"));
  CHECK(wrong(R"("cases": {"probe": "shift"}, "quantity": "shifts_per_second", "at_least": 1)") == "nothing thrown");
  CHECK(wrong(R"("cases": {"probe": "shift"}, "quantity": "dram_read_bytes", "at_least": 1)") == "nothing thrown");
  CHECK(place(wrong(R"("device": "pcie_with", "at_least": 1)")) == "/expectations/0/device");
  CHECK(place(wrong(R"("no_flags": ["throtled"])")) == "/expectations/0/no_flags/0");
  CHECK(place(wrong(R"("no_flags": ["throttled", "throttled"])")) == "/expectations/0/no_flags/1");
  CHECK(place(wrong(R"("no_flags": [])")) == "/expectations/0/no_flags");
  CHECK(place(wrong(R"("device": "pcie_width", "cases": {"probe": "skip"}, "at_least": 1)")) ==
        "/expectations/0/cases");
  CHECK(place(wrong(R"("no_flags": ["throttled"], "at_least": 1)")) == "/expectations/0/at_least");
  CHECK(place(wrong(R"("no_flags": ["throttled"], "device": "pcie_width")")) == "/expectations/0/device");
}

TEST_CASE_METHOD(Refusals, "suite: errors of bounds") {
  const auto bounds = [](const std::string& members) { return wrong(R"("device": "pcie_width")" + members); };
  CHECK(place(bounds("")) == "/expectations/0");
  CHECK(place(bounds(R"(, "at_least": "1")")) == "/expectations/0/at_least");
  CHECK(place(bounds(R"(, "at_least": 2, "at_most": 1)")) == "/expectations/0/at_most");
  CHECK(place(bounds(R"(, "equals": 2)")) == "/expectations/0/tolerance");
  CHECK(place(bounds(R"(, "equals": 2, "tolerance": 0.1)")) == "/expectations/0/tolerance");
  CHECK(place(bounds(R"(, "equals": 2, "tolerance": "0%")")) == "/expectations/0/tolerance");
  CHECK(place(bounds(R"(, "equals": 2, "at_least": 1, "tolerance": "5%")")) == "/expectations/0/equals");
  CHECK(place(bounds(R"(, "at_least": 2, "tolerance": "5%")")) == "/expectations/0/tolerance");
  // No report could hold them.
  CHECK(place(bounds(R"(, "at_most": 1e61)")) == "/expectations/0/at_most");
  CHECK(place(bounds(R"(, "at_least": -1e61)")) == "/expectations/0/at_least");
  CHECK(place(bounds(R"(, "at_least": 1e-61)")) == "/expectations/0/at_least");
  CHECK(place(bounds(R"(, "equals": 9e59, "tolerance": "50%")")) == "/expectations/0/equals");
  CHECK(bounds(R"(, "equals": 1e61, "tolerance": "50%")").find("/expectations/0/equals: expected") !=
        std::string::npos);
}

TEST_CASE_METHOD(Refusals, "suite: two expectations of one name could not be told apart") {
  const std::string expectation = R"({"name": "e", "device": "pcie_width", "at_least": 1})";
  CHECK(place(refusal(suite_of(two_probes, "[" + expectation + "," + expectation + "]"))) == "/expectations/1/name");
}

TEST_CASE_METHOD(Refusals, "suite: an expectation has to find cases in the suite's own plan") {
  CHECK(place(wrong(R"("cases": {"probe": "skip", "skip": 9}, "at_least": 1)")) == "/expectations/0/cases");
  CHECK(place(wrong(R"("cases": {"probe": "skip", "skip": "10..19"}, "at_least": 1)")) == "/expectations/0/cases");
  CHECK(place(wrong(R"("no_flags": ["throttled"], "cases": {"probe": "skip", "skip": 9})")) == "/expectations/0/cases");
  CHECK(place(refusal(
            suite_of(R"([{"probe": "skip"}])", R"([{"name": "e", "cases": {"probe": "shift"}, "at_least": 1}])"))) ==
        "/expectations/0/cases");
  CHECK(place(refusal(
            suite_of(R"([{"probe": "skip", "axes": {"skip": 1, "op": "read"}},
                            {"probe": "skip", "axes": {"skip": 2, "op": "copy"}}])",
                     R"([{"name": "e", "cases": {"probe": "skip", "skip": 1, "op": "copy"}, "at_least": 1}])"))) ==
        "/expectations/0/cases");
}

TEST_CASE_METHOD(Refusals, "suite: a reference is one case, for each of the cases") {
  CHECK(place(wrong(R"("cases": {"probe": "skip"}, "relative_to": {"skip": 7}, "at_least": 1)")) ==
        "/expectations/0/relative_to");
  CHECK(place(wrong(R"("cases": {"probe": "skip"}, "relative_to": {"skip": "1,2"}, "at_least": 1)")) ==
        "/expectations/0/relative_to");
  CHECK(place(wrong(R"("cases": {"probe": "skip"}, "relative_to": {"probe": "shift"}, "at_least": 1)")) ==
        "/expectations/0/relative_to");
  CHECK(wrong(R"("cases": {"probe": "skip"}, "relative_to": {"probe": "shift", "shift": 0, "op": "read"},
                 "at_least": 1)") == "nothing thrown");
  const std::string to_itself =
      "s.json: /expectations/0/relative_to: relates each of these cases to itself; name the values in which the other "
      "case differs";
  CHECK(place(wrong(R"("cases": {"probe": "skip"}, "relative_to": {}, "at_least": 1)")) ==
        "/expectations/0/relative_to");
  CHECK(place(wrong(R"("cases": {"probe": "skip", "skip": 2}, "relative_to": {"skip": 2}, "at_least": 1)")) ==
        "/expectations/0/relative_to");
  CHECK(wrong(R"("cases": {"probe": "skip", "skip": "1,2"}, "relative_to": {"skip": 2}, "at_least": 1)") ==
        "nothing thrown");
  CHECK(place(refusal(suite_of(R"([{"probe": "skip", "axes": {"skip": 1, "op": "read"}},
                            {"probe": "skip", "axes": {"skip": 2, "op": "copy"}}])",
                               R"([{"name": "e", "cases": {"probe": "skip", "skip": 1}, "relative_to": {"skip": 2},
                              "at_least": 1}])"))) == "/expectations/0/relative_to");
}

TEST_CASE_METHOD(Refusals, "suite: without probes it is about the kernels of a program") {
  const auto of_kernels = [](const std::string& members) {
    return R"({"schema_version": 1, "name": "n", "purpose": "p", "expectations": [{"name": "e", )" + members + "}]}";
  };
  const Suite suite = parse(of_kernels(
      R"("cases": {"probe": "kernel", "kernel": ["copy", "su+m"], "grid": "64x64", "block": "32..64:32"},
         "where": {"quantity": "gpu_time_share", "at_least": 0.01}, "quantity": "local_bytes", "at_most": 0)"));
  CHECK(suite.plan.size() == 0);
  CHECK(error_of([&] { refuse_nothing_to_run(suite); }) ==
        "suite 'n' has no probes to run; it checks the kernels of a program: gpumem run -o app.json -- COMMAND, gpumem "
        "check n app.json");
  const report::Expectation& expectation = suite.expectations.at(0);
  CHECK(expectation.quantity == "local_bytes");
  CHECK(expectation.where->quantity == "gpu_time_share");
  CHECK(expectation.where->at_least == 0.01);
  report::Record record;
  record.probe = "kernel";
  record.parameters = {{"kernel", std::string("void summ(float*, int)")},
                       {"grid", std::string("64x64")},
                       {"block_threads", std::uint64_t{64}}};
  CHECK(report::selects(expectation.cases, record));
  record.parameters[0].value = std::string("su");
  CHECK_FALSE(report::selects(expectation.cases, record));
  record.parameters[0].value = std::string("copy");
  record.parameters[1].value = std::string("64");
  CHECK_FALSE(report::selects(expectation.cases, record));

  const auto refused = [&](const std::string& members) { return refusal(of_kernels(members)); };
  const std::string of_expectation = "s.json: /expectations/0/";
  CHECK(place(refused(R"("cases": {"probe": "kernel"}, "quantity": "could_save_shar", "at_most": 0)")) ==
        "/expectations/0/quantity");
  CHECK(refused(R"("cases": {"probe": "kernel"}, "quantity": "wasted", "at_most": 0)")
            .starts_with(of_expectation + "quantity: cases of 'kernel' have no quantity 'wasted'; there are: "));
  CHECK(refused(R"("cases": {"probe": "kernel"}, "where": {"quantity": "share", "at_least": 0}, "at_most": 0)")
            .starts_with(of_expectation + "where/quantity: cases of 'kernel' have no quantity 'share'"));
  CHECK(refused(R"("cases": {"probe": "kernel"}, "where": {"quantity": "launches"}, "at_most": 0)")
            .starts_with(of_expectation + "where: expected a bound"));
  CHECK(refused(R"("cases": {"probe": "kernel", "kernel": "f("}, "at_most": 0)")
            .starts_with(of_expectation + "cases/kernel: 'f(' is no extended regular expression"));
  CHECK(place(refused(R"("cases": {"probe": "shift"}, "at_most": 0)")) == "/expectations/0/cases/probe");
  CHECK(place(wrong(R"("cases": {"probe": "kernel"}, "at_most": 0)")) == "/expectations/0/cases/probe");
  CHECK(place(wrong(R"("device": "l2_bytes", "where": {"quantity": "time_seconds", "at_most": 1}, "at_most": 0)")) ==
        "/expectations/0/where");
  CHECK(place(refusal(R"({"schema_version": 1, "name": "n", "purpose": "p", "expectations": []})")) == "/expectations");
  CHECK(place(refusal(R"({"schema_version": 1, "name": "n", "purpose": "p", "options": {}, "expectations": []})")) ==
        "/options");
}

TEST_CASE("references: what auto decided differs from sweep to sweep, and is the same as asked for") {
  const Suite suite = parse(suite_of(R"([{"probe": "shift", "axes": {"op": "read", "shift": "0..1"}},
                                         {"probe": "shift", "axes": {"op": "read", "shift": "0..1", "shape": 4}}])",
                                     R"([{"name": "e", "cases": {"probe": "shift", "shape": "auto"},
                                          "relative_to": {"shape": 4}, "at_least": 1}])"));
  std::vector<report::Record> records;
  for (const PlannedSweep& sweep : suite.plan.sweeps) {
    for (Case tested : sweep.cases) {
      const bool chosen = tested.is_auto("shape");
      if (chosen) tested.set("shape", std::uint64_t{4});  // the very shape that the other sweep was given
      records.push_back(report::record_of(tested, Workload{}));
      if (chosen) records.back().chosen = {"shape"};
    }
  }
  const report::Expectation& e = suite.expectations.front();
  CHECK(report::selects(e.cases, records[0]));
  CHECK_FALSE(report::selects(e.cases, records[2]));
  CHECK(report::selects(*e.relative_to, records[2]));
  report::Expectation by_offset = e;
  by_offset.relative_to = report::Selection{.probes = {"shift"}, .parameters = {{{"shift_elements"}, {Value(0U)}}}};
  const report::References references(by_offset, records);
  REQUIRE(references.of(1).size() == 1);
  CHECK(references.of(1).front() == 0);
  REQUIRE(references.of(3).size() == 1);
  CHECK(references.of(3).front() == 2);
}

}  // namespace gpumem::app::test_suite_expectations
