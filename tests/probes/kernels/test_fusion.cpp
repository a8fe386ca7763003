// GeLU in one kernel or in nine: what is declared, what is predicted, and what is concluded.

#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_fusion {

namespace {

constexpr std::uint64_t mib = 1024 * 1024;

Case fusion_case(const char* fusion, std::uint64_t bytes, const char* type = "float") {
  return test::any_case("fusion",
                        {{"fusion", std::string(fusion)}, {"size_bytes", bytes}, {"type", std::string(type)}});
}

Workload workload_of(const Case& tested) { return tested.probe->describe(tested, test::some_device()); }

Outcome reading(const char* fusion, std::uint64_t bytes, double seconds, double moved, const char* type = "float") {
  return {.tested = fusion_case(fusion, bytes, type),
          .headline = 2e-9 * static_cast<double>(bytes) / seconds,
          .seconds = seconds,
          .metrics = {{"moved_over_useful", moved}}};
}

}  // namespace

TEST_CASE("fusion: nine kernels read twelve arrays and write nine, one reads and writes one", "[fusion]") {
  const Workload separate = workload_of(fusion_case("separate", 512 * mib));
  const Workload fused = workload_of(fusion_case("fused", 512 * mib));
  const std::uint64_t requests = 512 * mib / 512;
  REQUIRE(separate.sites.size() == 2);
  REQUIRE(fused.sites.size() == 2);
  CHECK(separate.sites[0].requests == 12 * requests);
  CHECK(separate.sites[1].requests == 9 * requests);
  CHECK(fused.sites[0].requests == requests);
  CHECK(fused.sites[1].requests == requests);
  for (const Workload* workload : {&separate, &fused}) {
    CHECK(workload->useful_bytes() == 1024 * mib);
    for (const access::Site& site : workload->sites) {
      const access::SiteSummary summary = access::summarise(site);
      CHECK(summary.cost.sectors_per_request == 16);
      CHECK(summary.footprint.sectors * 32 == static_cast<double>(site.requests) * 512);
    }
  }
  CHECK(separate.blocks == 9 * fused.blocks);
  const Metric& moved = find_probe("fusion")->metrics.front();
  CHECK(moved.from_seconds(separate, 1).value_or(0) == 10.5);
  CHECK(moved.from_seconds(fused, 1).value_or(0) == 1);
  const Metric& intensity = find_probe("fusion")->metrics.back();  // 9 flops on 8 bytes, whoever moves them how often
  CHECK(intensity.from_seconds(separate, 1).value_or(0) == 1.125);
  CHECK(intensity.from_seconds(fused, 1).value_or(0) == 1.125);
}

TEST_CASE("fusion: a size that is no whole number of words is rounded up to one", "[fusion]") {
  const Workload workload = workload_of(fusion_case("fused", 20));
  CHECK(workload.useful_bytes() == 40);
  CHECK(workload.sites[0].requests == 1);
  CHECK(workload.sites[0].request(0).active == 3);
  CHECK(workload.allocated_bytes == 256);
  const Case odd = fusion_case("fused", 21);
  CHECK_THROWS_WITH(odd.probe->validate(odd), "--fusion-size 21 is not a multiple of the 4 bytes of a float; use 24");
  const Case odd_half = fusion_case("fused", 21, "half");
  CHECK_THROWS_WITH(odd_half.probe->validate(odd_half),
                    "--fusion-size 21 is not a multiple of the 2 bytes of a half; use 22");
  const Case any_fp8 = fusion_case("fused", 21, "fp8");
  CHECK_NOTHROW(any_fp8.probe->validate(any_fp8));
}

