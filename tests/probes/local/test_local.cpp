// The local probe's descriptions of its cases, and its conclusions from rates that were made up.

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/predict.hpp"
#include "probes/local/update.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_local {

namespace {

const Probe& local_probe() {
  const Probe* probe = find_probe("local");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case array_case(const std::string& array, std::uint64_t words) {
  return {.probe = &local_probe(), .parameters = {{"array_words", words}, {"array", array}}};
}

Outcome outcome(const std::string& array, std::uint64_t words, double updates_per_ns,
                std::optional<double> local_bytes = {}) {
  Outcome outcome{.tested = array_case(array, words), .headline = updates_per_ns};
  if (local_bytes) outcome.metrics.emplace_back("local_bytes_per_thread", *local_bytes);
  return outcome;
}

Device device_of(unsigned multiprocessors) {
  Device device;
  device.multiprocessors = multiprocessors;
  return device;
}

}  // namespace

TEST_CASE("local: indices of the launch are a permutation of the array's", "[local]") {
  for (const std::uint32_t words : {4U, 8U, 64U}) {
    for (std::uint32_t flipped = 0; flipped < words; ++flipped) {
      std::set<std::uint32_t> indices;
      for (std::uint32_t k = 0; k < words; ++k) indices.insert(local::IndexedByLaunch{flipped}(k));
      CHECK(indices.size() == words);
      CHECK(*indices.rbegin() == words - 1);
    }
  }
}

TEST_CASE("local: a request is a line of the warp's own memory", "[local]") {
  constexpr std::uint32_t words = 8;
  constexpr std::uint64_t warps = 3;
  std::set<std::uint64_t> addresses;
  for (std::uint64_t k = 0; k < words * warps; ++k) {
    const access::WarpRequest request = local::request(local::IndexedByLaunch{7}, words, warps, k);
    CHECK(access::sectors_per_request(request) == 4);
    CHECK(access::lines_per_request(request) == 1);
    for (const std::uint64_t address : request.address) addresses.insert(address);
  }
  CHECK(addresses.size() == words * warps * access::warp_lanes);
  CHECK(*addresses.rbegin() == (words * warps * access::warp_lanes - 1) * 4);
  // And round again.
  CHECK(local::request(local::KnownIndex{}, words, warps, words * warps).address[0] == 0);
}

TEST_CASE("local: an indexed array has loads and stores of 4 sectors, registers have neither", "[local]") {
  const model::Profile profile = model::load_profile("h200");
  for (const std::uint64_t words : {4U, 64U}) {
    const Workload indexed = local_probe().describe(array_case("local", words), profile.device);
    REQUIRE(indexed.sites.size() == 2);
    CHECK(indexed.sites[0].op == access::Op::load);
    CHECK(indexed.sites[1].op == access::Op::store);
    for (const access::Site& site : indexed.sites) {
      CHECK(site.space == access::Space::local);
      // 64 warps a multiprocessor.
      CHECK(site.requests == 132 * 64 * (4096 + words));
    }
    for (const access::SiteSummary& site : model::predict(indexed, profile).sites) {
      CHECK(site.cost.sectors_per_request == 4);
    }
    CHECK(indexed.useful_bytes_read == indexed.sites[0].requests * 128);
    CHECK_FALSE(indexed.modelled());

    const Workload known = local_probe().describe(array_case("registers", words), profile.device);
    CHECK(known.sites.empty());
    CHECK(known.useful_bytes() == 0);
    CHECK(known.kernel != indexed.kernel);
    CHECK_FALSE(known.modelled());
  }
}

TEST_CASE("local: updates per ns count the same work whatever the array", "[local]") {
  for (const std::string array : {"local", "registers"}) {
    const Workload workload = local_probe().describe(array_case(array, 16), device_of(10));
    CHECK(local_probe().headline.from_seconds(workload, 1e-3).value_or(0) == Approx(10.0 * 2048 * 4096 / 1e6));
  }
}

TEST_CASE("local: the advice compares sizes that ran in both, and says what the compiler said", "[local]") {
  const std::vector<Outcome> outcomes = {outcome("local", 4, 2000, 16), outcome("local", 16, 1900, 64),
                                         outcome("local", 64, 400, 256), outcome("registers", 4, 8000, 0),
                                         outcome("registers", 64, 8000, 0)};
  CHECK(
      test::advice(outcomes) ==
      "Give arrays indices that the compiler knows: unroll the loops over them. Others take 4.00 x and 20 x as long "
      "as registers, at 4 and 64 words. An update takes 4.75 x as long with 64 words as with 16: the caches no longer "
      "hold the arrays of all threads. The compiler reports 256 bytes of local memory per thread for 64 words.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::costs);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{0, 3, 2, 4});
  CHECK(std::get<double>(facts[0].values.at(1).items.at(1)) == 20);
  CHECK(facts[1].kind == FactKind::capacity);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{1, 2});
}

TEST_CASE("local: some of the cases conclude what they can", "[local]") {
  CHECK(test::advice({outcome("registers", 4, 8000)}).empty());
  CHECK(test::advice({outcome("local", 4, 2000)}).empty());
  CHECK(test::advice({outcome("local", 4, 2000, 16)}) ==
        "The compiler reports 16 bytes of local memory per thread for 4 words.");
  CHECK(test::advice({outcome("local", 8, 2000), outcome("registers", 8, 2010)}) ==
        "Indexed arrays of 8 words are as fast as the same work in registers.");
  CHECK(
      test::advice({outcome("local", 8, 2000), outcome("registers", 8, 4000), outcome("registers", 64, 900, 128)}) ==
      "Give arrays indices that the compiler knows: unroll the loops over them. Others take 2.00 x as long as "
      "registers, at 8 words. Registers are too few from 64 words on even with known indices: 128 bytes are spilled.");
}

TEST_CASE("local: nothing is dearer by less than intervals tell", "[local]") {
  std::vector<Outcome> outcomes = {outcome("local", 4, 2000), outcome("local", 8, 1400), outcome("registers", 4, 2200)};
  outcomes[0].interval = {1300, 2700};
  CHECK(test::advice(outcomes) == "Indexed arrays of 4 words are as fast as the same work in registers.");
  outcomes[0].interval = {1990, 2010};
  CHECK(test::conclusion(outcomes).facts.size() == 2);
}

}  // namespace gpumem::test_local
