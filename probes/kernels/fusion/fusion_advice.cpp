#include "probes/kernels/fusion/fusion_advice.hpp"

#include <fmt/format.h>

#include <cmath>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/kernels/fusion/fusion.hpp"
#include "probes/kernels/gain_words.hpp"

namespace gpumem::kernels {

namespace {

/// Closer than this, two times are called the same.
constexpr double alike = 1.05;

struct Pair {
  const Outcome* separate = nullptr;
  const Outcome* fused = nullptr;

  [[nodiscard]] bool complete() const {
    return separate != nullptr && fused != nullptr && separate->seconds > 0 && fused->seconds > 0;
  }
  [[nodiscard]] double speed() const { return separate->seconds / fused->seconds; }
};

std::string largest_words(std::uint64_t bytes, const Pair& pair) {
  std::string moved;
  const auto separate = pair.separate->metric("moved_over_useful");
  const auto fused = pair.fused->metric("moved_over_useful");
  if (separate && fused) moved = fmt::format(", which move {} x the bytes", significant(*separate / *fused, 3));
  return fmt::format("GeLU of {} takes {} in one kernel and {} in {} of them{}: one is {} as fast.", size_text(bytes),
                     duration_words(pair.fused->seconds, 3), duration_words(pair.separate->seconds, 3), gelu_steps,
                     moved, gain_words(*pair.separate, *pair.fused));
}

}  // namespace

Conclusion conclude_fusion(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, Pair> pairs;
  for (const Outcome& outcome : outcomes) {
    Pair& pair = pairs[outcome.one.number("size_bytes")];
    (outcome.one.name("fusion") == "fused" ? pair.fused : pair.separate) = &outcome;
  }
  std::erase_if(pairs, [](const auto& entry) { return !entry.second.complete(); });
  if (pairs.empty()) return {};
  const auto& [largest, at_most] = *pairs.rbegin();
  const auto& [smallest, at_least] = *pairs.begin();
  std::vector<std::string> sentences = {largest_words(largest, at_most)};
  const bool differs = std::abs(at_least.speed() / at_most.speed() - 1) > alike - 1;
  if (smallest != largest && differs) {
    sentences.push_back(fmt::format("Of {} it is {} as fast: {} against {}.", size_text(smallest),
                                    times_words(at_least.speed()), duration_words(at_least.fused->seconds, 3),
                                    duration_words(at_least.separate->seconds, 3)));
  }
  if (at_most.speed() > alike) {
    sentences.emplace_back(
        "Fuse elementwise operations that follow each other: what lies between them then stays in "
        "registers.");
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::kernels
