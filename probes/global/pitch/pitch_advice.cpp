#include "probes/global/pitch/pitch_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/global/advice.hpp"

namespace gpumem::global {

namespace {

/// One width in both kinds of rows.
struct Pair {
  const Outcome* plain;
  const Outcome* pitched;

  [[nodiscard]] std::uint64_t width() const { return plain->one.number("width_elements"); }
  [[nodiscard]] double gain() const { return pitched->bytes_per_s / plain->bytes_per_s; }
};

std::vector<Pair> pairs_of(std::span<const Outcome> outcomes) {
  std::vector<Pair> pairs;
  for (const Outcome& plain : outcomes) {
    if (plain.one.name("rows") != "plain") continue;
    for (const Outcome& pitched : outcomes) {
      const bool same_width = pitched.one.number("width_elements") == plain.one.number("width_elements");
      if (same_width && pitched.one.name("rows") == "pitched") pairs.push_back({&plain, &pitched});
    }
  }
  return pairs;
}

std::string advice_alone(std::span<const Outcome> outcomes) {
  const Outcome& slowest = slowest_of(outcomes);
  const std::string cost = about_as_fast(slowest, fastest_of(outcomes))
                               ? "whatever their width"
                               : fmt::format("and at a width of {} it takes {}", slowest.one.number("width_elements"),
                                             as_long_words(slowest, fastest_of(outcomes)));
  return capitalised(fmt::format("{} {} rows reaches {}, {}. What padding gains shows only beside the other rows.",
                                 doing(slowest.one), slowest.one.name("rows"), rate_words(fastest_of(outcomes)), cost));
}

/// The widths that padding makes no faster.
std::string no_gain_words(std::span<const Pair> pairs) {
  std::vector<std::string> widths;
  for (const Pair& pair : pairs) {
    if (about_as_fast(*pair.plain, *pair.pitched)) widths.push_back(std::to_string(pair.width()));
  }
  return widths.empty() ? "" : fmt::format("It gains nothing at a width of {}.", join_in_words(widths));
}

}  // namespace

Conclusion conclude_pitch(std::span<const Outcome> outcomes) {
  const std::vector<Pair> pairs = pairs_of(outcomes);
  if (pairs.empty()) return {.advice = advice_alone(outcomes)};
  const Pair& most = *std::ranges::max_element(pairs, {}, &Pair::gain);
  const Pair& least = *std::ranges::min_element(pairs, {}, &Pair::gain);
  std::vector<std::string> sentences;
  if (about_as_fast(*most.plain, *most.pitched)) {
    sentences.push_back(fmt::format("Padding the rows gains nothing here: {} plain rows reaches {}.",
                                    doing(most.plain->one), rate_words(*most.plain)));
  } else {
    sentences.push_back(fmt::format("Pad the rows, as cudaMallocPitch does: at a width of {} {} plain ones takes {}.",
                                    most.width(), doing(most.plain->one), as_long_words(*most.plain, *most.pitched)));
    sentences.push_back(no_gain_words(pairs));
  }
  if (!about_as_fast(*least.pitched, *least.plain)) {
    sentences.push_back(fmt::format("At a width of {} it loses: padded rows take {}.", least.width(),
                                    as_long_words(*least.pitched, *least.plain)));
  }
  return {.advice = paragraph(sentences)};
}

}  // namespace gpumem::global
