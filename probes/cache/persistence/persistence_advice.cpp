#include "probes/cache/persistence/persistence_advice.hpp"

#include <fmt/format.h>

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::cache {

namespace {

/// Gains up to this are called none.
constexpr double no_gain = 1.05;

/// Speeds by hot set, of one way to keep it.
using Speeds = std::map<std::uint64_t, double>;

std::string sentence_on(std::string_view cure, const Speeds& beside, const Speeds& cured) {
  std::vector<std::string> faster;
  std::vector<std::string> same;
  for (const auto& [bytes, speed] : cured) {
    const auto left = beside.find(bytes);
    if (left == beside.end() || left->second <= 0) continue;
    const double gain = speed / left->second;
    if (gain > no_gain) faster.push_back(fmt::format("{} {}", size_text(bytes), times_words(gain)));
    if (gain <= no_gain) same.push_back(size_text(bytes));
  }
  if (faster.empty() && same.empty()) return {};
  if (faster.empty()) return fmt::format("{} gain nothing for {}.", capitalised(cure), join_in_words(same));
  const std::string rest = same.empty() ? "" : fmt::format(", {} no faster", join_in_words(same));
  return fmt::format("With {} what is read again after a stream of twice the L2 is faster: {}{}.", cure,
                     join_in_words(faster), rest);
}

}  // namespace

Conclusion conclude_persistence(std::span<const Outcome> outcomes) {
  std::map<std::string, Speeds, std::less<>> by_way;
  for (const Outcome& outcome : outcomes) {
    by_way[outcome.one.name("persistence")][outcome.one.number("hot_set_bytes")] = outcome.headline;
  }
  const Speeds& beside = by_way["beside"];
  return {.advice = paragraph(std::vector{
              sentence_on("loads of the stream that leave first (evict-first)", beside, by_way["evict-first"]),
              sentence_on("persisting windows", beside, by_way["window"])})};
}

}  // namespace gpumem::cache
