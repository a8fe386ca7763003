// What blocks of a cluster reach in each other's shared memory, by size, op, sharers and conflicts.

#include <algorithm>

#include "engine/model/cluster.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_cluster {

using Move = ClusterTraffic::Move;

namespace {

Rates some_rates() {
  Rates rates;
  rates.cluster_read_bytes_per_cycle = 32;
  rates.cluster_write_bytes_per_cycle = 16;
  rates.cluster_atomic_bytes_per_cycle = 8;
  rates.cluster_wide_share = 0.512;  // 0.8 for each doubling
  rates.cluster_served_bytes_per_cycle = 40;
  rates.multicast_bytes_per_cycle = 50;
  rates.shared_wavefronts_per_cycle = 1;
  return rates;
}

double reached(Move move, unsigned blocks, unsigned sharers = 1, double wavefronts = 1) {
  return cluster_bytes_per_cycle({.move = move, .wavefronts = wavefronts, .sharers = sharers}, blocks, some_rates());
}

bool needs(Move move, unsigned blocks, unsigned sharers, RateMember rate) {
  const auto needed = cluster_rates({.move = move, .sharers = sharers}, blocks);
  return std::ranges::find(needed, rate) != needed.end();
}

}  // namespace

TEST_CASE("clusters: each op has a rate, of which every doubling of the cluster leaves the same share", "[cluster]") {
  CHECK(reached(Move::read, 2) == 32);
  CHECK(reached(Move::write, 2) == 16);
  CHECK(reached(Move::atomic, 2) == 8);
  CHECK(reached(Move::read, 4) == Approx(32 * 0.8));
  CHECK(reached(Move::read, 16) == Approx(32 * 0.512));
  CHECK(reached(Move::multicast, 16) == 50);
}

TEST_CASE("clusters: those that ask one block share what it serves", "[cluster]") {
  CHECK(reached(Move::read, 2, 1) == 32);
  CHECK(reached(Move::read, 8, 7) == Approx(40.0 / 7));
  CHECK(reached(Move::write, 8, 7) == Approx(20.0 / 7));
  CHECK(reached(Move::read, 16, 2) == Approx(32 * 0.512));  // less than half of 40
}

TEST_CASE("clusters: conflicts cost only what the banks of the block asked do not hide", "[cluster]") {
  CHECK(reached(Move::read, 2, 1, 4) == 32);  // 128 bytes take four cycles anyway
  CHECK(reached(Move::read, 2, 1, 32) == 4);
  CHECK(reached(Move::read, 8, 7, 32) == Approx(4.0 / 7));
}

TEST_CASE("clusters: nothing is told without the rates that it takes", "[cluster]") {
  CHECK(needs(Move::read, 2, 1, &Rates::cluster_read_bytes_per_cycle));
  CHECK_FALSE(needs(Move::read, 2, 1, &Rates::cluster_wide_share));
  CHECK(needs(Move::read, 4, 1, &Rates::cluster_wide_share));
  CHECK_FALSE(needs(Move::read, 4, 1, &Rates::cluster_served_bytes_per_cycle));
  CHECK(needs(Move::atomic, 4, 3, &Rates::cluster_served_bytes_per_cycle));
  CHECK(needs(Move::atomic, 4, 3, &Rates::cluster_read_bytes_per_cycle));
  CHECK(needs(Move::multicast, 4, 1, &Rates::multicast_bytes_per_cycle));
  CHECK(cluster_rates({.move = Move::multicast}, 16).size() == 1);
  Rates rates = some_rates();
  rates.cluster_wide_share = 0;
  CHECK(cluster_bytes_per_cycle({.move = Move::read}, 2, rates) == 32);
  CHECK(cluster_bytes_per_cycle({.move = Move::read}, 4, rates) == 0);
}

}  // namespace gpumem::model::test_cluster
