#pragma once
// The rules of an explanation: under which limit which waste is told, with which figures, and what would remove it.
// report/explain/why.cpp makes sentences of them.

#include <algorithm>
#include <array>
#include <concepts>
#include <optional>
#include <string>
#include <string_view>

#include "report/rules/evidence.hpp"

namespace gpumem::report {

/// The waste that a rule is about: the cost of each `name`, for example of each load, and the least that would do.
struct Waste {
  RequestCost cost;
  const char* name = "";
};

/// The stages under whose limit a rule is told, at most four.
class Limits {
 public:
  template <std::convertible_to<std::string_view>... Stages>
  constexpr Limits(Stages... stages) : stages_{stages...} {}  // NOLINT(google-explicit-constructor): rules name them
  [[nodiscard]] bool have(std::string_view stage) const {
    return !stage.empty() && std::ranges::find(stages_, stage) != stages_.end();
  }

 private:
  std::array<std::string_view, 4> stages_;  // unused places are empty
};

/// A rule of the table. Braces in its texts are replaced by figures.
struct Rule {
  Limits limits;
  bool (*applies)(const Evidence&);
  /// Returns the waste; null if it cannot be measured. The gain of a better case with less waste is credited to the
  /// cure.
  std::optional<Waste> (*waste)(const Evidence&);
  const char* fact;
  const char* brief;
  std::string_view cure;        ///< may be empty
  std::string_view brief_cure;  ///< left out where the cell has no room for it
};

/// Returns what the case's probe knows against its bank conflicts (Probe::conflict_cure); empty if it knows nothing.
[[nodiscard]] std::string conflict_cure_of(const Evidence& e);

/// Returns a time as facts and sentences say it, to three digits.
[[nodiscard]] std::string stage_time_words(double seconds);

/// Returns the first rule that applies, or null.
[[nodiscard]] const Rule* rule_for(const Evidence& e);

/// Returns a text of the rule with the figures of the case.
[[nodiscard]] std::string filled(std::string_view text, const Rule& rule, const Evidence& e);

}  // namespace gpumem::report
