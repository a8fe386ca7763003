// Cache operators: what a launch goes through, and what is said of them.

#include <string>

#include "engine/access/site.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

using namespace gpumem;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

Workload describe(const std::string& hint, std::uint64_t footprint) {
  const Case one = test::any_case("cache-hint", {{"cache_hint", hint}, {"footprint_bytes", footprint}});
  return one.probe->describe(one, test::some_device());
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

TEST_CASE("the advice on cache operators compares loads with loads and stores with stores", "[cache-hint]") {
  CHECK(test::advice({reading("ld", 4 * mib, 30000), reading("ld.cg", 4 * mib, 12000), reading("st", 4 * mib, 5000),
                      reading("st.cs", 4 * mib, 5010), reading("ld", 1024 * mib, 4500)}) ==
        "Reading 4 MiB in all, ld is best with 30000 GB/s; of that ld.cg 0.40 x. Reading 1 GiB in all: ld 4500 GB/s. "
        "Writing 4 MiB in all, no operator makes a difference: 5010 GB/s.");
}
