// Conclusions from the levels of memory together.

#include <string>
#include <variant>
#include <vector>

#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::hierarchy::test_hierarchy {

namespace {

Outcome level(const char* name, double gb_per_s) {
  return {.tested = {.probe = find_probe("hierarchy"), .parameters = {{"level", std::string(name)}}},
          .headline = gb_per_s};
}

}  // namespace

TEST_CASE("hierarchy: each level is held against the next that was measured", "[hierarchy]") {
  const std::vector<Outcome> some = {level("memory", 4500), level("register", 360'000), level("l2", 9000)};
  const std::vector<Fact> facts = test::conclusion(some).facts;
  CHECK(report::say(facts) ==
        "Keep data that is used again a level nearer. Each level reads faster than the next: registers 40 x L2 "
        "and L2 2.00 x device memory.");
  REQUIRE(facts.size() == 1);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{1, 2, 2, 0});
  CHECK(std::get<double>(facts[0].values.at(1).items.front()) == 40);
}

TEST_CASE("hierarchy: a level that is no faster than the next is no step", "[hierarchy]") {
  std::vector<Outcome> some = {level("shared", 33'500), level("l1", 33'400), level("l2", 9000)};
  const std::string text = test::advice(some);
  CHECK(text ==
        "Keep data that is used again a level nearer. Each level reads faster than the next: L1 3.71 x L2. "
        "Reading shared memory is no faster than reading L1: 1.00 x.");
  CHECK(test::conclusion(some).facts.at(1).kind == FactKind::as_fast_as);
  some[0].headline = 36'000;
  some[0].interval = {33'000, 39'000};
  CHECK(test::conclusion(some).facts.size() == 2);
}

TEST_CASE("hierarchy: a single level concludes nothing", "[hierarchy]") {
  CHECK(test::conclusion({level("l1", 33'000)}).facts.empty());
}

TEST_CASE("hierarchy: a launch keeps to what its level holds", "[hierarchy]") {
  Device device;
  device.multiprocessors = 132;
  device.l2_bytes = 60U << 20U;
  device.memory_bytes = std::uint64_t{140} << 30U;
  const auto describe = [&](const char* name) {
    const Case tested{.probe = find_probe("hierarchy"), .parameters = {{"level", std::string(name)}}};
    return tested.probe->describe(tested, device);
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

}  // namespace gpumem::hierarchy::test_hierarchy
