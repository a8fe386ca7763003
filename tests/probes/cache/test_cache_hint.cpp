// Cache operators: what a launch goes through, and what is said of them.

#include <string>
#include <variant>
#include <vector>

#include "engine/access/site.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_cache_hint {

namespace {

constexpr std::uint64_t mib = 1U << 20U;

Workload describe(const std::string& hint, std::uint64_t footprint) {
  const Case tested = test::any_case("cache-hint", {{"cache_hint", hint}, {"footprint_bytes", footprint}});
  return tested.probe->describe(tested, test::some_device());
}

Outcome reading(const std::string& hint, std::uint64_t footprint, double gb_per_s) {
  return test::outcome("cache-hint", {{"cache_hint", hint}, {"footprint_bytes", footprint}}, gb_per_s);
}

}  // namespace

TEST_CASE("every multiprocessor goes round a share of whole requests", "[cache-hint]") {
  for (const std::uint64_t footprint : {std::uint64_t{512}, 4 * mib, 40 * mib + 16, 4096 * mib}) {
    const Workload workload = describe("ld.cg", footprint);
    REQUIRE(workload.sites.size() == 1);
    const access::Site& site = workload.sites.front();
    CHECK(site.requests * 512 == workload.useful_bytes_read);
    CHECK(workload.useful_bytes_read >= footprint);
    const std::uint64_t per_block = site.requests / workload.blocks;
    CHECK(site.requests % workload.blocks == 0);
    CHECK(per_block % (32 * 4) == 0);
    const std::uint64_t share = std::max<std::uint64_t>(footprint / 132 / 512, 1) * 512;
    CHECK(site.request(0).address[31] == 31 * 16);
    CHECK(site.request(1).address[0] == 512 % share);
    CHECK(site.request(share / 512).address[0] == 0);
    CHECK(site.request(per_block).address[0] == share);
    CHECK(access::sectors_per_request(site.request(5)) == 16);
  }
}

TEST_CASE("stores write, and only what outgrows L2 is held against the memory", "[cache-hint]") {
  const Workload stores = describe("st.cs", 4 * mib);
  CHECK(stores.sites.front().op == access::Op::store);
  CHECK(stores.useful_bytes_written > 0);
  CHECK(stores.useful_bytes_read == 0);
  Device device = test::some_device();
  device.memory_clock_hz = 3'201'000'000;
  device.memory_bus_bits = 6016;
  const auto& peak = find_probe("cache-hint")->headline.peak;
  CHECK_FALSE(peak(stores, device).has_value());
  CHECK(peak(describe("st.cs", 1024 * mib), device).has_value());
}

TEST_CASE("cache operators: loads are compared with loads, and stores with stores", "[cache-hint]") {
  const std::vector<Outcome> outcomes = {reading("ld", 4 * mib, 30000),     reading("ld.cg", 4 * mib, 12000),
                                         reading("st", 4 * mib, 5000),      reading("st.cs", 4 * mib, 5010),
                                         reading("ld", 1024 * mib, 4500),   reading("st", 1024 * mib, 4300),
                                         reading("st.cs", 1024 * mib, 4310)};
  CHECK(test::advice(outcomes) ==
        "Loads of 4 MiB are fastest with ld: 30000 GB/s. The others reach less of that: ld.cg 0.40 x. Loads of 1 GiB "
        "reach 4500 GB/s with ld. No operator makes a difference to stores of 4 MiB and 1 GiB: 5010 GB/s and 4310 "
        "GB/s.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{0, 1});
  CHECK(std::get<double>(facts[0].values.at(1).items.front()) == 4 * mib);
  CHECK(facts[2].kind == FactKind::as_fast_as);
  CHECK(facts[2].outcomes == std::vector<std::size_t>{2, 3, 5, 6});
}

TEST_CASE("cache operators: no difference is said of what intervals do not tell apart", "[cache-hint]") {
  Outcome slower = reading("ld.cs", 4 * mib, 28000);
  slower.interval = {26000, 30500};
  CHECK(test::advice({reading("ld", 4 * mib, 30000), slower}) ==
        "No operator makes a difference to loads of 4 MiB: 30000 GB/s.");
  slower.interval = {27900, 28100};
  CHECK(test::advice({reading("ld", 4 * mib, 30000), slower}) ==
        "Loads of 4 MiB are fastest with ld: 30000 GB/s. The others reach less of that: ld.cs 0.93 x.");
}

}  // namespace gpumem::test_cache_hint
