// Suites: their probes, axes and options, and where they are found.

#include <string>
#include <vector>

#include "tests/app/suite/suites.hpp"
#include "tests/catch.hpp"
#include "tests/files.hpp"

namespace gpumem::app::test_suite {

using namespace suites;

namespace {

/// Returns the error of a suite with this one entry of `probes`.
std::string entry_refusal(const std::string& entry) { return refusal(suite_of("[" + entry + "]")); }

std::string options_refusal(const std::string& options) { return refusal(suite_of(two_probes, "[]", options)); }

std::vector<std::string> lines(const Plan& plan) {
  std::vector<std::string> all;
  for (const PlannedSweep& sweep : plan.sweeps) {
    for (const Case& tested : sweep.cases) all.push_back(to_string(tested));
  }
  return all;
}

}  // namespace

TEST_CASE("suite: probes run in their order with their axes") {
  const Suite suite = parse(suite_of(R"([
    {"probe": "skip", "axes": {"skip": [3, "5..6"], "op": ["write"]}},
    {"probe": "shift", "axes": {"shift": 7, "shape": 2}},
    {"probe": "shift", "axes": {"shift": "0"}}])"));
  CHECK(suite.name == "n");
  CHECK(suite.purpose == "p");
  CHECK(lines(suite.plan) ==
        Lines{"skip skip_elements=3 op=write width_elements=4", "skip skip_elements=5 op=write width_elements=4",
              "skip skip_elements=6 op=write width_elements=4", "shift shift_elements=7 op=copy shape=2",
              "shift shift_elements=0 op=copy shape=auto"});
}

TEST_CASE("suite: an axis that is left out has its defaults, not those of a quick look") {
  CHECK(parse(suite_of(R"([{"probe": "shift"}])")).plan.size() == 4);
}

TEST_CASE("suite: what an entry asks for goes before what the suite asks for") {
  const Suite suite = parse(suite_of(
      R"([{"probe": "shift", "options": {"time_budget": "50ms"}}, {"probe": "skip", "options": {"ci_width": "4%"}}])",
      "[]", R"({"ci_width": "2%", "time_budget": "100ms", "numa": "off", "counters": "require"})"));
  const Plan& plan = suite.plan;
  REQUIRE(plan.sweeps.size() == 2);
  CHECK(plan.sweeps[0].effort.ci_width == 0.02);
  CHECK(plan.sweeps[0].effort.time_budget == measure::Seconds(0.05));
  CHECK(plan.sweeps[1].effort.ci_width == 0.04);
  CHECK(plan.sweeps[1].effort.time_budget == measure::Seconds(0.1));
  REQUIRE(suite.options.numa.has_value());
  CHECK(suite.options.numa->text() == "off");
  CHECK(suite.options.counting == measure::Counting::required);
}

TEST_CASE("suite: the command line goes before a suite, and a suite before the defaults") {
  const Effort command_line{.ci_width = 0.1, .time_budget = {}};
  const Effort of_suite{.ci_width = 0.2, .time_budget = measure::Seconds(3)};
  CHECK(stopping_rule(command_line, of_suite).ci_width == 0.1);
  CHECK(stopping_rule(command_line, of_suite).time_budget == measure::Seconds(3));
  CHECK(stopping_rule({}).ci_width == measure::StoppingRule{}.ci_width);
  CHECK(stopping_rule({}, {}).time_budget == measure::StoppingRule{}.time_budget);
}

TEST_CASE("suite: options are absent where nobody asked") {
  const Suite suite = parse(suite_of(two_probes));
  CHECK_FALSE(suite.options.effort.ci_width.has_value());
  CHECK_FALSE(suite.options.effort.time_budget.has_value());
  CHECK_FALSE(suite.options.numa.has_value());
  CHECK_FALSE(suite.options.counting.has_value());
  CHECK_FALSE(suite.plan.sweeps.front().effort.ci_width.has_value());
  const auto counting = [](const char* value) {
    return parse(suite_of(two_probes, "[]", std::string(R"({"counters": )") + value + "}")).options.counting;
  };
  CHECK(counting("true") == measure::Counting::if_possible);
  CHECK(counting("false") == measure::Counting::off);
}

TEST_CASE_METHOD(Refusals, "suite: errors of the file name their place") {
  CHECK(place(refusal("{")).empty());
  CHECK(place(refusal("[]")) == "/");
  CHECK(place(refusal("{}")) == "/schema_version");
  CHECK(place(refusal(R"({"schema_version": 2})")) == "/schema_version");
  CHECK(place(refusal(R"({"schema_version": 1, "name": ""})")) == "/name");
  CHECK(place(refusal(R"({"schema_version": 1, "name": "n"})")) == "/purpose");
  CHECK(place(refusal(R"({"schema_version": 1, "name": "n", "purpose": "p"})")) == "/probes");
  CHECK(place(refusal(R"({"schema_version": 1, "name": "n", "purpose": "p", "probe": []})")) == "/probe");
  CHECK(place(refusal(suite_of("{}"))) == "/probes");
  CHECK(place(refusal(suite_of("[]"))) == "/probes");
  CHECK(place(refusal(suite_of("[7]"))) == "/probes/0");
  CHECK(place(refusal(suite_of(two_probes, "{}"))) == "/expectations");
}

TEST_CASE_METHOD(Refusals, "suite: errors of options name their place and what is expected") {
  CHECK(place(options_refusal("[]")) == "/options");
  CHECK(place(options_refusal(R"({"ci_with": "2%"})")) == "/options/ci_with");
  CHECK(place(options_refusal(R"({"ci_width": "2"})")) == "/options/ci_width");
  CHECK(place(options_refusal(R"({"ci_width": 0.02})")) == "/options/ci_width");
  CHECK(place(options_refusal(R"({"time_budget": "2"})")) == "/options/time_budget");
  CHECK(place(options_refusal(R"({"time_budget": null})")) == "/options/time_budget");
  CHECK(place(options_refusal(R"({"counters": "yes"})")) == "/options/counters");
  CHECK(place(options_refusal(R"({"counters": 1})")) == "/options/counters");
  const std::string numa = options_refusal(R"({"numa": "far"})");
  CHECK(numa.starts_with("s.json: /options/numa: 'far' "));
}

TEST_CASE_METHOD(Refusals, "suite: errors of an entry name their place and the nearest name") {
  CHECK(place(entry_refusal("{}")) == "/probes/0/probe");
  CHECK(place(entry_refusal(R"({"probe": "shfit"})")) == "/probes/0/probe");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axis": {}})")) == "/probes/0/axis");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shft": 1}})")) == "/probes/0/axes/shft");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"xyzzy": 1}})")) == "/probes/0/axes/xyzzy");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shift_elements": 1}})")) ==
        "/probes/0/axes/shift_elements");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"--shift": 1}})")) == "/probes/0/axes/--shift");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shift": "3..1"}})")) == "/probes/0/axes/shift");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"op": ["read", "rite"]}})")) == "/probes/0/axes/op/1");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shape": [1, "auto"]}})")) == "/probes/0/axes/shape");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"op": []}})")) == "/probes/0/axes/op");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"op": ""}})")) == "/probes/0/axes/op");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shift": true}})")) == "/probes/0/axes/shift");
  CHECK(place(entry_refusal(R"({"probe": "shift", "axes": {"shift": [[1]]}})")) == "/probes/0/axes/shift/0");
  for (const char* number : {"-1", "1.5", "1e3"}) {
    const std::string axes = std::string(R"({"shift": )") + number + "}";
    CHECK(place(entry_refusal(R"({"probe": "shift", "axes": )" + axes + "}")) == "/probes/0/axes/shift");
  }
  CHECK(place(entry_refusal(R"({"probe": "shift", "options": {"counters": true}})")) == "/probes/0/options/counters");
  CHECK(place(entry_refusal(R"({"probe": "shift", "options": {"time_budget": "soon"}})")) ==
        "/probes/0/options/time_budget");
  CHECK(place(entry_refusal(R"({"probe": "skip", "axes": {"skip": 13}})")) == "/probes/0");
}

