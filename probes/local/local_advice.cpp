#include "probes/local/local_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::local {

namespace {

/// Costs closer than this are called the same.
constexpr double same_within = 0.1;
/// From here on the compiler puts registers aside too.
constexpr double noticeable_local_bytes = 1;

using BySize = std::map<std::uint64_t, const Outcome*>;

BySize of_array(std::span<const Outcome> outcomes, std::string_view array) {
  BySize sizes;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("array") == array) sizes[outcome.one.number("array_words")] = &outcome;
  }
  return sizes;
}

/// How many times as long local memory takes, by the words of the array.
std::map<std::uint64_t, double> slowdowns(const BySize& local, const BySize& registers) {
  std::map<std::uint64_t, double> times;
  for (const auto& [words, outcome] : local) {
    const auto same = registers.find(words);
    if (same != registers.end()) times[words] = same->second->headline / outcome->headline;
  }
  return times;
}

/// "An indexed array takes 8.0 x the time of the same work in registers at 4 words and 75 x at 64."
std::string cost_words(const std::map<std::uint64_t, double>& times) {
  const auto& [fewest, first] = *times.begin();
  const auto& [most, last] = *times.rbegin();
  if (first <= 1 + same_within && last <= 1 + same_within) {
    return fmt::format("An indexed array of {} words is as fast as the same work in registers.", most);
  }
  std::string text = fmt::format("An indexed array takes {} the time of the same work in registers at {} words",
                                 times_words(first), fewest);
  if (times.size() == 1) return text + ".";
  return text + fmt::format(" and {} at {}.", times_words(last), most);
}

/// Where arrays of twice the size cost far more for each update: the caches do not hold them any longer.
std::string knee_words(const BySize& local) {
  constexpr double far_more = 1.3;
  std::vector<std::string> steps;
  for (auto larger = local.begin(); larger != local.end(); ++larger) {
    if (larger == local.begin()) continue;
    const auto smaller = std::prev(larger);
    const double ratio = smaller->second->headline / larger->second->headline;
    if (ratio < far_more) continue;
    steps.push_back(fmt::format("{} from {} to {} words", times_words(ratio), smaller->first, larger->first));
  }
  if (steps.empty()) return {};
  return fmt::format("An update grows dearer, {}, where the caches no longer hold the arrays of all threads.",
                     join_in_words(steps));
}

std::string compiler_words(const BySize& local) {
  const auto& [words, outcome] = *local.rbegin();
  const auto bytes = outcome->metric("local_bytes_per_thread");
  if (!bytes) return {};
  return fmt::format("The compiler reports it: {:.0f} bytes of local memory per thread for {} words.", *bytes, words);
}

/// Whether registers were enough for the array that was to be in them.
std::string spill_words(const BySize& registers) {
  for (const auto& [words, outcome] : registers) {
    const double bytes = outcome->metric("local_bytes_per_thread").value_or(0);
    if (bytes < noticeable_local_bytes) continue;
    return fmt::format("From {} words on registers are too few even with known indices ({:.0f} bytes spilled).", words,
                       bytes);
  }
  return {};
}

}  // namespace

Conclusion conclude_local(std::span<const Outcome> outcomes) {
  const BySize local = of_array(outcomes, "local");
  const BySize registers = of_array(outcomes, "registers");
  if (local.empty()) return {};
  const auto times = slowdowns(local, registers);
  std::vector<std::string> sentences;
  if (!times.empty()) sentences.push_back(cost_words(times));
  sentences.push_back(knee_words(local));
  sentences.push_back(compiler_words(local));
  sentences.push_back(spill_words(registers));
  if (std::ranges::any_of(times, [](const auto& one) { return one.second > 1 + same_within; })) {
    sentences.emplace_back("Give arrays indices that the compiler knows: unroll the loops over them.");
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::local
