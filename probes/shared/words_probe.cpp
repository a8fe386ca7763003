#include "probes/shared/words_probe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "probes/sweep_facts.hpp"

namespace gpumem::shared {

namespace {

/// Cycles that a request would take if its words were shared out evenly to all banks: those that several lanes ask for
/// count once.
double least_cycles(const access::WarpRequest& request) {
  constexpr unsigned bytes_per_cycle = access::bank_count * access::bank_bytes;
  const unsigned cycles = (access::useful_bytes(request) + bytes_per_cycle - 1) / bytes_per_cycle;
  return std::max(cycles, 1U);
}

/// The same on average over a site's requests.
double least_cycles(const access::Site& site) {
  if (site.kinds.empty()) return least_cycles(site.request(0));
  double cycles = 0;
  double requests = 0;
  for (const access::RequestKind& kind : site.kinds) {
    cycles += static_cast<double>(kind.count) * least_cycles(site.request(kind.request));
    requests += static_cast<double>(kind.count);
  }
  return cycles / requests;
}

Conclusion conclude_words(std::span<const Outcome> outcomes) {
  const std::string accesses = "shared-memory " + outcomes.front().tested.name(axis::op) + "s";
  return conclude_sweep(outcomes, accesses, RequestUnit::wavefronts);
}

}  // namespace

Probe words_probe(std::vector<Axis> own) {
  Probe probe;
  probe.family = Family::shared;
  probe.axes = std::move(own);
  probe.axes.push_back(
      axis::word_bytes({.flag = "word-bytes",
                        .unit = "bytes",
                        .purpose = "size of a word: what one lane loads or stores with one instruction",
                        .defaults = "4",
                        .numbers = {4, 8, 16}}));
  probe.axes.push_back(axis::op(
      {.flag = "op", .purpose = "operation on the words: conflicts cost loads and stores alike", .defaults = "read"}));
  probe.headline = request_cycles(
      [](const Workload& workload, const Device&) { return std::optional(least_cycles(workload.sites.front())); });
  probe.metrics = {{.quantity = {"gb_per_s_per_multiprocessor", "bandwidth of one multiprocessor", Better::more},
                    .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
                      const auto blocks = static_cast<double>(workload.blocks);  // one a multiprocessor
                      return static_cast<double>(workload.useful_bytes()) / blocks / seconds * per_giga;
                    }}};
  probe.conclude = conclude_words;
  return probe;
}

}  // namespace gpumem::shared
