#include "probes/texture/texture_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::texture {

namespace {

/// Rates closer than this are called the same.
constexpr double same_within = 0.03;

struct PathRate {
  std::string path;
  double gb_per_s = 0;
};

struct WalkRates {
  std::string walk;
  std::vector<PathRate> rates = {};

  [[nodiscard]] const PathRate& best() const { return *std::ranges::max_element(rates, {}, &PathRate::gb_per_s); }
  [[nodiscard]] const PathRate& worst() const { return *std::ranges::min_element(rates, {}, &PathRate::gb_per_s); }
  [[nodiscard]] const PathRate* global() const {
    const auto found = std::ranges::find(rates, "global", &PathRate::path);
    return found == rates.end() ? nullptr : &*found;
  }
  [[nodiscard]] bool as_good_as_best(const PathRate& one) const {
    return one.gb_per_s >= best().gb_per_s * (1 - same_within);
  }
  [[nodiscard]] bool global_suffices() const { return global() != nullptr && as_good_as_best(*global()); }
};

bool through_texture_unit(std::string_view path) { return path != "global" && path != "read-only"; }

/// Those that ran through more than one path, in the order of the cases. What is predicted of plain loads alone says
/// nothing of textures.
std::vector<WalkRates> walks_of(std::span<const Outcome> outcomes) {
  std::vector<WalkRates> walks;
  for (const Outcome& outcome : outcomes) {
    const std::string& name = outcome.one.name("walk");
    auto walk = std::ranges::find(walks, name, &WalkRates::walk);
    if (walk == walks.end()) walk = walks.insert(walk, {.walk = name});
    walk->rates.push_back({outcome.one.name("path"), outcome.headline});
  }
  std::erase_if(walks, [](const WalkRates& walk) {
    return walk.rates.size() < 2 ||
           std::ranges::none_of(walk.rates, [](const PathRate& one) { return through_texture_unit(one.path); });
  });
  return walks;
}

std::string path_words(std::string_view path) {
  constexpr std::pair<std::string_view, std::string_view> words[] = {{"global", "global memory"},
                                                                     {"read-only", "the read-only path"},
                                                                     {"texture-1d", "a 1-D texture"},
                                                                     {"texture-2d", "a 2-D texture"},
                                                                     {"surface", "a surface"}};
  const auto* const found = std::ranges::find(words, path, &std::pair<std::string_view, std::string_view>::first);
  return std::string(found == std::end(words) ? path : found->second);
}

/// "Walked by row and tile, nothing is faster than global memory (4300 to 4400 GB/s)."
std::string where_global_suffices(std::span<const WalkRates> walks) {
  std::vector<std::string> names;
  std::vector<double> rates;
  for (const WalkRates& walk : walks) {
    if (!walk.global_suffices()) continue;
    names.push_back(walk.walk);
    rates.push_back(walk.global()->gb_per_s);
  }
  if (names.empty()) return {};
  const auto [lowest, highest] = std::ranges::minmax(rates);
  const std::string high = rate_words(highest);
  const std::string range = rate_words(lowest) == high ? high : significant(lowest, 3) + " to " + high;
  return fmt::format("Walked by {}, nothing is faster than global memory ({}).", join_in_words(names), range);
}

/// "Walked by column, a 2-D texture and a surface are fastest: 1500 GB/s, 3.00 x global memory."
std::string fastest(const WalkRates& walk) {
  std::vector<std::string> names;
  for (const PathRate& one : walk.rates) {
    if (walk.as_good_as_best(one)) names.push_back(path_words(one.path));
  }
  const std::string gain =
      walk.global() == nullptr
          ? ""
          : fmt::format(", {} global memory", times_words(walk.best().gb_per_s / walk.global()->gb_per_s));
  return fmt::format("Walked by {}, {} {} fastest: {}{}.", walk.walk, join_in_words(names),
                     names.size() == 1 ? "is" : "are", rate_words(walk.best().gb_per_s), gain);
}

/// "The wrong path costs most by column: global memory reaches 500 GB/s where a 2-D texture reaches 1500 GB/s."
std::string wrong_path(std::span<const WalkRates> walks) {
  const auto share = [](const WalkRates& walk) { return walk.worst().gb_per_s / walk.best().gb_per_s; };
  const WalkRates& walk = *std::ranges::min_element(walks, {}, share);
  if (share(walk) >= 1 - same_within) return {};
  return fmt::format("The wrong path costs most by {}: {} reaches {} where {} reaches {}.", walk.walk,
                     path_words(walk.worst().path), rate_words(walk.worst().gb_per_s), path_words(walk.best().path),
                     rate_words(walk.best().gb_per_s));
}

}  // namespace

Conclusion conclude_texture(std::span<const Outcome> outcomes) {
  const std::vector<WalkRates> walks = walks_of(outcomes);
  if (walks.empty()) return {};
  std::vector<std::string> sentences = {where_global_suffices(walks)};
  for (const WalkRates& walk : walks) {
    if (!walk.global_suffices()) sentences.push_back(fastest(walk));
  }
  sentences.push_back(wrong_path(walks));
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::texture
