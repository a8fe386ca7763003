// The cycles of a chase's step: a plateau for each level, and between plateaus a share of misses that only grows.

#include <cmath>
#include <stdexcept>

#include "engine/model/subjects/chase.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_chase {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

/// An L1 of 64 KiB, an L2 of 16 MiB of which a quarter is near.
Profile made_up() {
  Profile profile;
  profile.device.l2_bytes = 16 * mib;
  profile.rates.l1.bytes = 64 * kib;
  profile.rates.l2.near_share = 0.25;
  profile.rates.latency.shared_cycles = 20;
  profile.rates.latency.l1_cycles = 30;
  profile.rates.latency.l2_cycles = 200;
  profile.rates.latency.l2_far_cycles = 400;
  profile.rates.latency.memory_cycles = 800;
  profile.rates.latency.miss_sharpness = 4;
  return profile;
}

double cycles_over(std::uint64_t bytes, const Profile& profile = made_up()) {
  return step_cycles({.lines = bytes / 128}, profile);
}

}  // namespace

TEST_CASE("a chase of a level takes its latency, and there is no other level", "[chase]") {
  CHECK(step_cycles({.level = "shared"}, made_up()) == 20);
  CHECK(step_cycles({.level = "l2-far"}, made_up()) == 400);
  const Profile h200 = load_profile("h200");
  for (const LatencyLevel& level : latency_levels()) {
    INFO(level.name);
    CHECK(step_cycles({.level = level.name}, h200) == h200.rates[level.cycles]);
  }
  CHECK_THROWS_AS(step_cycles({.level = "l3"}, h200), std::logic_error);
}

TEST_CASE("a chase of a footprint takes what the nearest level that holds it does", "[chase]") {
  CHECK(cycles_over(0) == 30);
  CHECK(cycles_over(64 * kib) == 30);
  CHECK(cycles_over(2 * mib) == Approx(200).epsilon(0.001));
  CHECK(cycles_over(4 * mib) == Approx(200).epsilon(0.001));
  CHECK(cycles_over(16 * mib) == Approx(400 - 200 * std::pow(0.25, 4)).epsilon(0.001));
  CHECK(cycles_over(1024 * mib) == Approx(800).epsilon(0.001));
  // Between them by the share that misses: (64 / 128)^4 still hit.
  CHECK(cycles_over(128 * kib) == Approx(30 / 16.0 + 200 * 15 / 16.0));
  for (std::uint64_t bytes = 4 * kib; bytes < 256 * mib; bytes += bytes / 4) {
    CHECK(cycles_over(bytes) <= cycles_over(bytes + bytes / 4));
  }
}

TEST_CASE("a chase that visits each line once loses nearly all of them just beyond L2 and its half", "[chase]") {
  const auto once = [](double mib_of_l2) {
    return step_cycles({.lines = static_cast<std::uint64_t>(mib_of_l2 * mib / 128), .lines_once = true}, made_up());
  };
  const double hits_l1 = std::pow(1 / 128.0, 4);  // of 8 MiB, and less beyond
  CHECK(once(8) == Approx(200 - 170 * hits_l1).epsilon(1e-6));
  const double missed = 1 - std::exp(-(9 / 8.0 - 1) / 0.065);
  CHECK(once(9) == Approx(200 + 200 * missed).epsilon(1e-5));
  CHECK(once(16) == Approx(400).epsilon(1e-4));
  CHECK(once(18) == Approx(400 + 400 * missed).epsilon(1e-5));
  CHECK(once(32) == Approx(800).epsilon(1e-4));
}

TEST_CASE("where all of L2 is near there is no far part", "[chase]") {
  Profile profile = made_up();
  profile.rates.l2.near_share = 1;
  CHECK(cycles_over(16 * mib, profile) == Approx(200).epsilon(0.001));
  CHECK(cycles_over(32 * mib, profile) == Approx(200 / 16.0 + 800 * 15 / 16.0).epsilon(0.001));
}

TEST_CASE("caches of whatever size make an average of latencies", "[chase]") {
  Profile profile = made_up();
  for (const double l1_bytes : {1e-18, 1e6, 1e24}) {
    for (const double near : {1e-18, 1.0, 1e24}) {
      for (const std::uint64_t l2_bytes : {std::uint64_t{0}, std::uint64_t{1}, ~std::uint64_t{0}}) {
        profile.rates.l1.bytes = l1_bytes;
        profile.rates.l2.near_share = near;
        profile.device.l2_bytes = l2_bytes;
        for (const std::uint64_t lines : {std::uint64_t{0}, std::uint64_t{1} << 30U, ~std::uint64_t{0}}) {
          const double cycles = step_cycles({.lines = lines}, profile);
          CHECK((cycles >= 30 * 0.999 && cycles <= 800 * 1.001));
        }
      }
    }
  }
}

}  // namespace gpumem::model::test_chase
