// Random accesses: a permutation that has no two lanes of a request share a sector, and what is concluded from its
// rates.

#include <cmath>

#include "engine/model/predict.hpp"
#include "probes/global/random/random.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_random {

using namespace gpumem::global::test;

namespace {

constexpr std::uint64_t mib = std::uint64_t{1} << 20U;

Case random_case(std::uint64_t footprint_bytes, const std::string& op = "gather", std::uint64_t word_bytes = 8) {
  return case_of("random", {{"footprint_bytes", footprint_bytes}, {"op", op}, {"word_bytes", word_bytes}});
}

}  // namespace

TEST_CASE("random: each round over a footprint takes every element once", "[random]") {
  for (const std::uint64_t footprint : {smallest_footprint, std::uint64_t{2048}, std::uint64_t{1} << 17U}) {
    for (const std::uint32_t word_bytes : {4U, 8U, 16U}) {
      const RandomPattern pattern(footprint, word_bytes);
      const std::uint64_t elements = footprint / word_bytes;
      REQUIRE(pattern.extent(0) == elements);
      std::set<std::uint64_t> seen;
      for (std::uint64_t i = 0; i < elements; ++i) {
        REQUIRE(pattern(i) < elements);
        REQUIRE(seen.insert(pattern(i)).second);
        REQUIRE(pattern(i + elements) == pattern(i));
      }
    }
  }
}

TEST_CASE("random: no two lanes of a request share a sector", "[random]") {
  for (const std::uint64_t footprint : {smallest_footprint, mib, std::uint64_t{1} << 36U}) {
    const Workload workload = describe(random_case(footprint));
    REQUIRE(workload.sites.size() == 1);
    const access::Site& site = workload.sites.front();
    for (std::uint64_t k = 0; k < site.requests; k += site.requests / 100) {
      REQUIRE(access::sectors_per_request(site.request(k)) == 32);
    }
  }
}

TEST_CASE("random: sectors come in no order that could be foreseen", "[random]") {
  const RandomPattern pattern(std::uint64_t{1} << 30U, 8);
  unsigned ascending = 0;
  double distance = 0;
  constexpr unsigned steps = 4096;
  for (std::uint64_t i = 0; i < steps; ++i) {
    const auto step = static_cast<double>(pattern(i + 1)) - static_cast<double>(pattern(i));
    ascending += step > 0 ? 1 : 0;
    distance += std::abs(step);
  }
  CHECK(ascending > steps * 4 / 10);
  CHECK(ascending < steps * 6 / 10);
  // The mean distance of two places drawn at random is a third of the extent.
  CHECK(distance / steps / static_cast<double>(pattern.extent(0)) == Approx(1.0 / 3).epsilon(0.05));
}

TEST_CASE("random: an update reads and writes its table", "[random]") {
  const Workload update = describe(random_case(mib, "update"));
  CHECK(update.sites.size() == 2);
  CHECK(update.useful_bytes_read == update.useful_bytes_written);
  CHECK(update.allocated_bytes == mib);
  CHECK(describe(random_case(mib, "scatter")).useful_bytes_read == 0);
  CHECK(describe(random_case(mib, "gather")).useful_bytes_written == 0);
}

TEST_CASE("random: the model simulates it, but for updates that wait for each other in L2", "[random]") {
  const model::Profile profile = model::load_profile("h200");
  const auto seconds = [&](std::uint64_t footprint, const char* op) {
    const Workload workload = find_probe("random")->describe(random_case(footprint, op), profile.device);
    return workload.modelled() ? model::predict(workload, profile).seconds : 0;
  };
  // Measured on an H200: 214 us within L2, 785 us in 256 MiB (configs/reference/h200/random.json).
  CHECK(seconds(16 * mib, "gather") == Approx(214e-6).epsilon(0.1));
  CHECK(seconds(256 * mib, "gather") == Approx(785e-6).epsilon(0.1));
  CHECK(seconds(256 * mib, "update") > 2 * seconds(256 * mib, "gather"));
  CHECK(seconds(16 * mib, "update") == 0);
}

TEST_CASE("random: what lies within a small footprint is seen to fit in L2", "[random]") {
  const access::Footprint small = access::summarise(describe(random_case(mib)).sites.front()).footprint;
  CHECK(small.sectors == static_cast<double>(mib / 32));
  const access::Footprint large = access::summarise(describe(random_case(mib << 16U)).sites.front()).footprint;
  CHECK(large.sectors == Approx(static_cast<double>(std::uint64_t{1} << 25U)));
}

TEST_CASE("random: footprints are powers of two", "[random]") {
  CHECK(refusal_of(random_case(mib)).empty());
  CHECK(refusal_of(random_case(3 * mib)) ==
        "--random-footprint 3145728 is no power of two, as the permutation takes it; use 2097152 or 4194304");
}

TEST_CASE("random: conclusions say within what to keep random accesses", "[random]") {
  const std::vector<Outcome> falling = {outcome_of(random_case(mib), 1600), outcome_of(random_case(16 * mib), 1200),
                                        outcome_of(random_case(1024 * mib), 400)};
  CHECK(advice(falling) ==
        "Keep data that is accessed in random order within 16 MiB: up to there accesses keep half of their best rate. "
        "Within 1 MiB the GPU gathers elements of 8 bytes at 200 giga elements per s. Within 1 GiB each takes "
        "4.00 x as long: 50.0 giga elements per s.");
  const Conclusion knee = conclusion(falling);
  REQUIRE(knee.quantities.size() == 1);
  CHECK(knee.quantities.front().value == 16 * mib);
  CHECK(knee.quantities.front().name == find_probe("random")->concluded.front().name);
  CHECK(knee.quantities.front().outcomes.size() == 3);
  REQUIRE(kinds_of(knee) == std::vector{FactKind::capacity, FactKind::fastest, FactKind::costs});
  CHECK(knee.facts[0].outcomes == std::vector<std::size_t>{1});
  CHECK(numbers_of(knee.facts[0], "footprint_bytes") == std::vector{static_cast<double>(16 * mib)});
  CHECK(numbers_of(knee.facts[1], "giga_elements_per_s") == std::vector{200.0});
  CHECK(knee.facts[2].outcomes == std::vector<std::size_t>{2, 0});
  CHECK(numbers_of(knee.facts[2], "slowdown_ratio") == std::vector{4.0});

  const std::vector<Outcome> flat = {outcome_of(random_case(mib, "update"), 1600),
                                     outcome_of(random_case(2 * mib, "update"), 1500)};
  CHECK(advice(flat) ==
        "Within 1 MiB the GPU updates elements of 8 bytes at 100 giga elements per s. Within 2 MiB each takes 1.07 x "
        "as long: 93.8 giga elements per s.");
  CHECK(conclusion(flat).quantities.empty());
  CHECK(advice({outcome_of(random_case(mib, "scatter", 4), 400)}) ==
        "Within 1 MiB the GPU scatters elements of 4 bytes at 100 giga elements per s.");
  CHECK(advice({within(flat[0], 1450, 1700), within(flat[1], 1400, 1550)}) ==
        "Within 1 MiB the GPU updates elements of 8 bytes at 100 giga elements per s. Up to 2 MiB the footprint makes "
        "no difference.");
}

}  // namespace gpumem::global::test_random