TEST_CASE_METHOD(Refusals, "suite: more cases than a run takes are refused where they get too many") {
  const std::string many = R"({"probe": "skip", "axes": {"skip": "0..9999", "width": "0..5"}})";
  CHECK(place(entry_refusal(R"({"probe": "skip", "axes": {"skip": "0..9999", "width": "0..10"}})")) == "/probes/0");
  std::vector<Probe> lenient = registry;
  lenient[1].validate = {};
  CHECK(place(error_of([&] {
          static_cast<void>(parse_suite(suite_of("[" + many + "," + many + "]"), "s.json", lenient));
        })) == "/probes/1");
}

TEST_CASE("suite: a name or a path finds a suite, and the nearest name is offered") {
  CHECK(error_of([] { static_cast<void>(load_suite("smok", probes())); }) == "no suite 'smok'; did you mean 'smoke'?");
  CHECK(error_of([] { static_cast<void>(load_suite("xyzzy", probes())); }) ==
        "no suite 'xyzzy': there are best-practices, default, full, kernels, portrait, smoke, write-ups, or give the "
        "path of a "
        "suite file");
  CHECK(error_of([] { static_cast<void>(load_suite("./nowhere.json", probes())); }).find("nowhere.json") !=
        std::string::npos);
  const gpumem::test::TemporaryDirectory directory;
  const auto file = directory / "suite.json";
  gpumem::test::put(file, R"({"schema_version": 1, "name": "own", "purpose": "p", "probes": [{"probe": "bank"}]})");
  CHECK(load_suite(file.string(), probes()).name == "own");
}

TEST_CASE("suite: every shipped suite loads, plans and is named as its file is") {
  REQUIRE(suite_names().size() >= 4);
  for (const std::string& name : suite_names()) {
    CAPTURE(name);
    const Suite suite = load_suite(name, probes());
    CHECK(suite.name == name);
    const bool of_kernels = name == "kernels";
    CHECK((suite.plan.size() == 0) == of_kernels);
    CHECK(suite.expectations.size() >= (of_kernels ? 5 : 10));
    CHECK(suite.purpose.find('\n') == std::string::npos);
  }
}

}  // namespace gpumem::app::test_suite
