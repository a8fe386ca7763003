#include <map>
#include <random>
#include <string>
#include <vector>

#include "app/run/shape_choice.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_shape_choice {

using namespace gpumem::app::test;

namespace {

using Lines = std::vector<std::string>;

/// A probe with two shapes to choose and a size that `size` decides.
Probe shaped_probe() {
  Probe probe;
  probe.name = "shaped";
  probe.axes = {number_axis("shift", "0..2"), shape_axis("depth", {1, 2}), shape_axis("width", {10, 20}),
                shape_axis("bytes", {})};
  probe.baseline = std::uint64_t{0};
  probe.size = [](std::span<Case> sweep, const Device&) {
    for (Case& tested : sweep) {
      if (tested.is_auto("bytes")) tested.set("bytes", std::uint64_t{100} + sweep.size());
    }
  };
  return probe;
}

PlannedSweep sweep_of(const std::vector<Probe>& probes, const std::vector<GivenAxis>& given) {
  return make_plan(probes, {"shaped"}, given).sweeps.at(0);
}

/// Why the sweep cannot run; empty if it can.
std::string reason_of(const ShapeChoice& choice) { return choice.failure ? choice.failure->what() : ""; }

}  // namespace

TEST_CASE("choose: the fastest combination at the baseline is held for the whole sweep") {
  const std::vector<Probe> probes = {shaped_probe()};
  PlannedSweep sweep = sweep_of(probes, {});
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  backend.goodness = [](const Case& tested) {
    return tested.number("depth") == 2 && tested.number("width") == 10 ? 200.0 : 100.0;
  };
  const ShapeChoice choice = choose_shape(sweep, backend);
  CHECK(reason_of(choice).empty());
  CHECK(choice.chosen == Lines{"depth", "width", "bytes"});
  CHECK(log == Lines{"try shaped shift_elements=0 depth=1 width=10 bytes=103",
                     "try shaped shift_elements=0 depth=1 width=20 bytes=103",
                     "try shaped shift_elements=0 depth=2 width=10 bytes=103",
                     "try shaped shift_elements=0 depth=2 width=20 bytes=103"});
  REQUIRE(sweep.cases.size() == 3);
  CHECK(to_string(sweep.cases[2]) == "shaped shift_elements=2 depth=2 width=10 bytes=103");
}

TEST_CASE("choose: of texts that a user brings the first stands for a baseline that is not among them") {
  std::vector<Probe> probes = {shaped_probe()};
  probes[0].axes[0].texts = [](std::string_view text) { return Lines{std::string(text)}; };
  probes[0].baseline = "own";
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  PlannedSweep sweep = sweep_of(probes, {{"shift", {"a", "b"}}, {"width", {"7"}}});
  CHECK(reason_of(choose_shape(sweep, backend)).empty());
  REQUIRE(log.size() == 2);
  CHECK(log[0] == "try shaped shift_elements=a depth=1 width=7 bytes=102");
  sweep = sweep_of(probes, {{"shift", {"a", "own"}}, {"width", {"7"}}});
  CHECK(reason_of(choose_shape(sweep, backend)).empty());
  CHECK(log[2] == "try shaped shift_elements=own depth=1 width=7 bytes=102");
}

TEST_CASE("choose: within 1.5 % of the fastest the earlier candidate wins") {
  const std::vector<Probe> probes = {shaped_probe()};
  FakeBackend backend;
  for (const auto& [gain, depth] : {std::pair{1.014, 1U}, std::pair{1.017, 2U}}) {
    PlannedSweep sweep = sweep_of(probes, {{"width", {"7"}}});
    const double faster = gain;
    backend.goodness = [faster](const Case& tested) { return tested.number("depth") == 2 ? faster : 1.0; };
    CHECK(choose_shape(sweep, backend).chosen == Lines{"depth", "bytes"});
    CHECK(sweep.cases[0].number("depth") == depth);
    CHECK(sweep.cases[0].number("width") == 7);
  }
}

