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

}  // namespace gpumem::program::test_launch_pricing
