// Two flows that share stages: how what there is gets filled, and what L2 keeps of a victim beside a stream.

#include <vector>

#include "engine/model/subjects/neighbours.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_neighbours {

namespace {

using Victim = Neighbours::Victim;

/// An H200 with round rates of what is measured only: a multiprocessor takes 64 bytes a cycle.
Profile profile() {
  Profile profile = load_profile("h200");
  profile.device.l2_bytes = 60U << 20U;
  profile.device.sm_clock_hz = 2'000'000'000;
  profile.rates.l2.port_bytes_per_cycle = 64;
  profile.rates.atomics.port_bytes_per_cycle = 24;
  profile.rates.atomics.sectors_per_s = 50e9;
  profile.rates.l2.load_sectors_per_s = 200e9;
  profile.rates.dram.read_bytes_per_s = 4e12;
  profile.rates.dram.write_bytes_per_s = 4e12;
  profile.rates.link.to_device_bytes_per_s = 50e9;
  return profile;
}

Neighbours neighbours(Victim victim, unsigned multiprocessors, std::uint64_t bytes) {
  return {.victim = victim,
          .victim_multiprocessors = multiprocessors,
          .neighbour_multiprocessors = 132 - multiprocessors,
          .neighbour_beside_multiprocessors = 132 - multiprocessors,
          .victim_bytes = bytes};
}

Flow flow(double alone, std::vector<std::pair<SharedStage, double>> uses) {
  Flow made;
  made.alone_bytes_per_s = alone;
  made.weight = alone;
  for (const auto& [stage, rate] : uses) made.of(stage) = 1 / rate;
  return made;
}

constexpr std::uint64_t mib = 1U << 20U;

}  // namespace

TEST_CASE("flows that share a stage get the same share of what they reach alone", "[neighbours]") {
  const std::vector<Flow> flows = {flow(60, {{SharedStage::l2, 100}}), flow(90, {{SharedStage::l2, 100}})};
  const std::vector<double> rates = filled(flows);
  CHECK(rates[0] == Approx(40));
  CHECK(rates[1] == Approx(60));
}

TEST_CASE("flows that share nothing, or have enough, lose nothing", "[neighbours]") {
  CHECK(filled(std::vector{flow(60, {{SharedStage::link, 60}}), flow(90, {{SharedStage::l2, 90}})}) ==
        std::vector<double>{60, 90});
  CHECK(filled(std::vector{flow(60, {{SharedStage::l2, 200}}), flow(90, {{SharedStage::l2, 200}})}) ==
        std::vector<double>{60, 90});
}

TEST_CASE("who does not use the stage that is full takes what others leave", "[neighbours]") {
  // Two share memory, and one of them with a third L2: memory is full at 5/9 of what they reach alone.
  const std::vector<Flow> flows = {flow(90, {{SharedStage::memory, 100}, {SharedStage::l2, 200}}),
                                   flow(90, {{SharedStage::memory, 100}}), flow(150, {{SharedStage::l2, 200}})};
  const std::vector<double> rates = filled(flows);
  CHECK(rates[0] == Approx(50));
  CHECK(rates[1] == Approx(50));
  CHECK(rates[2] == Approx(150));
}

TEST_CASE("flows rise by their weights, and none beyond what it reaches alone", "[neighbours]") {
  std::vector<Flow> flows = {flow(60, {{SharedStage::memory, 100}}), flow(90, {{SharedStage::memory, 100}})};
  flows[0].weight = 30;
  CHECK(filled(flows)[0] == Approx(25));
  CHECK(filled(flows)[1] == Approx(75));
  flows[0].weight = 9000;
  CHECK(filled(flows)[0] == Approx(60));
  CHECK(filled(flows)[1] == Approx(40));
}

