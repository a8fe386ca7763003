// The occupancy probe: that each way to limit residency leaves as many warps as the case says.

#include <algorithm>
#include <map>
#include <string>
#include <vector>

#include "probes/error.hpp"
#include "probes/model/occupancy.hpp"
#include "probes/model/predict.hpp"
#include "probes/model/profile.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

using namespace gpumem;

namespace {

Case occupancy_case(std::uint64_t warps, const std::string& limit) {
  return test::any_case("occupancy", {{"resident_warps", warps}, {"occupancy_limit", limit}});
}

Outcome reading(std::uint64_t warps, const std::string& limit, double gb_per_s) {
  return {.one = occupancy_case(warps, limit), .headline = gb_per_s, .bytes_per_s = gb_per_s * 1e9};
}

}  // namespace

TEST_CASE("occupancy: every limit leaves the warps that the case asks for, or skips it", "[occupancy]") {
  const Device h200 = model::load_profile("h200").device;
  const std::map<std::string, std::vector<std::uint64_t>> possible = {
      {"shared-memory", {2, 4, 8, 16, 32, 64}}, {"registers", {8, 16, 32, 64}}, {"block-size", {32, 64}}};
  for (const auto& [limit, warps] : possible) {
    for (const std::uint64_t asked : {2U, 4U, 8U, 16U, 32U, 64U}) {
      CAPTURE(limit, asked);
      const Case one = occupancy_case(asked, limit);
      if (std::ranges::find(warps, asked) == warps.end()) {
        CHECK_THROWS_AS(one.probe->describe(one, h200), Error);
        continue;
      }
      const Workload workload = one.probe->describe(one, h200);
      CHECK(model::occupancy_of(workload, h200).blocks * workload.block_threads == asked * 32);
      CHECK(workload.shared_bytes_per_block <= h200.shared_bytes_per_block);
      const access::Site& site = workload.sites.front();
      CHECK(site.requests * 512 == workload.useful_bytes_read);
    }
  }
}

TEST_CASE("occupancy: fewer warps wait longer", "[occupancy]") {
  const model::Profile h200 = model::load_profile("h200");
  const auto seconds = [&](std::uint64_t warps) {
    const Case one = occupancy_case(warps, "shared-memory");
    return model::predict(one.probe->describe(one, h200.device), h200).seconds;
  };
  CHECK(seconds(2) > 2 * seconds(8));
  CHECK(seconds(8) > seconds(64));
}

TEST_CASE("occupancy: the advice says how many warps suffice and whether the limit matters", "[occupancy]") {
  CHECK(test::advice({reading(2, "shared-memory", 500), reading(32, "shared-memory", 4400),
                      reading(64, "shared-memory", 4500), reading(64, "registers", 4000)}) ==
        "32 resident warps of 64 reach 95 % of the bandwidth: more occupancy gains nothing there. What limits them "
        "matters too: 64 warps read at 4000 GB/s to 4500 GB/s.");
  CHECK(test::advice({reading(2, "registers", 500), reading(4, "registers", 1000)}) ==
        "It takes all of 4 resident warps: less in flight is less bandwidth.");
  CHECK(test::advice({reading(2, "registers", 500)}).empty());
}
