// Neighbours: two at once on one GPU. The victim is a kernel whose data stay in L2, a kernel of atomics, or copies over
// the link. Its neighbour is a kernel on other multiprocessors that streams through device memory. Each runs alone,
// then both run at once: the probe shows what each loses.

#include <optional>
#include <string>

#include "engine/measure/kernel_name.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/subjects/neighbours.hpp"
#include "probes/cache/neighbours/neighbours_case.hpp"
#include "probes/cache/neighbours/neighbours_experiment.cuh"
#include "probes/cache/neighbours/neighbours_kernels.cuh"
#include "probes/probe.hpp"
#include "probes/requests.hpp"

namespace gpumem::cache {

namespace {

using Victim = Neighbours::Victim;

Workload describe_neighbours(const Case& decided, const Device& device) {
  const NeighboursLaunch launch(decided, device);
  Workload workload;
  workload.subject = launch.described();
  workload.useful_bytes_read = launch.moved_bytes();
  workload.allocated_bytes = launch.victim_bytes + launch.stream_bytes();
  workload.clock = measure::Clock::host;
  workload.unmodelled = "a run is the victim alone, and then both at once";
  if (launch.victim == Victim::link) {
    workload.host_bytes = launch.victim_bytes;
    workload.operations = {{.work = Operation::Work::copy_to_device,
                            .stage = "copy in",
                            .bytes = launch.moved_bytes(),
                            .count = launch.turns}};
    return workload;
  }
  const bool adds = launch.victim == Victim::atomics;
  const unsigned word_bytes = adds ? atomic_word_bytes : neighbour_word_bytes;
  const std::uint64_t words = launch.victim_bytes / word_bytes;
  const std::uint64_t requests = (words + access::warp_lanes - 1) / access::warp_lanes;
  workload.kernel = adds ? measure::kernel_name<&add_beside<neighbour_in_a_row>>()
                         : measure::kernel_name<&read_beside<neighbour_in_a_row>>();
  workload.sites.push_back({.name = "victim's words",
                            .op = adds ? access::Op::atomic : access::Op::load,
                            .word_bytes = word_bytes,
                            .instructions = neighbour_in_a_row,
                            .requests = requests * launch.turns,
                            .passes = launch.turns,
                            .kept_in_l1 = false,
                            .request = [words, word_bytes, requests](std::uint64_t k) {
                              return consecutive_request(word_bytes, k % requests, words);
                            }});
  workload.blocks = launch.victim_blocks;
  workload.block_threads = neighbour_threads;
  workload.shared_bytes_per_block = launch.shared_bytes_per_block;
  return workload;
}

/// A number of the report that the model predicts from the rates; absent if the workload has no neighbours.
template <class Number>
auto predicted(const Number& number) {
  return [number](const Workload& workload, const model::Prediction&, const model::Profile& profile) {
    const auto* neighbours = workload.about<Neighbours>();
    return neighbours ? std::optional<double>(number(model::neighbour_rates(*neighbours, profile))) : std::nullopt;
  };
}

auto predicted_gb_per_s(double model::NeighbourRates::*rate) {
  return predicted([rate](const model::NeighbourRates& rates) { return rates.*rate * per_giga; });
}

Probe neighbours_probe() {
  Probe probe;
  probe.name = "neighbours";
  probe.purpose = "two at once on one GPU: what a stream takes from its victim";
  probe.family = Family::cache;
  probe.axes = {
      axis::split({.flag = "split",
                   .unit = "percent",
                   .purpose = "multiprocessors of the victim, as a percentage; the neighbour has the others",
                   .defaults = "12,25,50,75",
                   .quick = "50",
                   .minimum = 1,
                   .maximum = 99}),
      axis::victim(
          {.flag = "victim",
           .purpose = "a kernel whose data stay in L2, one of atomics, or copies over the link by a copy engine"}),
      axis::protection({.flag = "protection",
                        .purpose =
                            "nothing; a persisting window on the victim's data; the highest priority for its stream; "
                            "or half the grid for the neighbour",
                        .quick = "none",
                        .value_optional = true}),
      axis::victim_bytes({.flag = "victim-data",
                          .unit = "bytes",
                          .purpose = "bytes that the victim goes over again and again; auto is a quarter of L2",
                          .defaults = "auto",
                          .minimum = least_victim_bytes,
                          .maximum = std::uint64_t{256} << 20U,
                          .takes_auto = true})};
  probe.compared = axis::protection.name;
  probe.baseline = std::string("none");
  probe.headline = {
      .quantity = {"kept_percent", "share of its rate alone that the victim keeps beside the neighbour", Better::more},
      .predict =
          predicted([](const model::NeighbourRates& rates) { return 100 * rates.victim_beside / rates.victim_alone; })};
  const Metric neighbour_kept = {
      .quantity = {"neighbour_kept_percent", "share of its rate alone that the neighbour keeps beside the victim",
                   Better::more},
      .predict = predicted(
          [](const model::NeighbourRates& rates) { return 100 * rates.neighbour_beside / rates.neighbour_alone; }),
      .essential = true};
  probe.metrics = {neighbour_kept,
                   {.quantity = {"victim_alone_gb_per_s", "the victim alone", Better::more},
                    .predict = predicted_gb_per_s(&model::NeighbourRates::victim_alone)},
                   {.quantity = {"victim_beside_gb_per_s", "the victim beside the neighbour", Better::more},
                    .predict = predicted_gb_per_s(&model::NeighbourRates::victim_beside)},
                   {.quantity = {"neighbour_alone_gb_per_s", "the neighbour alone, with its whole grid", Better::more},
                    .predict = predicted_gb_per_s(&model::NeighbourRates::neighbour_alone)},
                   {.quantity = {"neighbour_beside_gb_per_s", "the neighbour beside the victim", Better::more},
                    .predict = predicted_gb_per_s(&model::NeighbourRates::neighbour_beside)}};
  probe.size = size_neighbours;
  probe.fits = [](const Case& tested, const Device&) {
    return tested[axis::victim] != Victim::link || tested[axis::protection] != Protection::window;
  };
  probe.describe = describe_neighbours;
  probe.prepare = prepared<NeighboursExperiment>;
  probe.conclude = conclude_neighbours;
  return probe;
}

GPUMEM_PROBE(neighbours_probe);

}  // namespace

}  // namespace gpumem::cache