TEST_CASE("fusion: types move the same words, with more elements and more arithmetic in each", "[fusion]") {
  const Workload floats = workload_of(fusion_case("separate", 512 * mib));
  for (const auto& [type, bytes] : {std::pair("half", 2U), std::pair("bfloat16", 2U), std::pair("fp8", 1U)}) {
    INFO(type);
    const Workload workload = workload_of(fusion_case("separate", 512 * mib, type));
    CHECK(workload.kernel != floats.kernel);
    CHECK(workload.useful_flops == 9 * (512 * mib / bytes));
    CHECK(workload.useful_bytes() == floats.useful_bytes());
    REQUIRE(workload.sites.size() == 2);
    for (std::size_t i = 0; i < 2; ++i) {
      CHECK(workload.sites[i].word_bytes == 16);
      CHECK(workload.sites[i].requests == floats.sites[i].requests);
    }
  }
  const model::Profile profile = model::load_profile("h200");
  const auto limit = [&](const char* type) {
    return model::predict(workload_of(fusion_case("fused", 1024 * mib, type)), profile).bottleneck;
  };
  CHECK(limit("float") == "dram");
  CHECK(limit("half") == "dram");
  CHECK(limit("fp8") == "instructions");
}

TEST_CASE("fusion: nine kernels move what one does many times, or are nine launches", "[fusion]") {
  const model::Profile profile = model::load_profile("h200");
  const auto seconds = [&](const char* fusion, std::uint64_t bytes) {
    return model::predict(workload_of(fusion_case(fusion, bytes)), profile).seconds;
  };
  CHECK(seconds("separate", 1024 * mib) / seconds("fused", 1024 * mib) == Approx(10.5).epsilon(0.05));
  CHECK(seconds("separate", mib) / seconds("fused", mib) == Approx(9).epsilon(0.1));
  // Each of the nine finds in L2 what the one before left there.
  CHECK(model::predict(workload_of(fusion_case("separate", 16 * mib)), profile).cache_resident);
}

TEST_CASE("fusion: the advice compares sizes that ran both fused and not", "[fusion]") {
  const std::vector<Outcome> outcomes = {reading("separate", mib, 36e-6, 10.5), reading("fused", mib, 4e-6, 1),
                                         reading("separate", 1024 * mib, 5.2e-3, 10.5),
                                         reading("fused", 1024 * mib, 0.5e-3, 1),
                                         reading("fused", 2048 * mib, 1e-3, 1)};
  CHECK(test::advice(outcomes) ==
        "Fuse elementwise operations that follow each other: GeLU of 1 GiB is 10 x as fast in one kernel as in 9. 9 "
        "kernels take 5.20 ms and move 10 x the bytes. One takes 500 us: values between operations stay in registers. "
        "At 1 MiB one kernel is 9.00 x as fast: 4.00 us instead of 36.0 us.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{3, 2});
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(std::get<double>(facts[1].values[2].items[0]) == 10.5);
  CHECK(facts[2].kind == FactKind::fastest);
  CHECK(test::advice({reading("fused", mib, 4e-6, 1)}).empty());
}

TEST_CASE("fusion: the advice says how often a narrow type rounds", "[fusion]") {
  const std::vector<Outcome> outcomes = {reading("separate", mib, 36e-6, 10.5, "half"),
                                         reading("fused", mib, 4e-6, 1, "half")};
  CHECK(test::advice(outcomes) ==
        "Fuse elementwise operations that follow each other: GeLU of 1 MiB is 9.00 x as fast in one kernel as in 9. 9 "
        "kernels take 36.0 us and move 10 x the bytes. One takes 4.00 us: values between operations stay in registers "
        "as float, and are rounded to half once instead of 9 times.");
}

TEST_CASE("fusion: a gain is said beside the predicted one, and none where intervals overlap", "[fusion]") {
  Outcome separate = reading("separate", 1024 * mib, 5.2e-3, 10.5);
  Outcome fused = reading("fused", 1024 * mib, 0.5e-3, 1);
  separate.predicted = 400;
  fused.predicted = 4400;
  CHECK(test::advice({separate, fused}).find("is 10 x (predicted 11 x) as fast in one kernel") != std::string::npos);
  separate.interval = {400, 4300};
  fused.interval = {4000, 4400};
  const std::vector<Fact> facts = test::conclusion({separate, fused}).facts;
  CHECK(facts.front().kind == FactKind::as_fast_as);
  CHECK(report::say(facts.front()) == "GeLU of 1 GiB is no faster in one kernel than in 9.");
}

}  // namespace gpumem::test_fusion
