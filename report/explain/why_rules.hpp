#pragma once
// The rules of an explanation: under which limit which waste is told, with which figures, and what would remove it.
// report/explain/why.cpp makes sentences of them.

#include <optional>
#include <string>
#include <string_view>

#include "report/explain/evidence.hpp"

namespace gpumem::report {

/// What a rule is about: so much of it where so much would do, for each of something.
struct Waste {
  RequestCost cost;
  const char* name = "";
};

/// Figures stand in braces in its texts.
struct Rule {
  std::string_view stages;  ///< the limits under which it is told, between spaces
  bool (*applies)(const Evidence&);
  /// Null where nothing tells how much. Otherwise the cure is at work in a case that has less of it, whose gain then
  /// goes with the cure.
  std::optional<Waste> (*waste)(const Evidence&);
  const char* fact;
  const char* brief;
  std::string_view cure;        ///< may be empty
  std::string_view brief_cure;  ///< left out where the cell has no room for it
};

/// A share as facts and sentences say it: "45 %".
/// A time as they say it, to three digits.
[[nodiscard]] std::string stage_time_words(double seconds);

/// The first rule that applies, or null.
[[nodiscard]] const Rule* rule_for(const Evidence& e);

/// A text of the rule with the figures of the case.
[[nodiscard]] std::string filled(const char* text, const Rule& rule, const Evidence& e);

}  // namespace gpumem::report
