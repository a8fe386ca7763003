// What the levels of memory show together.

#include "probes/hierarchy/hierarchy/hierarchy_advice.hpp"
#include "tests/catch.hpp"

namespace gpumem::hierarchy {

namespace {

Outcome level(const char* name, double gb_per_s) {
  return {.one = {.probe = find_probe("hierarchy"), .parameters = {{"level", std::string(name)}}},
          .headline = gb_per_s};
}

}  // namespace

TEST_CASE("hierarchy: each level is held against the next that was measured", "[hierarchy]") {
  const std::vector<Outcome> some = {level("memory", 4500), level("register", 360'000), level("l2", 9000)};
  CHECK(conclude_hierarchy(some).advice ==
        "Registers are read 40 x as fast as L2 and L2 is read 2.00 x as fast as device memory. Each step down is what "
        "keeping data one level nearer gains, if it is used again there.");
}

TEST_CASE("hierarchy: a single level concludes nothing", "[hierarchy]") {
  CHECK(conclude_hierarchy(std::vector{level("l1", 33'000)}).advice.empty());
}

TEST_CASE("hierarchy: a launch keeps to what its level holds", "[hierarchy]") {
  Device device;
  device.multiprocessors = 132;
  device.l2_bytes = 60U << 20U;
  device.memory_bytes = std::uint64_t{140} << 30U;
  const auto describe = [&](const char* name) {
    const Case one{.probe = find_probe("hierarchy"), .parameters = {{"level", std::string(name)}}};
    return one.probe->describe(one, device);
  };
  for (const char* name : {"l1", "l2", "l2-shared"}) {
    INFO(name);
    const Workload workload = describe(name);
    const access::Site& site = workload.sites.front();
    CHECK(site.requests % site.passes == 0);
    CHECK(workload.useful_bytes_read == site.requests * access::warp_lanes * site.word_bytes);
    const std::uint64_t once = workload.useful_bytes_read / site.passes;
    CHECK(once <= (std::string(name) == "l1" ? 132ULL * 128 * 1024 : device.l2_bytes / 4));
  }
  CHECK(describe("memory").useful_bytes_read >= 15 * device.l2_bytes);
}

}  // namespace gpumem::hierarchy
