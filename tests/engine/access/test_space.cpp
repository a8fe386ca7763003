#include <set>
#include <stdexcept>
#include <string_view>

#include "engine/access/site.hpp"
#include "engine/access/units.hpp"
#include "tests/catch.hpp"

namespace gpumem::access::test_space {

static_assert(to_string(Space::global) == "global" && to_string(Space::host) == "host");
static_assert(to_string(Space::cluster) == "cluster" && to_string(Op::atomic) == "atomic");

// The least that a request of a full warp costs whose lanes share nothing.
static_assert(sectors.least(4) == 4 && sectors.least(16) == 16 && wavefronts.least(4) == 1 &&
              wavefronts.least(16) == 4);
static_assert(addresses.least(4) == 32 && addresses.least(16) == 32);

TEST_CASE("Every space and op has a row and a name of its own", "[access]") {
  std::set<std::string_view> names;
  for (const SpaceRow& row : spaces) {
    CHECK(&row_of(row.space) == &row);
    CHECK(names.insert(to_string(row.space)).second);
  }
  for (const OpRow& row : ops) {
    CHECK(&row_of(row.op) == &row);
    CHECK(names.insert(to_string(row.op)).second);
  }
  CHECK(names == std::set<std::string_view>{"global", "shared", "host", "local", "constant", "texture", "cluster",
                                            "peer", "load", "store", "atomic"});
}

TEST_CASE("A space or op without a row falls through to no other", "[access]") {
  CHECK_THROWS_AS(to_string(static_cast<Space>(99)), std::logic_error);
  CHECK_THROWS_AS(to_string(static_cast<Op>(99)), std::logic_error);
}

TEST_CASE("Instructions name a space as one of those they can name", "[access]") {
  for (const SpaceRow& row : spaces) CHECK(row_of(row.instructions_name).instructions_name == row.instructions_name);
}

TEST_CASE("Requests of shared memory cost wavefronts, of constant memory addresses, of memory on a bus sectors",
          "[access]") {
  for (const SpaceRow& row : spaces) {
    const bool on_bus =
        row.space == Space::global || row.space == Space::host || row.space == Space::local || row.space == Space::peer;
    for (const Op op : {Op::load, Op::store}) {
      CHECK(costed(row.space, op).sectors == on_bus);
      CHECK(costed(row.space, op).wavefronts == (row.space == Space::shared));
      CHECK(costed(row.space, op).addresses == (row.space == Space::constant));
      CHECK(costed(row.space, op).any() == (row.space != Space::texture && row.space != Space::cluster));
    }
    CHECK_FALSE(costed(row.space, Op::atomic).any());
  }
}

TEST_CASE("A site whose requests have no cost yet needs no addresses", "[access]") {
  Site site;
  site.space = Space::texture;
  site.requests = 1000;
  const SiteSummary summary = summarise(site);
  CHECK(summary.cost.sectors_per_request == 0);
  CHECK(summary.footprint.sectors == 0);
}

}  // namespace gpumem::access::test_space
