#include "probes/hierarchy/hierarchy/hierarchy_advice.hpp"

#include <fmt/format.h>

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::hierarchy {

namespace {

constexpr std::pair<std::string_view, std::string_view> level_words[] = {
    {"register", "registers"},   {"shared", "shared memory"},     {"l1", "L1"}, {"l2", "L2"},
    {"memory", "device memory"}, {"host", "the link to the host"}};

}  // namespace

Conclusion conclude_hierarchy(std::span<const Outcome> outcomes) {
  std::vector<std::string> steps;
  const Outcome* above = nullptr;
  std::string_view name_above;
  for (const auto& [level, words] : level_words) {
    for (const Outcome& outcome : outcomes) {
      if (outcome.one.name("level") != level || outcome.headline <= 0) continue;
      if (above != nullptr) {
        steps.push_back(fmt::format("{} {} read {} as fast as {}", name_above,
                                    name_above == level_words[0].second ? "are" : "is",
                                    times_words(above->headline / outcome.headline), words));
      }
      above = &outcome;
      name_above = words;
    }
  }
  if (steps.empty()) return {};
  return {.advice = paragraph(std::vector{
              fmt::format("{}.", capitalised(join_in_words(steps))),
              std::string("Each step down is what keeping data one level nearer gains, if it is used again there.")})};
}

}  // namespace gpumem::hierarchy
