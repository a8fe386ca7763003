#include "probes/kernels/divergence/divergence_advice.hpp"

#include <fmt/format.h>

#include <array>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::kernels {

namespace {

/// From here on parting is said to cost something.
constexpr double noticeable = 1.1;

struct Kind {
  std::string_view name;
  std::string_view words;    ///< "... take 2.00 x as long"
  std::string_view because;  ///< where they do take longer
};

constexpr std::array<Kind, 5> kinds = {{
    {"lanes", "Lanes of a warp on {} paths take {} the time of one path", "the warp runs one path after another"},
    {"syncwarp", "With __syncwarp() after them, {} paths take {} the time of one",
     "it brings lanes together, and saves none of the paths"},
    {"warps", "Warps that each have one of {} paths take {} the time of one path",
     "their code may be more than the instruction cache holds"},
    {"loops", "Lanes in loops of {} lengths take {} the time of equal loops with as many trips in all",
     "the warp waits for its longest"},
    {"predicated", "Loads by one lane in {} at a time take {} the time of loads by all lanes",
     "that they move fewer sectors saves nothing"},
}};

}  // namespace

Conclusion conclude_divergence(std::span<const Outcome> outcomes) {
  Conclusion conclusion;
  std::vector<std::string> sentences;
  double lanes = 1;
  for (const Kind& kind : kinds) {
    std::optional<std::size_t> one;
    std::optional<std::size_t> most;
    const auto paths = [&](std::size_t i) { return outcomes[i].one.number("paths"); };
    for (std::size_t i = 0; i < outcomes.size(); ++i) {
      if (outcomes[i].one.name("divergence") != kind.name) continue;
      if (paths(i) == 1) one = i;
      if (!most || paths(i) > paths(*most)) most = i;
    }
    if (!one || one == most || !(outcomes[*one].headline > 0)) continue;
    const double ratio = outcomes[*most].headline / outcomes[*one].headline;
    if (kind.name == "lanes") lanes = ratio;
    conclusion.found.push_back({"times_of_one_path", ratio, {*one, *most}});
    std::string sentence = fmt::format(fmt::runtime(kind.words), paths(*most), times_words(ratio));
    if (ratio > noticeable) sentence += fmt::format(": {}", kind.because);
    sentences.push_back(sentence + ".");
  }
  if (lanes > noticeable) {
    sentences.emplace_back("Arrange work so that the 32 lanes of a warp take the same path.");
  }
  conclusion.advice = paragraph(sentences);
  return conclusion;
}

}  // namespace gpumem::kernels
