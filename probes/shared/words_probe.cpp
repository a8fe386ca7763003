#include "probes/shared/words_probe.hpp"

#include <algorithm>
#include <optional>
#include <utility>

#include "probes/sweep_facts.hpp"

namespace gpumem::shared {

namespace {

Conclusion conclude_words(std::span<const Outcome> outcomes) {
  const std::string accesses = "shared-memory " + outcomes.front().tested.name(axis::op) + "s";
  return conclude_sweep(outcomes, accesses, RequestUnit::wavefronts);
}

}  // namespace

double least_wavefronts(const access::Site& site) {
  if (site.kinds.empty()) return access::least_wavefronts(site.request(0));
  double wavefronts = 0;
  double requests = 0;
  for (const access::RequestKind& kind : site.kinds) {
    wavefronts += static_cast<double>(kind.count) * access::least_wavefronts(site.request(kind.request));
    requests += static_cast<double>(kind.count);
  }
  return wavefronts / requests;
}

Headline words_headline() {
  return request_cycles(
      [](const Workload& workload, const Device&) { return std::optional(least_wavefronts(workload.sites.front())); });
}

Metric rate_of_multiprocessor() {
  return {.quantity = {"gb_per_s_per_multiprocessor", "bandwidth of one multiprocessor", Better::more},
          .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
            const auto blocks = static_cast<double>(workload.blocks);  // one a multiprocessor
            return static_cast<double>(workload.useful_bytes()) / blocks / seconds * per_giga;
          }};
}

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
  probe.headline = words_headline();
  probe.metrics = {rate_of_multiprocessor()};
  probe.conclude = conclude_words;
  return probe;
}

}  // namespace gpumem::shared