TEST_CASE("what a victim has lost from L2 it shares by the number of multiprocessors", "[neighbours]") {
  const NeighbourRates rates = neighbour_rates(neighbours(Victim::l2, 33, 400 * mib), profile());
  CHECK(rates.missed_share == Approx(1).epsilon(0.01));
  CHECK(rates.victim_beside == Approx(1e12).epsilon(0.02));
  CHECK(rates.neighbour_beside == Approx(3e12).epsilon(0.02));
}

TEST_CASE("a victim finds its data again if L2 holds them with what has passed meanwhile, or never", "[neighbours]") {
  const auto missed = [](unsigned multiprocessors, std::uint64_t bytes) {  // 54 of 60 MiB hold them
    return neighbour_rates(neighbours(Victim::l2, multiprocessors, bytes), profile()).missed_share;
  };
  // From memory a quarter of the multiprocessors gets a quarter: three times its data pass meanwhile.
  CHECK(missed(33, 13 * mib) == 0);
  CHECK(missed(33, 14 * mib) == 1);
  CHECK(missed(66, 26 * mib) == 0);
  CHECK(missed(66, 28 * mib) == 1);
}

TEST_CASE("alone, ports limit few multiprocessors and L2 or memory many", "[neighbours]") {
  const NeighbourRates few = neighbour_rates(neighbours(Victim::l2, 10, 4 * mib), profile());
  CHECK(few.victim_alone == Approx(10 * 128e9));
  CHECK(few.neighbour_alone == Approx(4e12));
  const NeighbourRates many = neighbour_rates(neighbours(Victim::l2, 122, 4 * mib), profile());
  CHECK(many.victim_alone == Approx(6.4e12));
  CHECK(many.neighbour_alone == Approx(10 * 128e9));
  CHECK(neighbour_rates(neighbours(Victim::atomics, 122, mib), profile()).victim_alone == Approx(1.6e12));
  CHECK(neighbour_rates(neighbours(Victim::link, 66, mib), profile()).victim_alone == Approx(50e9));
}

TEST_CASE("a victim that L2 still holds loses what L2 has no time for", "[neighbours]") {
  const NeighbourRates rates = neighbour_rates(neighbours(Victim::l2, 66, mib), profile());
  CHECK(rates.missed_share == 0);
  CHECK(rates.victim_beside + rates.neighbour_beside == Approx(6.4e12));
  CHECK(rates.victim_beside / rates.victim_alone == Approx(rates.neighbour_beside / rates.neighbour_alone));
}

TEST_CASE("what passes through L2 between two uses of a byte evicts it, unless it persists", "[neighbours]") {
  Neighbours large = neighbours(Victim::l2, 16, 40 * mib);
  const NeighbourRates evicted = neighbour_rates(large, profile());
  CHECK(evicted.missed_share > 0.5);
  CHECK(evicted.victim_beside < 0.9 * evicted.victim_alone);
  large.persists = true;
  const NeighbourRates kept = neighbour_rates(large, profile());
  CHECK(kept.missed_share < evicted.missed_share);
  CHECK(kept.victim_beside > evicted.victim_beside);
}

TEST_CASE("a smaller grid of the neighbour leaves more to its victim", "[neighbours]") {
  Neighbours both = neighbours(Victim::l2, 66, mib);
  const NeighbourRates whole = neighbour_rates(both, profile());
  both.neighbour_beside_multiprocessors = 8;
  const NeighbourRates smaller = neighbour_rates(both, profile());
  CHECK(smaller.victim_beside > whole.victim_beside);
  CHECK(smaller.neighbour_beside < whole.neighbour_beside);
  CHECK(smaller.neighbour_alone == whole.neighbour_alone);
}

TEST_CASE("copies over the link need little of memory", "[neighbours]") {
  const NeighbourRates rates = neighbour_rates(neighbours(Victim::link, 66, mib), profile());
  CHECK(rates.missed_share == 0);
  CHECK(rates.victim_beside == Approx(rates.victim_alone / (1 + 50e9 / 4e12)));
}

}  // namespace gpumem::model::test_neighbours
