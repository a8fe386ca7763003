// The roofline: what a case computes and moves, and where the ridge is said to be.

#include <cmath>

#include "engine/model/arithmetic.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_roofline {

namespace {

Case roofline_case(std::uint64_t steps, const std::string& type = "float") {
  return test::any_case("roofline", {{"fma_per_word", steps}, {"type", type}});
}

Outcome reading(std::uint64_t steps, double gflop_per_s, double gb_per_s) {
  return {.tested = roofline_case(steps), .headline = gflop_per_s, .bytes_per_s = gb_per_s * 1e9};
}

}  // namespace

TEST_CASE("arithmetic: the peak of an H200 is that of its data sheet", "[arithmetic]") {
  const Device h200 = model::load_profile("h200").device;
  CHECK(*peak_flops_per_s(h200, false) == Approx(66.9e12).epsilon(0.01));
  CHECK(*peak_flops_per_s(h200, true) == Approx(33.5e12).epsilon(0.01));
  Device unknown = h200;
  unknown.compute_capability = "99.0";
  CHECK_FALSE(peak_flops_per_s(unknown, false));
}

TEST_CASE("roofline: twice as many multiply-adds are twice the flops on the same bytes", "[roofline]") {
  const Device device = test::some_device();
  const Workload few = roofline_case(4).probe->describe(roofline_case(4), device);
  const Workload many = roofline_case(8).probe->describe(roofline_case(8), device);
  CHECK(*many.useful_flops == 2 * *few.useful_flops);
  CHECK(many.useful_bytes() == few.useful_bytes());
  CHECK(*few.useful_flops == 2 * few.useful_bytes());  // eight flops on four bytes
  CHECK(few.kernel != many.kernel);
  const Workload doubles = roofline_case(4, "double").probe->describe(roofline_case(4, "double"), device);
  CHECK(*doubles.useful_flops * 2 == *few.useful_flops);
  CHECK(doubles.double_precision);
  const access::Site& site = few.sites.front();
  CHECK(site.requests * access::warp_lanes * site.word_bytes == few.useful_bytes());
  CHECK(site.request(1).address[0] == 512);
}

TEST_CASE("roofline: memory limits few operations, arithmetic many", "[roofline]") {
  const model::Profile h200 = model::load_profile("h200");
  const auto predicted = [&](std::uint64_t steps, const std::string& type) {
    const Case tested = roofline_case(steps, type);
    return model::predict(tested.probe->describe(tested, h200.device), h200);
  };
  CHECK(predicted(1, "float").bottleneck == "dram");
  CHECK(predicted(512, "float").bottleneck == "fp32");
  CHECK(predicted(512, "double").bottleneck == "fp64");
  CHECK(predicted(512, "float").seconds == Approx(2 * predicted(256, "float").seconds).epsilon(0.02));
}

TEST_CASE("roofline: the ridge is where the slope meets the roof", "[roofline]") {
  const std::vector<Outcome> outcomes = {reading(1, 2250, 4500), reading(64, 60'000, 1875)};
  const Conclusion conclusion = test::conclusion(outcomes);
  REQUIRE(conclusion.quantities.size() == 1);
  CHECK(conclusion.quantities.front().value == Approx(13.33).epsilon(0.001));
  CHECK(test::advice(outcomes) ==
        "In float the ridge is at 13.3 flop per byte: a kernel with less gains from moving fewer bytes, one with more "
        "from fewer operations. The slope of memory, 4500 GB/s, meets the roof of arithmetic, 60.0 TFLOP/s, at the "
        "ridge.");
  REQUIRE(conclusion.facts.size() == 2);
  for (const Fact& fact : conclusion.facts) {
    CHECK(fact.kind == FactKind::limit);
    CHECK(fact.outcomes == std::vector<std::size_t>{0, 1});
  }
  CHECK(std::get<double>(conclusion.facts[1].values[0].items[0]) == Approx(4500));
  CHECK(test::conclusion({reading(1, 2250, 4500), reading(2, 4500, 4500)}).facts.empty());
}

}  // namespace gpumem::test_roofline