TEST_CASE("choose: what a disturbed look would have lost is looked at again") {
  const std::vector<Probe> probes = {shaped_probe()};
  FakeBackend backend;
  PlannedSweep sweep = sweep_of(probes, {{"width", {"7"}}});
  unsigned looks = 0;  // at the first shape, which is slow only at first
  backend.goodness = [&](const Case& tested) { return tested.number("depth") == 1 && looks++ == 0 ? 0.95 : 1.0; };
  CHECK(choose_shape(sweep, backend).chosen == Lines{"depth", "bytes"});
  CHECK(sweep.cases[0].number("depth") == 1);
  CHECK(looks == 2);
}

TEST_CASE("choose: the baseline is tried even if the sweep does not contain it") {
  const std::vector<Probe> probes = {shaped_probe()};
  PlannedSweep sweep = sweep_of(probes, {{"shift", {"5..6"}}, {"width", {"7"}}});
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  static_cast<void>(choose_shape(sweep, backend));
  CHECK(log.front() == "try shaped shift_elements=0 depth=1 width=7 bytes=102");
  CHECK(sweep.cases.size() == 2);
  CHECK(sweep.cases[0].number("shift_elements") == 5);
}

TEST_CASE("choose: nothing is tried when nothing is to choose, or one candidate only") {
  std::vector<Probe> probes = {shaped_probe()};
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  PlannedSweep decided = sweep_of(probes, {{"depth", {"1"}}, {"width", {"1"}}, {"bytes", {"1"}}});
  CHECK(choose_shape(decided, backend).chosen.empty());
  probes[0].axes[1].candidates = {8};
  PlannedSweep single = sweep_of(probes, {{"width", {"1"}}});
  CHECK(choose_shape(single, backend).chosen == Lines{"depth", "bytes"});
  CHECK(single.cases[0].number("depth") == 8);
  CHECK(log.empty());
}

TEST_CASE("choose: candidates that cannot run are passed over") {
  std::vector<Probe> probes = {shaped_probe()};
  probes[0].validate = [](const Case& tested) {
    if (!tested.is_auto("width") && tested.number("width") == 20) throw usage_error("too wide");
  };
  PlannedSweep sweep = sweep_of(probes, {});
  FakeBackend backend;
  backend.goodness = [](const Case& tested) -> double {
    if (tested.number("depth") == 1) throw probe_error("too shallow");
    return 1;
  };
  CHECK(reason_of(choose_shape(sweep, backend)).empty());
  CHECK(to_string(sweep.cases[0]) == "shaped shift_elements=0 depth=2 width=10 bytes=103");
}

TEST_CASE("choose: when no candidate runs the sweep fails with the first reason") {
  const std::vector<Probe> probes = {shaped_probe()};
  PlannedSweep sweep = sweep_of(probes, {});
  FakeBackend backend;
  backend.goodness = [](const Case& tested) -> double {
    throw probe_error("depth " + to_string(tested.value("depth")));
  };
  CHECK(reason_of(choose_shape(sweep, backend)) == "depth 1");
}

TEST_CASE("choose: the baseline may be one of the alternatives, and one choice holds for all of them") {
  std::vector<Probe> probes = {shaped_probe()};
  probes[0].axes.push_back({.flag = "means",
                            .parameter = "means",
                            .purpose = "a name",
                            .defaults = "lorry,cart",
                            .names = {"cart", "lorry"}});
  probes[0].compared = "means";
  probes[0].baseline = std::string("cart");
  const Plan plan = make_plan(probes, {"shaped"}, {{"shift", {"5..6"}}, {"width", {"7"}}});
  REQUIRE(plan.sweeps.size() == 1);
  PlannedSweep sweep = plan.sweeps[0];
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  CHECK_FALSE(choose_shape(sweep, backend).failure);
  CHECK(log == Lines{"try shaped shift_elements=5 depth=1 width=7 bytes=104 means=cart",
                     "try shaped shift_elements=5 depth=2 width=7 bytes=104 means=cart"});
  REQUIRE(sweep.cases.size() == 4);
  CHECK(to_string(sweep.cases[1]) == "shaped shift_elements=6 depth=1 width=7 bytes=104 means=lorry");
  CHECK(to_string(sweep.cases[3]) == "shaped shift_elements=6 depth=1 width=7 bytes=104 means=cart");
}

TEST_CASE("choose: what the GPU lacks is the sweep's reason, and remains what it is") {
  const std::vector<Probe> probes = {shaped_probe()};
  PlannedSweep sweep = sweep_of(probes, {});
  FakeBackend backend;
  backend.goodness = [](const Case&) -> double { throw missing_capability_error("no such engine"); };
  const ShapeChoice choice = choose_shape(sweep, backend);
  CHECK(reason_of(choice) == "no such engine");
  CHECK((choice.failure->kind() == ErrorKind::missing_capability));
}

