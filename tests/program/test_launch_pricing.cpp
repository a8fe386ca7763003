#include <algorithm>
#include <cstdint>
#include <string>
#include <vector>

#include "program/price/launch_pricing.hpp"
#include "program/price/pricing.hpp"
#include "tests/catch.hpp"
#include "tests/program/machine_code/written_code.hpp"
#include "tests/program/raw_writer.hpp"

namespace gpumem::program::test_launch_pricing {

namespace {

using inject::RawOp;
using test::streaming;

namespace written = gpumem::test::machine_code;

constexpr std::uint64_t requests = 1 << 20;

/// Returns the stage "latency" of a launch whose warps each run the code, which loads once. `wavefronts` are those of
/// shared memory, for each warp.
double latency_s(std::vector<written::Written> code, unsigned block_threads, std::uint64_t wavefronts) {
  static const model::Profile profile = model::load_profile("h200");
  code.push_back({written::exits});
  const std::string bytes = written::code_of(code);
  inject::Site shared;
  shared.flags = inject::raw_outside_kernel;
  shared.space = inject::RawSpace::shared;
  shared.word_bytes = 4;
  shared.requests = shared.least_wavefronts = requests;
  shared.useful_bytes = 128 * requests;
  shared.wavefronts = wavefronts * requests;
  const LaunchSums launch{.sites = {streaming(RawOp::load, requests, 4, 0), shared},
                          .blocks = requests * 32 / block_threads,
                          .block_threads = block_threads,
                          .registers_per_thread = 32,
                          .code = bytes};
  const PricedLaunch priced = Pricing(launch, profile).as_it_is();
  const auto stage = std::ranges::find(priced.stages, "latency", &model::StageTime::stage);
  return stage == priced.stages.end() ? 0 : stage->seconds;
}

}  // namespace

TEST_CASE("warps that meet at barriers take turns at shared memory", "[program][pricing]") {
  constexpr unsigned block_threads = 1024;
  const written::Written load{written::ldg, 0};
  const written::Written use{written::fadd, written::none, 1};
  const written::Written barrier{written::bar};
  const double alone = latency_s({load, use}, block_threads, 10);
  CHECK(alone > 0);
  CHECK(latency_s({load, use}, block_threads, 20) == alone);
  // A block waits for 31 other warps, 10 wavefronts longer for each. A longer launch loads a little faster.
  const double places = 132.0 * 2;
  const double longer_s = 10 * 31 * (requests * 32.0 / block_threads) / places / 1.98e9;
  CHECK(latency_s({load, use, barrier}, block_threads, 20) - latency_s({load, use, barrier}, block_threads, 10) ==
        Approx(longer_s).epsilon(0.1));
}

TEST_CASE("a multiprocessor takes a warp's arrival at a barrier every other cycle", "[program][pricing]") {
  const model::Profile profile = model::load_profile("h200");
  const auto priced = [&](std::size_t barriers) {
    std::vector<written::Written> code = {{written::ldg, 0}, {written::fadd, written::none, 1}};
    code.insert(code.end(), barriers, written::Written{written::bar});
    code.push_back({written::exits});
    const std::string bytes = written::code_of(code);
    const LaunchSums launch{.sites = {streaming(RawOp::load, requests, 4, 0)},
                            .blocks = requests / 8,
                            .block_threads = 256,
                            .registers_per_thread = 32,
                            .code = bytes};
    return Pricing(launch, profile).as_it_is();
  };
  const auto arriving_s = [](const PricedLaunch& launch) {
    const auto stage = std::ranges::find(launch.stages, "barrier_turns", &model::StageTime::stage);
    return stage == launch.stages.end() ? 0 : stage->seconds;
  };
  CHECK(arriving_s(priced(0)) == 0);
  const PricedLaunch many = priced(400);
  const double warps_of_multiprocessor = requests / 132.0;
  CHECK(arriving_s(many) == Approx(400 * 2 * warps_of_multiprocessor / 1.98e9).epsilon(0.01));
  CHECK(many.bottleneck == "barrier_turns");
  CHECK(many.seconds > arriving_s(many));
}

}  // namespace gpumem::program::test_launch_pricing
