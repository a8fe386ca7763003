// The occupancy probe: that each way to limit residency leaves as many warps as the case says.

#include <map>
#include <string>
#include <vector>

#include "app/run/plan.hpp"
#include "engine/base/error.hpp"
#include "engine/model/occupancy.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "probes/kernels/occupancy/occupancy_case.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::kernels::test_occupancy {

namespace {

Case occupancy_case(std::uint64_t warps, const std::string& limit) {
  return test::any_case("occupancy", {{"resident_warps_per_multiprocessor", warps}, {"occupancy_limit", limit}});
}

Outcome reading(std::uint64_t warps, const std::string& limit, double gb_per_s) {
  return {.tested = occupancy_case(warps, limit), .headline = gb_per_s, .bytes_per_s = gb_per_s * 1e9};
}

Device h200() { return model::load_profile("h200").device; }

/// A GPU with other limits than the H200's.
Device device_of(const std::string& compute_capability, unsigned threads, unsigned shared_kib, unsigned reserved_kib) {
  Device device = h200();
  device.compute_capability = compute_capability;
  device.threads_per_multiprocessor = threads;
  device.shared_bytes_per_multiprocessor = shared_kib * 1024ULL;
  device.shared_bytes_per_block = (shared_kib - reserved_kib) * 1024ULL;
  return device;
}

using Warps = std::vector<std::uint64_t>;

/// Returns the resident warps of the planned cases, by what limits them.
std::map<std::string, Warps> planned(const Device& device, const std::vector<app::GivenAxis>& given = {}) {
  app::Plan plan = app::make_plan(probes(), {"occupancy"}, given);
  std::map<std::string, Warps> warps;
  for (app::PlannedSweep& sweep : plan.sweeps) {
    app::leave_out_unfit(sweep, device);
    for (const Case& tested : sweep.cases) {
      warps[tested.name("occupancy_limit")].push_back(tested.number("resident_warps_per_multiprocessor"));
    }
  }
  return warps;
}

std::string refusal(std::uint64_t warps, const std::string& limit) {
  try {
    const Case tested = occupancy_case(warps, limit);
    static_cast<void>(tested.probe->describe(tested, h200()));
    return "nothing thrown";
  } catch (const Error& error) {
    return error.kind() == ErrorKind::missing_capability ? error.what() : "another kind of error";
  }
}

}  // namespace

TEST_CASE("occupancy: by default every limit is swept over the warps that it can leave", "[occupancy]") {
  CHECK(planned(h200()) == std::map<std::string, Warps>{{"shared-memory", {2, 4, 8, 16, 32, 48, 64}},
                                                        {"registers", {8, 16, 32, 64}},
                                                        {"block-size", {32, 64}}});
  CHECK(planned(device_of("8.9", 1536, 100, 1)) ==
        std::map<std::string, Warps>{
            {"shared-memory", {2, 4, 8, 16, 32, 48}}, {"registers", {8, 16, 32, 48}}, {"block-size", {48}}});
  CHECK(planned(device_of("8.6", 1536, 100, 1)) ==
        std::map<std::string, Warps>{
            {"shared-memory", {2, 4, 8, 16, 32, 48}}, {"registers", {8, 16, 32, 48}}, {"block-size", {16, 32, 48}}});
  CHECK(planned(device_of("7.0", 2048, 96, 0)) == planned(h200()));
  CHECK(planned(device_of("7.5", 1024, 64, 0)) == std::map<std::string, Warps>{{"shared-memory", {2, 4, 8, 16, 32}},
                                                                               {"registers", {8, 16, 32}},
                                                                               {"block-size", {16, 32}}});
}

TEST_CASE("occupancy: what is asked for by name and cannot be had is refused with what can", "[occupancy]") {
  CHECK(planned(h200(), {{"occupancy-limit", {"block-size"}}}) ==
        std::map<std::string, Warps>{{"block-size", {32, 64}}});
  CHECK(planned(h200(), {{"resident-warps", {"2"}}}) == std::map<std::string, Warps>{{"shared-memory", {2}}});
  CHECK(planned(h200(), {{"resident-warps", {"2,8"}}, {"occupancy-limit", {"registers"}}}) ==
        std::map<std::string, Warps>{{"registers", {2, 8}}});
  CHECK(refusal(2, "registers") == "on this GPU registers leaves 8, 16, 32, 64 warps resident, and not 2");
  CHECK(refusal(16, "block-size") == "on this GPU block-size leaves 32, 64 warps resident, and not 16");
  CHECK(refusal(48, "shared-memory") == "nothing thrown");
}

