// The busier a launch keeps memory, the longer it waits for its loads. Nobody waits for a store.

#include "engine/model/occupancy.hpp"
#include "engine/model/stages.hpp"
#include "engine/model/waiting.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_waiting {

namespace {

constexpr double microsecond = 1e-6;

/// A cycle is a nanosecond, an idle memory answers in 1000 of them, and no place stays empty.
Profile profile() {
  Profile profile = load_profile("h200");
  profile.device.sm_clock_hz = 1'000'000'000;
  profile.rates.latency.memory_cycles = 1000;
  profile.rates.waiting.load_latency_s = 3 * microsecond;
  profile.rates.waiting.store_latency_s = 0.5 * microsecond;
  profile.rates.waiting.block_drain_share = 0;
  profile.rates.waiting.load_turn_s = 0;
  return profile;
}

/// As many cycles as memory is busy for, of 1000.
Profile with_queue() {
  Profile known = profile();
  known.rates.queue.memory_loads.cycles = 1000;
  known.rates.queue.memory_loads.growth = 1e-9;
  known.rates.queue.memory_both.cycles = 4000;
  known.rates.queue.memory_both.growth = 1e-9;
  return known;
}

/// A block for every place, each of which waits once.
Workload every_place(const Profile& profile) {
  Workload workload;
  workload.block_threads = 256;
  workload.blocks = occupancy_of(workload, profile.device).of_device;
  return workload;
}

Demand reads() {
  Demand demand;
  demand.loads = true;
  demand.l2.load_sectors = demand.l2.first_sectors = 1e6;
  demand.dram.read_bytes = 32e6;
  demand.turns = 1;
  return demand;
}

double waits_us(const Demand& demand, const Profile& profile, double memory_us, bool cached = false) {
  return waiting_of(every_place(profile), demand, profile, memory_us * microsecond, cached).uneven_s / microsecond;
}

}  // namespace

TEST_CASE("waits: the busier memory is, the longer, and the longer they are, the less busy it is", "[waiting]") {
  CHECK(waits_us(reads(), with_queue(), 0) == Approx(1).epsilon(1e-3));
  CHECK(waits_us(reads(), with_queue(), 0.75) == Approx(1.5).epsilon(1e-3));  // busy for half of it
  CHECK(waits_us(reads(), with_queue(), 2) == Approx(2).epsilon(1e-3));
  CHECK(waits_us(reads(), with_queue(), 9) == Approx(2).epsilon(1e-3));  // for all of a time that is longer
}

TEST_CASE("waits: without queues on the line from an idle memory to a busy one", "[waiting]") {
  CHECK(waits_us(reads(), profile(), 0) == Approx(1).epsilon(1e-3));
  CHECK(waits_us(reads(), profile(), 1) == Approx(2).epsilon(1e-3));  // busy for half of it
  CHECK(waits_us(reads(), profile(), 9) == Approx(3).epsilon(1e-3));
}

TEST_CASE("waits: loads wait for stores in the queues, and nobody for a store", "[waiting]") {
  Demand copies = reads();
  copies.stores = true;
  copies.dram.write_bytes = copies.dram.read_bytes;
  CHECK(waits_us(copies, with_queue(), 9) == Approx(5).epsilon(1e-3));
  CHECK(waits_us(copies, profile(), 9) == Approx(3.5).epsilon(1e-3));
  Demand writes = copies;
  writes.loads = false;
  writes.dram.read_bytes = 0;
  CHECK(waits_us(writes, with_queue(), 9) == Approx(0.5).epsilon(1e-3));
}

TEST_CASE("waits: L2 answers what it has, however busy memory is", "[waiting]") {
  Profile near = with_queue();
  near.rates.l2.near_share = 1;
  near.rates.latency.l2_cycles = 250;
  CHECK(waits_us(reads(), near, 9, true) == Approx(0.25));
}

TEST_CASE("waits: at barriers for the last warp of a block, the longer the fewer blocks there are", "[waiting]") {
  Profile drains = with_queue();
  drains.rates.waiting.block_drain_share = 2;
  Workload in_step = every_place(drains);
  in_step.in_step = true;
  in_step.waits = 10;
  const double resident = occupancy_of(in_step, drains.device).blocks;
  const Waiting waiting = waiting_of(in_step, reads(), drains, 0, false);
  CHECK(waiting.uneven_s == Approx(10 * microsecond).epsilon(1e-3));
  CHECK(waiting.barriers_s == Approx(10 * microsecond * 2 / resident).epsilon(1e-3));
}

TEST_CASE("waits: memory has nothing to do while the blocks it served compute", "[waiting]") {
  const Profile known = with_queue();
  const auto idle_us = [&](Chain chain, double memory_us) {
    Workload workload = every_place(known);  // of eight warps
    workload.in_step = true;
    workload.chains = Chains{.mean = chain, .busiest = chain, .longest = chain};
    return waiting_of(workload, reads(), known, memory_us * microsecond, false).barriers_s / microsecond;
  };
  // Until all warps of a block have their loads, and from then on for what they compute and the first load's latency.
  CHECK(idle_us({.waits = 1, .cycles = 500}, 0.9) == Approx(1 + 0.5 - 0.1));
  CHECK(idle_us({.waits = 4, .cycles = 500}, 0.9) == Approx(1 + 0.5 - 0.1 / 4));
  CHECK(idle_us({.waits = 1, .cycles = 500}, 90) == 0);  // other blocks are served for longer than that
  CHECK(idle_us({.waits = 0.25, .cycles = 500}, 0.9) == Approx(0.25 * (1 + 0.5 - 0.1)));
  CHECK(idle_us({.waits = 0, .cycles = 500}, 0.9) == 0);
}

TEST_CASE("waits: what memory has nothing to do for adds to its time, and to nobody else's", "[waiting]") {
  const Rates rates = with_queue().rates;
  const auto seconds = [&](std::vector<StageTime> stages, bool chains) {
    Workload workload;
    if (chains) workload.chains = Chains{};
    return launch_seconds(stages, reads(), workload, rates, false) - rates.launch.fixed_s;
  };
  CHECK(seconds({{"barriers", 2}, {"dram", 3}}, true) == Approx(5));
  CHECK(seconds({{"barriers", 2}, {"dram", 3}, {"atomics", 4}}, true) == Approx(5));
  CHECK(seconds({{"barriers", 2}, {"dram", 3}, {"atomics", 9}}, true) == Approx(9));
  CHECK(seconds({{"barriers", 2}, {"dram", 3}, {"latency", 6}}, true) == Approx(6));
  CHECK(seconds({{"barriers", 2}, {"latency", 6}}, false) == Approx(8));
}

}  // namespace gpumem::model::test_waiting
