// Loads wait in the queues of a busy memory: not at all without traffic, and longer the more traffic there is. A mix of
// loads and stores lies between the mixes that were measured.

#include <stdexcept>

#include "engine/model/predict.hpp"
#include "engine/model/subjects/chase.hpp"
#include "engine/model/subjects/queueing.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_queueing {

namespace {

Rates made_up() {
  Rates rates;
  rates.queue.memory_loads.cycles = 100;
  rates.queue.memory_loads.growth = 0.9;
  rates.queue.memory_both.cycles = 200;
  rates.queue.memory_both.growth = 0.8;
  rates.queue.memory_stores.cycles = 300;
  rates.queue.memory_stores.growth = 0.5;
  rates.queue.l2.cycles = 10;
  rates.queue.l2.growth = 0.95;
  return rates;
}

double memory(double share, double written) { return queue_cycles("memory", {share, written}, made_up()); }

}  // namespace

TEST_CASE("a load waits for nothing beside no traffic, and ever longer beside more", "[queueing]") {
  CHECK(memory(0, 0) == 0);
  CHECK(memory(0.5, 0) == Approx(100 * 0.5 / (1 - 0.45)));
  CHECK(memory(0.9, 0) == Approx(100 * 0.9 / (1 - 0.81)));
  double before = 0;
  for (double share = 0.1; share < 1; share += 0.1) {
    CHECK(memory(share, 0) / share > before);
    before = memory(share, 0) / share;
  }
}

TEST_CASE("a mix of loads and stores lies between the two that were measured", "[queueing]") {
  CHECK(memory(0.5, 0.5) == Approx(200 * 0.5 / (1 - 0.4)));
  CHECK(memory(0.5, 1) == Approx(300 * 0.5 / (1 - 0.25)));
  CHECK(memory(0.5, 0.25) == Approx((memory(0.5, 0) + memory(0.5, 0.5)) / 2));
  CHECK(memory(0.5, 0.9) == Approx(0.8 * memory(0.5, 1) + 0.2 * memory(0.5, 0.5)));
}

TEST_CASE("L2 has one queue, other levels have none", "[queueing]") {
  CHECK(queue_cycles("l2", {0.5, 0}, made_up()) == Approx(10 * 0.5 / (1 - 0.475)));
  CHECK(queue_cycles("l2", {0.5, 1}, made_up()) == queue_cycles("l2", {0.5, 0}, made_up()));
  CHECK_THROWS_AS(queue_cycles("shared", {0.5, 0}, made_up()), std::logic_error);
}

TEST_CASE("a chase beside traffic takes the level's latency and waits besides", "[queueing][chase]") {
  Profile profile;
  profile.rates = made_up();
  profile.rates.latency.memory_cycles = 600;
  CHECK(step_cycles({.level = "memory"}, profile) == 600);
  CHECK(step_cycles({.level = "memory", .traffic_share = 0.5, .written_share = 1}, profile) == 600 + memory(0.5, 1));
}

TEST_CASE("what a mix needs is named where a profile lacks it", "[queueing]") {
  CHECK(queue_rates("memory", 0).size() == 2);
  CHECK(queue_rates("memory", 0.5).size() == 2);
  CHECK(queue_rates("memory", 0.3).size() == 4);
  Workload workload;
  workload.unmodelled = "it is a chase";
  workload.subject = Chase{.level = "l2", .traffic_share = 0.5};
  const Profile h100 = load_profile("h100");
  CHECK(why_unpredicted(workload, h100) == "it is a chase");
  Profile without = h100;
  without.how.erase("l2_queue_growth");
  CHECK(why_unpredicted(workload, without) ==
        "profile 'h100' does not know l2_queue_growth; 'gpumem calibrate' on such a GPU measures it");
  without.how.erase("l2_queue_cycles");
  CHECK(why_unpredicted(workload, without) ==
        "profile 'h100' does not know l2_queue_cycles, l2_queue_growth; 'gpumem calibrate' on such a GPU measures "
        "them");
}

}  // namespace gpumem::model::test_queueing
