#include <algorithm>
#include <string>
#include <vector>

#include "app/run/plan.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"
#include "tests/report/golden.hpp"

namespace gpumem::app::test_plan {

using namespace gpumem::app::test;

namespace {

class Refusals : public report::Sentences {
 public:
  Refusals() : Sentences("refused_plans.txt") {}
};

const std::vector<Probe> registry = fake_probes();
const std::vector<Probe> alternatives = fake_probes_and_alternatives();

/// One line per case, sweeps separated by "--".
std::vector<std::string> planned(const std::vector<std::string>& names, const std::vector<GivenAxis>& given,
                                 const std::vector<Probe>& probes = registry) {
  std::vector<std::string> lines;
  for (const PlannedSweep& sweep : make_plan(probes, names, given).sweeps) {
    if (!lines.empty()) lines.emplace_back("--");
    for (const Case& tested : sweep.cases) lines.push_back(to_string(tested));
  }
  return lines;
}

std::string refusal(const std::vector<std::string>& names, const std::vector<GivenAxis>& given,
                    const std::vector<Probe>& probes = registry) {
  return error_of([&] { static_cast<void>(make_plan(probes, names, given)); });
}

using Lines = std::vector<std::string>;

}  // namespace

TEST_CASE("plan: a named probe runs with its defaults") {
  CHECK(planned({"skip"}, {}) ==
        Lines{"skip skip_elements=1 op=copy width_elements=4", "skip skip_elements=2 op=copy width_elements=4"});
}

TEST_CASE("plan: named probes run in the order named, each once") {
  const Plan plan = make_plan(registry, {"skip", "shift", "skip"}, {});
  REQUIRE(plan.sweeps.size() == 2);
  CHECK(plan.sweeps[0].probe->name == "skip");
  CHECK(plan.sweeps[1].probe->name == "shift");
  CHECK(plan.size() == 6);
}

TEST_CASE("plan: the flag of a first axis selects its probe") {
  CHECK(planned({}, {{"shift", {"7,5"}}}) ==
        Lines{"shift shift_elements=7 op=copy shape=auto", "shift shift_elements=5 op=copy shape=auto"});
  CHECK(make_plan(registry, {}, {{"shift", {"1"}}, {"skip", {"1"}}}).sweeps.size() == 2);
}

TEST_CASE("plan: the first axis varies fastest, the others in declared order with the first of them slowest") {
  CHECK(planned({}, {{"width", {"4,8"}}, {"skip", {"1,2"}}, {"op", {"write,read"}}}) ==
        Lines{"skip skip_elements=1 op=write width_elements=4", "skip skip_elements=2 op=write width_elements=4", "--",
              "skip skip_elements=1 op=write width_elements=8", "skip skip_elements=2 op=write width_elements=8", "--",
              "skip skip_elements=1 op=read width_elements=4", "skip skip_elements=2 op=read width_elements=4", "--",
              "skip skip_elements=1 op=read width_elements=8", "skip skip_elements=2 op=read width_elements=8"});
}

TEST_CASE("plan: without names or first axes the quick default set runs") {
  CHECK(planned({}, {}) ==
        Lines{"shift shift_elements=0 op=copy shape=auto", "shift shift_elements=3 op=copy shape=auto", "--",
              "skip skip_elements=1 op=copy width_elements=4", "skip skip_elements=2 op=copy width_elements=4"});
}

TEST_CASE("plan: another axis alone restricts the quick default set to the probes that have it") {
  CHECK(planned({}, {{"width", {"8"}}}) ==
        Lines{"skip skip_elements=1 op=copy width_elements=8", "skip skip_elements=2 op=copy width_elements=8"});
  CHECK(make_plan(registry, {}, {{"op", {"read"}}}).size() == 4);
  CHECK(make_plan(registry, {}, {{"op", {"read"}}}).sweeps[0].effort.time_budget == measure::Seconds(0.25));
  CHECK_FALSE(make_plan(registry, {"skip"}, {}).sweeps[0].effort.time_budget.has_value());
  CHECK(refusal({}, {{"width", {"8"}}, {"shape", {"1"}}}) ==
        "no probe has all of the axes given; --width is an axis of: skip");
}

TEST_CASE_METHOD(Refusals,
                 "plan: the quick default set leaves out probes that do not take the values, unless none does") {
  std::vector<Probe> probes = fake_probes();
  probes[1].axes[1].names = {"read"};
  probes[1].axes[1].defaults = "read";
  CHECK(planned({}, {{"op", {"write"}}}, probes) ==
        Lines{"shift shift_elements=0 op=write shape=auto", "shift shift_elements=3 op=write shape=auto"});
  CHECK(make_plan(probes, {}, {{"op", {"read"}}}).sweeps.size() == 2);
  CHECK(head(refusal({}, {{"op", {"fly"}}}, probes)) == "--op");
  probes[0].axes[1].names = {"read", "copy"};
  probes[0].axes[1].defaults = "copy";
  probes[1].axes[1].names = {"read", "write"};
  CHECK(head(refusal({}, {{"op", {"rite"}}}, probes)) == "--op");
  probes[1].axes[1].names = {"read"};
  CHECK(head(refusal({"skip"}, {{"op", {"write"}}}, probes)) == "--op");
}

TEST_CASE_METHOD(Refusals,
                 "plan: a probe that runs on request runs where its name or an axis that selects it is given") {
  std::vector<Probe> probes = fake_probes_and_alternatives();
  for (Probe& probe : probes) probe.on_request = probe.name != "shift";
  const auto names = [&](const std::vector<std::string>& named, const std::vector<GivenAxis>& given) {
    Lines all;
    for (const PlannedSweep& sweep : make_plan(probes, named, given).sweeps) {
      if (all.empty() || all.back() != sweep.probe->name) all.push_back(sweep.probe->name);
    }
    return all;
  };
  CHECK(names({}, {}) == Lines{"shift"});
  CHECK(names({}, {{"op", {"read"}}}) == Lines{"shift"});
  CHECK(names({"skip"}, {}) == Lines{"skip"});
  CHECK(names({"shift", "skip"}, {}) == Lines{"shift", "skip"});
  CHECK(names({}, {{"skip", {"1"}}}) == Lines{"skip"});
  CHECK(names({}, {{"skip", {"1"}}, {"op", {"read"}}}) == Lines{"skip"});
  CHECK(names({}, {{"carry", {""}}}) == Lines{"carry"});  // the axis that it compares
  CHECK(names({}, {{"load", {"1"}}}) == Lines{"carry"});
  // An axis that does not select it does not make it run.
  CHECK(refusal({}, {{"width", {"8"}}}, probes) ==
        "no probe has all of the axes given; --width is an axis of: skip, carry");
  CHECK(head(refusal({}, {{"op", {"fly"}}}, probes)) == "--op");
}

TEST_CASE("plan: patterns run on request") {
  const auto planned_probes = [](const std::vector<std::string>& named, const std::vector<GivenAxis>& given) {
    Lines all;
    for (const PlannedSweep& sweep : make_plan(probes(), named, given).sweeps) {
      if (all.empty() || all.back() != sweep.probe->name) all.push_back(sweep.probe->name);
    }
    return all;
  };
  const auto has_pattern = [](const Lines& lines) { return std::ranges::find(lines, "pattern") != lines.end(); };
  CHECK_FALSE(has_pattern(planned_probes({}, {})));
  CHECK_FALSE(has_pattern(planned_probes({}, {{"op", {"read"}}})));
  CHECK(planned_probes({"pattern"}, {}) == Lines{"pattern"});
  CHECK(planned_probes({}, {{"pattern", {"i * {1..3}"}}, {"active", {"lane < 8"}}}) == Lines{"pattern"});
  CHECK(make_plan(probes(), {}, {{"pattern", {"i * {1..3}"}}}).size() == 3);
  CHECK_THAT(refusal({}, {{"active", {"lane < 8"}}}, probes()),
             Catch::Matchers::EndsWith("--active is an axis of: pattern, shared-pattern"));
}

TEST_CASE("plan: a space or an axis of its own chooses the variant of a probe") {
  const auto planned = [](const std::vector<std::string>& named, const std::vector<GivenAxis>& given) {
    Lines all;
    for (const PlannedSweep& sweep : make_plan(probes(), named, given).sweeps) {
      if (all.empty() || all.back() != sweep.probe->name) all.push_back(sweep.probe->name);
    }
    return all;
  };
  const GivenAxis pattern{"pattern", {"i"}};
  const GivenAxis shared{"space", {"shared"}};
  CHECK(planned({}, {pattern, shared}) == Lines{"shared-pattern"});
  CHECK(planned({"pattern"}, {shared}) == Lines{"shared-pattern"});
  CHECK(planned({}, {pattern, {"rows", {"8"}}}) == Lines{"shared-pattern"});
  CHECK(planned({}, {pattern, {"swizzle", {"3,0,5"}}, shared}) == Lines{"shared-pattern"});
  CHECK(planned({}, {{"swizzle", {"3,0,5"}}}) == Lines{"shared-pattern"});
  CHECK(planned({}, {pattern, {"op", {"ldmatrix"}}, shared}) == Lines{"shared-pattern"});
  CHECK(planned({}, {pattern}) == Lines{"pattern"});
  CHECK(planned({}, {pattern, {"space", {"global"}}}) == Lines{"pattern"});
  CHECK(planned({"pattern"}, {}) == Lines{"pattern"});
  CHECK_THAT(refusal({}, {pattern, shared, {"buffer", {"1MiB"}}}, probes()),
             Catch::Matchers::StartsWith("--buffer is not an axis of shared-pattern, but of"));
  CHECK(refusal({"pattern"}, {{"space", {"global"}}, {"pad", {"1"}}}, probes()) ==
        "--pad is not an axis of pattern, but of: shared-pattern");
  CHECK(planned({}, {{"offset", {"1"}}, pattern, shared}) == Lines{"offset", "shared-pattern"});
  const GivenAxis indices{"indices", {"0,1"}};
  CHECK(planned({}, {indices, shared}) == Lines{"shared-indices"});
  CHECK(planned({"indices"}, {shared}) == Lines{"shared-indices"});
  CHECK(planned({}, {indices, {"swizzle", {"3,0,5"}}}) == Lines{"shared-indices"});
  CHECK(planned({}, {indices, {"op", {"ldmatrix"}}}) == Lines{"shared-indices"});
  CHECK(planned({}, {indices, {"space", {"global"}}}) == Lines{"indices"});
  CHECK(planned({}, {indices, {"op", {"read"}}}) == Lines{"indices"});
  CHECK(refusal({}, {indices, shared, {"delta", {"8"}}}, probes()) ==
        "--delta is not an axis of shared-indices, but of: indices");
}

TEST_CASE("plan: a name that no variant of a probe takes is refused with those that any of them does") {
  const GivenAxis pattern{"pattern", {"i"}};
  const GivenAxis misspelt{"space", {"shard"}};
  CHECK(refusal({}, {pattern, misspelt}, probes()) ==
        "--space: 'shard' is not one of global, shared; did you mean 'shared'?");
  CHECK(refusal({}, {{"indices", {"0,1"}}, misspelt}, probes()) ==
        "--space: 'shard' is not one of global, shared; did you mean 'shared'?");
  CHECK_THAT(refusal({}, {pattern, {"op", {"ldmatrx"}}}, probes()),
             Catch::Matchers::EndsWith("did you mean 'ldmatrix'?"));
  CHECK_THAT(refusal({}, {pattern, {"op", {"ldmatrx"}}, {"space", {"global"}}}, probes()),
             Catch::Matchers::StartsWith("--op: 'ldmatrx' is not one of read, write, copy"));
  CHECK(refusal({}, {pattern, {"buffer", {"1MiB"}}, misspelt}, probes()) ==
        "--space: 'shard' is not one of global");  // the variant has no buffer
  CHECK_THAT(
      refusal({}, {pattern, {"space", {"global,shared"}}}, probes()),
      Catch::Matchers::StartsWith("--space: 'global,shared' has names of several probes, and only global are of "));
}

TEST_CASE("plan: an axis applies to the selected probes that have it, and to one at least") {
  const Plan plan = make_plan(registry, {"shift", "skip"}, {{"width", {"8"}}});
  CHECK(plan.sweeps.back().cases.front().number("width_elements") == 8);
  CHECK(refusal({"shift"}, {{"width", {"8"}}}) == "--width is not an axis of shift, but of: skip");
  CHECK(refusal({}, {{"shift", {"1"}}, {"width", {"8"}}}) == "--width is not an axis of shift, but of: skip");
}

TEST_CASE("plan: an unknown probe is named with the nearest, or with all") {
  CHECK(refusal({"shfit"}, {}) == "unknown probe 'shfit'; did you mean 'shift'?");
  CHECK(refusal({"xyzzy"}, {}) == "unknown probe 'xyzzy'; there are: shift, skip");
}

TEST_CASE_METHOD(Refusals, "plan: bad values are refused before anything else") {
  CHECK(head(refusal({}, {{"shift", {"3..1"}}})) == "--shift");
}

TEST_CASE("plan: more cases than a run takes are refused without making them") {
  CHECK(
      refusal({}, {{"skip", {"0..9999"}}, {"width", {"0..9999"}}}) ==
      "the axes multiply to more than the 100000 cases one run takes; give fewer values, such as --skip 0..9999:1000");
  CHECK(make_plan(registry, {}, {{"skip", {"0..9999"}}, {"width", {"0..9"}}}).size() == 100'000);
}

TEST_CASE("plan: a probe refuses values that do not go together") {
  std::vector<Probe> probes = fake_probes();
  probes[1].validate = [](const Case& tested) {
    if (tested.number("skip_elements") > tested.number("width_elements"))
      throw usage_error("skips more than it is wide");
  };
  CHECK(refusal({"skip"}, {}, probes) == "nothing thrown");
  CHECK(refusal({"skip"}, {{"width", {"1"}}}, probes) == "skips more than it is wide");
}

TEST_CASE("plan: of values that do not go together on a device those that nobody asked for are left out") {
  std::vector<Probe> probes = fake_probes_and_alternatives();
  probes[2].fits = [](const Case& tested, const Device& device) {
    const std::uint64_t most = tested.name("means") == "lorry" ? 1 : 4;
    return tested.number("load_elements") <= std::min<std::uint64_t>(most, device.multiprocessors);
  };
  const auto left = [&](const std::vector<GivenAxis>& given, unsigned multiprocessors = 8) {
    Plan plan = make_plan(probes, {"carry"}, given);
    Device device;
    device.multiprocessors = multiprocessors;
    leave_out_unfit(plan.sweeps.at(0), device);
    Lines lines;
    for (const Case& tested : plan.sweeps.front().cases) {
      lines.push_back(tested.name("means") + " " + to_string(tested.value("load_elements")));
    }
    return lines;
  };
  CHECK(left({}) == Lines{"cart 1", "cart 2", "lorry 1"});
  CHECK(left({{"carry", {""}}}) == Lines{"cart 1", "cart 2", "lorry 1"});
  CHECK(left({}, 1) == Lines{"cart 1", "lorry 1"});
  CHECK(left({{"load", {"1,2"}}}) == Lines{"cart 1", "cart 2", "lorry 1"});
  CHECK(left({{"load", {"2,5"}}}) == Lines{"cart 2", "cart 5", "lorry 5"});  // 5 was asked for, and nothing carries it
  CHECK(left({{"carry", {"lorry"}}}) == Lines{"lorry 1"});
  CHECK(left({{"carry", {"lorry"}}, {"load", {"1,2"}}}) == Lines{"lorry 1", "lorry 2"});
  CHECK(left({}, 0) == Lines{"cart 1", "cart 2", "lorry 1", "lorry 2"});
}

namespace {

/// Pairs of places, of which a device has as many as multiprocessors.
Probe pairs_probe() {
  const auto all = [](const Device& device) {
    std::vector<Value> values;
    for (std::uint64_t i = 0; i < device.multiprocessors; ++i) values.emplace_back(i);
    return values;
  };
  Probe probe;
  probe.name = "pairs";
  probe.axes = {{.flag = "from", .parameter = "from", .purpose = "", .defaults = "all", .maximum = 9, .all = all},
                {.flag = "to", .parameter = "to", .purpose = "", .defaults = "all", .maximum = 9, .all = all},
                {.flag = "twice",
                 .parameter = "twice",
                 .purpose = "",
                 .defaults = "no",
                 .names = {"no", "yes"},
                 .value_optional = true,
                 .alone = "no,yes"}};
  probe.across = "to";
  probe.baseline = std::uint64_t{0};
  probe.fits = [](const Case& tested, const Device& device) {
    return tested.number("from") != tested.number("to") &&
           std::max(tested.number("from"), tested.number("to")) < device.multiprocessors;
  };
  return probe;
}

Lines pairs_left(const std::vector<GivenAxis>& given, unsigned places = 3) {
  static const std::vector<Probe> probes = {pairs_probe()};
  Device device;
  device.multiprocessors = places;
  Lines lines;
  for (const PlannedSweep& sweep : fitted(make_plan(probes, {"pairs"}, given), device).sweeps) {
    for (const Case& tested : sweep.cases) {
      lines.push_back(to_string(tested.value("from")) + " " + to_string(tested.value("to")) +
                      (tested.name("twice") == "yes" ? " twice" : ""));
    }
  }
  return lines;
}

}  // namespace

TEST_CASE("plan: all stands for what the device has, and a matrix has empty places") {
  CHECK(pairs_left({}) == Lines{"0 1", "0 2", "1 0", "1 2", "2 0", "2 1"});
  CHECK(pairs_left({{"from", {"all"}}}, 2) == Lines{"0 1", "1 0"});
  CHECK(pairs_left({{"from", {"1"}}}) == Lines{"1 0", "1 2"});
  CHECK(pairs_left({{"from", {"0,1"}}, {"to", {"0,1"}}}) == Lines{"1 0", "0 1"});
  // A pair that does not fit stays if there is no other; when it runs, it says why it cannot.
  CHECK(pairs_left({{"from", {"1"}}, {"to", {"1"}}}) == Lines{"1 1"});
  CHECK(pairs_left({{"from", {"7"}}}, 2) == Lines{"7 0", "7 1"});
  CHECK(pairs_left({}, 1) == Lines{"0 0"});
}

TEST_CASE("plan: the axis across selects its probe, and a flag alone means what it says") {
  const std::vector<Probe> probes = {pairs_probe()};
  CHECK(make_plan(probes, {}, {{"to", {"1"}}}).size() == 1);
  CHECK(pairs_left({{"twice", {""}}}, 2) == Lines{"0 1", "1 0", "0 1 twice", "1 0 twice"});
}

TEST_CASE("plan: the flag of the compared axis selects its probe too, and alone means its defaults") {
  const Lines defaults = {"carry load_elements=1 shift_elements=0 means=cart width_elements=4",
                          "carry load_elements=2 shift_elements=0 means=cart width_elements=4",
                          "carry load_elements=1 shift_elements=0 means=lorry width_elements=4",
                          "carry load_elements=2 shift_elements=0 means=lorry width_elements=4"};
  CHECK(planned({}, {{"carry", {""}}}, alternatives) == defaults);
  CHECK(planned({}, {{"carry", {"cart,lorry"}}}, alternatives) == defaults);
  CHECK(planned({}, {{"carry", {"cart", ""}}}, alternatives) == defaults);
  CHECK(planned({}, {{"load", {"1..2"}}}, alternatives) == defaults);
  CHECK(planned({}, {{"carry", {"barge"}}, {"load", {"7"}}}, alternatives) ==
        Lines{"carry load_elements=7 shift_elements=0 means=barge width_elements=4"});
}

TEST_CASE("plan: the alternatives of a table follow each other, the axes that tell tables apart vary around them") {
  CHECK(planned({}, {{"carry", {""}}, {"shift", {"5,6"}}, {"width", {"8,9"}}, {"load", {"1"}}}, alternatives) ==
        Lines{"carry load_elements=1 shift_elements=5 means=cart width_elements=8",
              "carry load_elements=1 shift_elements=5 means=lorry width_elements=8", "--",
              "carry load_elements=1 shift_elements=5 means=cart width_elements=9",
              "carry load_elements=1 shift_elements=5 means=lorry width_elements=9", "--",
              "carry load_elements=1 shift_elements=6 means=cart width_elements=8",
              "carry load_elements=1 shift_elements=6 means=lorry width_elements=8", "--",
              "carry load_elements=1 shift_elements=6 means=cart width_elements=9",
              "carry load_elements=1 shift_elements=6 means=lorry width_elements=9"});
}

TEST_CASE("plan: of the probes that flags select those that have all of them run alone") {
  const auto names = [](const std::vector<GivenAxis>& given) {
    Lines selected;
    for (const PlannedSweep& sweep : make_plan(alternatives, {}, given).sweeps) selected.push_back(sweep.probe->name);
    return selected;
  };
  CHECK(names({{"carry", {""}}, {"shift", {"3"}}}) == Lines{"carry"});
  CHECK(names({{"shift", {"3"}}, {"load", {"3"}}}) == Lines{"carry"});
  CHECK(names({{"shift", {"3"}}}) == Lines{"shift"});  // carry has that axis as well, but it is not what it sweeps
  CHECK(names({{"shift", {"3"}}, {"skip", {"3"}}}) == Lines{"shift", "skip"});
  CHECK(names({{"shift", {"3"}}, {"op", {"read"}}}) == Lines{"shift"});
  CHECK(names({{"carry", {""}}, {"shift", {"3"}}, {"op", {"read"}}}) == Lines{"shift", "carry"});  // neither has all
}

TEST_CASE_METHOD(Refusals, "plan: a probe's name after a flag that may stand alone is taken for what it probably is") {
  CHECK(head(refusal({}, {{"carry", {"skip"}}}, alternatives)) == "--carry");
  CHECK(head(refusal({}, {{"carry", {"shift"}}}, alternatives)) == "--carry");
  CHECK(head(refusal({"skip"}, {{"carry", {"carry"}}}, alternatives)) == "--carry");
  CHECK(head(refusal({}, {{"carry", {"cat"}}}, alternatives)) == "--carry");
}

TEST_CASE("plan: every registered probe has valid defaults, a valid quick set and a valid baseline") {
  REQUIRE_FALSE(probes().empty());
  for (const Probe& probe : probes()) {
    CAPTURE(probe.name);
    REQUIRE_FALSE(probe.axes.empty());
    CHECK(make_plan(probes(), {probe.name}, {}).size() > 0);
    const Axis* axis = probe.find_axis(probe.baseline_parameter());
    REQUIRE(axis != nullptr);
    CHECK(make_plan(probes(), {}, {{axis->flag, {to_string(probe.baseline)}}}).size() > 0);
  }
  CHECK(make_plan(probes(), {}, {}).sweeps.size() >= probes().size());
}

TEST_CASE("plan: the flags of a registered probe's first axis and of its compared one select that probe alone") {
  for (const Probe& probe : probes()) {
    CAPTURE(probe.name);
    for (const std::string& parameter : {probe.axes.front().parameter, probe.compared}) {
      const Axis* axis = probe.find_axis(parameter);
      // The first axis of a variant selects the probe in whose place it runs.
      if (axis == nullptr || !probe.is_selected_by(axis->flag)) continue;
      const std::string value = axis->value_optional ? "" : axis->defaults;
      const Plan plan = make_plan(probes(), {}, {{axis->flag, {value}}});
      for (const PlannedSweep& sweep : plan.sweeps) CHECK(sweep.probe->name == probe.name);
    }
  }
}

}  // namespace gpumem::app::test_plan
