#include "engine/model/demand.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_demand {

using access::Op;
using access::Space;

namespace {

access::Site site(Space space, Op op) {
  access::Site site;
  site.space = space;
  site.op = op;
  site.instructions = 4;
  site.requests = 100;
  site.request = [](std::uint64_t k) {
    access::WarpRequest request;
    request.active = ~std::uint32_t{0};
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane)
      request.address[lane] = (k * access::warp_lanes + lane) * 4;
    return request;
  };
  return site;
}

Demand demand_of_one(const access::Site& site, bool integrated = false) {
  Workload workload;
  workload.sites.push_back(site);
  Profile profile;
  profile.device.integrated = integrated;
  return demand_of(workload, summarise(workload), profile);
}

bool asks_for_nothing(const Demand& demand) {
  return !demand.loads && !demand.stores && !demand.over_link && demand.turns == 1 && demand.l2.load_sectors == 0 &&
         demand.l2.store_sectors == 0 && demand.dram.read_bytes == 0 && demand.dram.write_bytes == 0 &&
         demand.footprint_bytes == 0 && demand.link.load_sectors == 0 && demand.link.store_sectors == 0 &&
         demand.shared_wavefronts == 0;
}

}  // namespace

TEST_CASE("Each space's demand is of where its bytes lie", "[model]") {
  CHECK(demand_of_one(site(Space::global, Op::load)).l2.load_sectors == 400);
  CHECK(demand_of_one(site(Space::global, Op::store)).l2.store_sectors == 400);
  CHECK(demand_of_one(site(Space::host, Op::load)).link.load_sectors == 400);
  CHECK(demand_of_one(site(Space::host, Op::load)).l2.load_sectors == 0);
  CHECK(demand_of_one(site(Space::host, Op::load), true).l2.load_sectors == 400);
  CHECK(demand_of_one(site(Space::local, Op::load)).l2.load_sectors == 400);
  CHECK(demand_of_one(site(Space::local, Op::store)).l2.store_sectors == 400);
  CHECK(demand_of_one(site(Space::shared, Op::load)).shared_wavefronts == 100);
  CHECK(demand_of_one(site(Space::shared, Op::load)).l2.load_sectors == 0);
}

TEST_CASE("What has no rule yet asks for nothing, nor does constant memory, which has caches of its own", "[model]") {
  for (const Space space : {Space::constant, Space::texture, Space::cluster}) {
    CHECK(asks_for_nothing(demand_of_one(site(space, Op::load))));
  }
  for (const auto& row : access::spaces) CHECK(asks_for_nothing(demand_of_one(site(row.space, Op::atomic))));
  CHECK_FALSE(asks_for_nothing(demand_of_one(site(Space::global, Op::load))));
}

}  // namespace gpumem::model::test_demand
