#include "probes/cache/persistence_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/words.hpp"

namespace gpumem::cache {

namespace {

/// Gains below this many percent of the speed alone are called none.
constexpr double worth_percent = 5;

/// Speeds of one hot set by how it was kept.
using Speeds = std::map<std::string, double, std::less<>>;

std::optional<double> kept_percent(const Speeds& speeds, std::string_view way) {
  const auto alone = speeds.find("alone");
  const auto found = speeds.find(way);
  if (alone == speeds.end() || found == speeds.end() || alone->second <= 0) return std::nullopt;
  return 100 * found->second / alone->second;
}

std::string sentence_on(std::uint64_t hot_bytes, const Speeds& speeds) {
  constexpr std::pair<std::string_view, std::string_view> cures[] = {
      {"window", "a persisting window"}, {"evict-first", "evict-first loads of the stream"}};
  const auto left = kept_percent(speeds, "beside");
  std::vector<std::string> kept;
  bool any_gain = false;
  for (const auto& [way, words] : cures) {
    const auto percent = kept_percent(speeds, way);
    if (!percent) continue;
    kept.push_back(fmt::format("{:.0f} % with {}", *percent, words));
    any_gain = any_gain || !left || *percent > *left + worth_percent;
  }
  if (!left && kept.empty()) return "";
  std::string text =
      fmt::format("Of the speed of {} read again after a stream of twice the L2, ", size_text(hot_bytes));
  if (left) text += fmt::format("{:.0f} % is left", *left);
  if (!kept.empty()) text += !left ? "what is left is " : any_gain ? "; it is " : ", and no more: ";
  if (!kept.empty()) text += join_in_words(kept);
  return text + ".";
}

}  // namespace

Conclusion conclude_persistence(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, Speeds> by_size;
  for (const Outcome& outcome : outcomes) {
    by_size[outcome.one.number("hot_set_bytes")][outcome.one.name("persistence")] = outcome.headline;
  }
  std::vector<std::string> sentences;
  for (const auto& [bytes, speeds] : by_size) sentences.push_back(sentence_on(bytes, speeds));
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::cache
