// The rate at which blocks of a cluster reach each other's shared memory, by op, movers, sharers and sectors.

#include <cmath>
#include <stdexcept>

#include "engine/model/subjects/cluster.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_cluster {

using Move = ClusterTraffic::Move;

namespace {

Rates some_rates() {
  Rates rates;
  rates.cluster.read.alone_bytes_per_cycle = 20;
  rates.cluster.read.served_bytes_per_cycle = 21;
  rates.cluster.read.all_bytes_per_cycle = 1000;
  rates.cluster.write.alone_bytes_per_cycle = 16;
  rates.cluster.write.served_bytes_per_cycle = 32;
  rates.cluster.write.all_bytes_per_cycle = 500;
  rates.cluster.multicast_bytes_per_cycle = 50;
  rates.cluster.tile_step_cycles = 100;
  return rates;
}

double reached(const ClusterTraffic& traffic) { return cluster_bytes_per_cycle(traffic, some_rates()); }

}  // namespace

TEST_CASE("clusters: a block alone reaches its op's rate, and many share the network", "[cluster]") {
  CHECK(reached({.move = Move::read, .movers = 1}) == Approx(20).epsilon(0.01));
  CHECK(reached({.move = Move::write, .movers = 1}) == Approx(16).epsilon(0.01));
  CHECK(reached({.move = Move::read, .movers = 50}) == Approx(20 / std::cbrt(2)));  // 20 of the network each
  CHECK(reached({.move = Move::read, .movers = 1000}) == Approx(1).epsilon(0.01));
}

TEST_CASE("clusters: a tile from L2 takes a step, and by multicast its bytes too", "[cluster]") {
  CHECK(reached({.move = Move::multicast, .movers = 132, .bytes = 10'000, .steps = 2}) == Approx(25));
  CHECK(reached({.move = Move::fetch, .movers = 132, .bytes = 10'000, .steps = 2}) == Approx(50));
}

TEST_CASE("clusters: those that ask one block share what it serves", "[cluster]") {
  CHECK(reached({.move = Move::read, .movers = 7, .sharers = 7}) == Approx(3));
  CHECK(reached({.move = Move::write, .movers = 8, .sharers = 8}) == Approx(4));
  CHECK(reached({.move = Move::write, .movers = 1, .sharers = 1}) == Approx(16).epsilon(0.01));
}

TEST_CASE("clusters: the network carries whole sectors", "[cluster]") {
  const double dense = reached({.move = Move::read, .movers = 50});
  CHECK(reached({.move = Move::read, .movers = 50, .sectors = 12}) == Approx(dense / 3));
  CHECK(reached({.move = Move::read, .movers = 50, .sectors = 32}) == Approx(dense / 8));
}

TEST_CASE("clusters: one limit is found again behind the other", "[cluster]") {
  CHECK(behind_each_other(20, behind(20, 12)) == Approx(12));
  CHECK(behind_each_other(20, 1e9) == Approx(20));
}

TEST_CASE("clusters: nothing is told without the rates that it takes", "[cluster]") {
  CHECK(needed_rates(ClusterTraffic{.move = Move::read}).size() == 3);
  CHECK(needed_rates(ClusterTraffic{.move = Move::multicast}).size() == 2);
  CHECK(needed_rates(ClusterTraffic{.move = Move::fetch}) == std::vector<RateId>{rate_ids.cluster.tile_step_cycles});
  CHECK(reached({.move = Move::atomic, .movers = 1}) == 0);
  CHECK_THROWS_AS(rates_of(Move::multicast), std::logic_error);
  CHECK_THROWS_AS(rates_of(Move::fetch), std::logic_error);
}

}  // namespace gpumem::model::test_cluster
