#include "probes/cache/cache_hint/cache_hint_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::cache {

namespace {

/// Rates closer than this are called the same: runs differ by as much.
constexpr double same_within = 0.03;

const std::string& hint_of(const Outcome& outcome) { return outcome.one.name("cache_hint"); }

std::string hints_of(std::span<const Outcome* const> outcomes) {
  std::vector<std::string> names;
  for (const Outcome* outcome : outcomes) names.push_back(hint_of(*outcome));
  return join_in_words(names);
}

/// Loads, or stores, of one footprint.
std::string sentence_on(std::string_view verb, std::uint64_t footprint, const std::vector<const Outcome*>& outcomes) {
  if (outcomes.empty()) return "";
  const Outcome& best = **std::ranges::max_element(outcomes, {}, &Outcome::headline);
  const std::string at = fmt::format("{} {} in all", verb, size_text(footprint));
  if (outcomes.size() == 1) return fmt::format("{}: {} {}.", at, hint_of(best), rate_words(best.headline));
  std::vector<const Outcome*> equals;
  std::vector<std::string> slower;
  for (const Outcome* outcome : outcomes) {
    if (outcome->headline >= best.headline * (1 - same_within)) {
      equals.push_back(outcome);
    } else {
      slower.push_back(fmt::format("{} {}", hint_of(*outcome), times_words(outcome->headline / best.headline)));
    }
  }
  if (slower.empty()) return fmt::format("{}, no operator makes a difference: {}.", at, rate_words(best.headline));
  return fmt::format("{}, {} {} best with {}; of that {}.", at, hints_of(equals), equals.size() == 1 ? "is" : "are",
                     rate_words(best.headline), join_in_words(slower));
}

}  // namespace

Conclusion conclude_cache_hint(std::span<const Outcome> outcomes) {
  std::map<std::uint64_t, std::vector<const Outcome*>> loads;
  std::map<std::uint64_t, std::vector<const Outcome*>> stores;
  for (const Outcome& outcome : outcomes) {
    auto& of_kind = hint_of(outcome).starts_with("st") ? stores : loads;
    of_kind[outcome.one.number("footprint_bytes")].push_back(&outcome);
  }
  std::vector<std::string> sentences;
  for (const auto& [footprint, of_footprint] : loads) {
    sentences.push_back(sentence_on("Reading", footprint, of_footprint));
  }
  for (const auto& [footprint, of_footprint] : stores) {
    sentences.push_back(sentence_on("Writing", footprint, of_footprint));
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::cache
