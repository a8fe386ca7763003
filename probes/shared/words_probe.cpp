#include "probes/shared/words_probe.hpp"

#include <optional>
#include <utility>

namespace gpumem::shared {

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
  probe.axes.push_back(
      axis::op({.flag = "op",
                .purpose = "what the kernel does with the words: conflicts cost loads and stores alike",
                .defaults = "read"}));
  // The words that a warp asks for, through all banks at once.
  probe.headline = request_cycles([](const Workload& workload, const Device&) -> std::optional<double> {
    return workload.sites.front().word_bytes / access::bank_bytes;
  });
  probe.metrics = {{.quantity = {"gb_per_s_per_multiprocessor", "bandwidth of one multiprocessor", Better::more},
                    .from_seconds = [](const Workload& workload, double seconds) -> std::optional<double> {
                      const auto blocks = static_cast<double>(workload.blocks);  // one a multiprocessor
                      return static_cast<double>(workload.useful_bytes()) / blocks / seconds * per_giga;
                    }}};
  return probe;
}

}  // namespace gpumem::shared