TEST_CASE("occupancy: the launches leave what they say, and no place empty at the end", "[occupancy]") {
  for (const Device& device : {h200(), device_of("8.6", 1536, 100, 1), device_of("7.5", 1024, 64, 0)}) {
    for (const auto& [limit, all] : planned(device)) {
      for (const std::uint64_t warps : all) {
        CAPTURE(device.compute_capability, limit, warps);
        const Case tested = occupancy_case(warps, limit);
        const Workload workload = tested.probe->describe(tested, device);
        const auto occupancy = model::occupancy_of(workload, device);
        CHECK(occupancy.blocks * workload.block_threads == warps * 32);
        CHECK(workload.blocks % (std::uint64_t{occupancy.blocks} * device.multiprocessors) == 0);
        CHECK(workload.useful_bytes_read >= 32 * device.l2_bytes);
        CHECK(workload.shared_bytes_per_block <= device.shared_bytes_per_block);
        const access::Site& site = workload.sites.front();
        CHECK(site.requests * 512 == workload.useful_bytes_read);
        if (warps * 32 == device.threads_per_multiprocessor) continue;  // by the threads already
        CHECK((limit == "shared-memory") == (workload.shared_bytes_per_block > 0));
        CHECK((limit == "registers") == (workload.registers_per_thread > kernels::register_classes.front().registers));
      }
    }
  }
}

TEST_CASE("occupancy: fewer warps wait longer", "[occupancy]") {
  const model::Profile profile = model::load_profile("h200");
  const auto bandwidth = [&](std::uint64_t warps) {
    const Case tested = occupancy_case(warps, "shared-memory");
    const Workload workload = tested.probe->describe(tested, profile.device);
    return static_cast<double>(workload.useful_bytes()) / model::predict(workload, profile).seconds;
  };
  CHECK(bandwidth(8) > 2 * bandwidth(2));
  CHECK(bandwidth(64) > bandwidth(8));
}

TEST_CASE("occupancy: the advice says how many warps suffice and whether the limit matters", "[occupancy]") {
  const std::vector<Outcome> outcomes = {reading(2, "shared-memory", 500), reading(32, "shared-memory", 4400),
                                         reading(64, "shared-memory", 4500), reading(64, "registers", 4000),
                                         reading(32, "registers", 4100)};
  CHECK(test::advice(outcomes) ==
        "32 of 64 resident warps suffice: they reach 4400 GB/s of 4500 GB/s. The limit of residency matters too: 64 "
        "warps read 4000 GB/s with registers as the limit, and 4500 GB/s with shared-memory.");
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].kind == FactKind::saturates_at);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{1, 2});
  CHECK(std::get<double>(facts[0].values[0].items[0]) == 32);
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{3, 2});
  const std::vector<Outcome> all_needed = {reading(2, "registers", 500), reading(4, "registers", 1000)};
  CHECK(test::advice(all_needed) == "It takes all of 4 resident warps: less in flight is less bandwidth.");
  CHECK(test::conclusion(all_needed).facts.front().kind == FactKind::limit);
  CHECK(test::advice({reading(2, "registers", 500)}).empty());
}

TEST_CASE("occupancy: limits whose intervals overlap do not matter", "[occupancy]") {
  Outcome slow = reading(64, "registers", 4000);
  Outcome fast = reading(64, "shared-memory", 4500);
  slow.interval = {3800, 4600};
  fast.interval = {4400, 4550};
  CHECK(test::advice({reading(2, "registers", 500), slow, fast}) ==
        "It takes all of 64 resident warps: less in flight is less bandwidth.");
}

}  // namespace gpumem::kernels::test_occupancy