TEST_CASE("choose: a sweep that cannot be sized fails, what concerns the whole run is thrown") {
  std::vector<Probe> probes = {shaped_probe()};
  FakeBackend backend;
  probes[0].size = [](std::span<Case>, const Device&) { throw probe_error("no room"); };
  PlannedSweep sweep = sweep_of(probes, {});
  CHECK(reason_of(choose_shape(sweep, backend)) == "no room");
  probes[0].size = {};
  probes[0].axes.pop_back();
  PlannedSweep other = sweep_of(probes, {});
  backend.goodness = [](const Case&) -> double { throw no_gpu_error("gone"); };
  CHECK(error_of([&] { static_cast<void>(choose_shape(other, backend)); }, ErrorKind::no_gpu) == "gone");
  CHECK_THROWS_AS(choose_shape(other, backend, [](const Case&) { throw Interrupted{}; }), Interrupted);
}

TEST_CASE("choose: estimates save trials, and change nothing of what is chosen") {
  const std::vector<Probe> probes = {shaped_probe()};
  std::mt19937 random(5);
  std::uniform_real_distribution<double> good(95, 105);
  std::uniform_real_distribution<double> off(1, 1 + Backend::estimate_error);
  std::uniform_real_distribution<double> in_common(0.8, 1.2);
  std::size_t trials = 0;
  constexpr int times = 300;
  for (int time = 0; time < times; ++time) {
    std::map<std::string, double> goodness;
    const auto of = [&](const Case& tested) {
      return goodness.try_emplace(to_string(tested), time % 3 == 0 ? 100 * good(random) : good(random)).first->second;
    };
    PlannedSweep plain = sweep_of(probes, {});
    FakeBackend without;
    without.goodness = of;
    CHECK(reason_of(choose_shape(plain, without)).empty());
    PlannedSweep sweep = sweep_of(probes, {});
    FakeBackend backend;
    Lines log;
    backend.log = &log;
    backend.goodness = of;
    backend.estimated = [&](const std::vector<Case>& shapes) {
      std::vector<std::optional<double>> estimates;
      const double factor = in_common(random);
      for (const Case& shape : shapes) estimates.emplace_back(of(shape) * off(random) * factor);
      if (time % 7 == 0) estimates.back().reset();  // whoever knows nothing of a shape has to try it
      return estimates;
    };
    CHECK(reason_of(choose_shape(sweep, backend)).empty());
    CHECK(to_string(sweep.cases[2]) == to_string(plain.cases[2]));
    trials += log.size();
  }
  CHECK(trials < 4 * times);
}

TEST_CASE("choose: of shapes that are far apart only the best is tried, and none of those that cannot run") {
  const std::vector<Probe> probes = {shaped_probe()};
  PlannedSweep sweep = sweep_of(probes, {});
  FakeBackend backend;
  Lines log;
  backend.log = &log;
  backend.goodness = [](const Case& tested) { return static_cast<double>(tested.number("width")); };
  backend.estimated = [](const std::vector<Case>& shapes) {
    std::vector<std::optional<double>> estimates;
    for (const Case& shape : shapes) estimates.emplace_back(static_cast<double>(shape.number("width")));
    estimates[1] = 12;  // though it is 20
    return estimates;
  };
  CHECK(reason_of(choose_shape(sweep, backend)).empty());
  CHECK(log == Lines{"try shaped shift_elements=0 depth=2 width=20 bytes=103"});
  PlannedSweep refused = sweep_of(probes, {});
  backend.goodness = [](const Case& tested) -> double {
    if (tested.number("depth") == 2) throw probe_error("no room");
    return 10;
  };
  CHECK(reason_of(choose_shape(refused, backend)).empty());
  CHECK(refused.cases[0].number("depth") == 1);
  backend.goodness = [](const Case&) -> double { throw probe_error("no room at all"); };
  PlannedSweep none = sweep_of(probes, {});
  CHECK(reason_of(choose_shape(none, backend)) == "no room at all");
}

}  // namespace gpumem::app::test_shape_choice
