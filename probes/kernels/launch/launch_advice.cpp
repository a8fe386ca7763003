#include "probes/kernels/launch/launch_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <map>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::kernels {

namespace {

/// Closer than this, two costs are called the same.
constexpr double alike = 1.05;

constexpr std::array<std::pair<std::string_view, std::string_view>, 3> ways = {{
    {"alone", "waited for one by one"},
    {"batched", "queued one behind another"},
    {"graph", "in one graph"},
}};

/// The indices of a way's outcomes, by kernels.
using ByKernels = std::map<std::uint64_t, std::size_t>;

ByKernels of_way(std::span<const Outcome> outcomes, std::string_view way) {
  ByKernels found;
  for (std::size_t i = 0; i < outcomes.size(); ++i) {
    if (outcomes[i].one.name("launch") == way) found[outcomes[i].one.number("kernels")] = i;
  }
  return found;
}

std::string us(double value) { return significant(value, 3) + " us"; }

}  // namespace

Conclusion conclude_launch(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  std::vector<std::string> costs;
  for (const auto& [way, words] : ways) {
    const ByKernels found = of_way(outcomes, way);
    if (found.empty()) continue;
    const auto& [most, index] = *found.rbegin();
    costs.push_back(fmt::format("{} {} ({} of them)", us(outcomes[index].headline), words, most));
  }
  std::vector<std::string> sentences = {
      fmt::format("A kernel that does next to nothing costs {}.", join_in_words(costs))};
  const ByKernels alone = of_way(outcomes, "alone");
  const ByKernels batched = of_way(outcomes, "batched");
  const ByKernels graph = of_way(outcomes, "graph");
  if (!alone.empty() && !batched.empty()) {
    const Outcome& single = outcomes[alone.begin()->second];
    const Outcome& queued = outcomes[batched.rbegin()->second];
    const double waits = single.headline - queued.headline;
    if (waits > 0) {
      conclusion.found.push_back({"host_waits_us", waits, {alone.begin()->second, batched.rbegin()->second}});
      sentences.push_back(
          fmt::format("Waiting for a kernel costs the host {} more than to queue the next one: wait "
                      "only where a result is needed.",
                      us(waits)));
    }
  }
  // A graph pays from where it beats the queue at every larger number.
  std::uint64_t from = 0;  // none
  double ratio = 0;
  for (const auto& [kernels, index] : graph) {
    const auto same = batched.find(kernels);
    if (same == batched.end()) continue;
    ratio = outcomes[same->second].headline / outcomes[index].headline;
    if (ratio <= alike) {
      from = 0;
    } else if (from == 0) {
      from = kernels;
    }
  }
  if (from > 0) {
    sentences.push_back(fmt::format("From {} {} on a graph is faster than the queue, {} at {}.", from,
                                    from == 1 ? "kernel" : "kernels", times_words(ratio), graph.rbegin()->first));
  } else if (ratio > 0) {
    sentences.emplace_back("A graph gains nothing over the queue.");
  }
  conclusion.advice = paragraph(sentences);
  return conclusion;
}

}  // namespace gpumem::kernels
