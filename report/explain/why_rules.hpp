#pragma once
// The rules of explanations: under which limit which waste is told, with which figures, and what would remove it. A
// part of report/explain/why.hpp on its own for length.

#include <string>
#include <string_view>

#include "report/explain/evidence.hpp"

namespace gpumem::report {

struct Rule {
  std::string_view stages;  ///< the limits under which it is told, between spaces
  bool (*applies)(const Evidence&);
  std::string (*fact)(const Evidence&);
  std::string (*brief)(const Evidence&);
  std::string_view cure;        ///< may be empty
  std::string_view brief_cure;  ///< left out where the cell has no room for it
  bool by_requests = false;     ///< removed in a case whose requests cost less, whose gain then goes with the cure
};

/// A share as facts and sentences say it: "45 %".
[[nodiscard]] std::string whole_percent(double fraction);
/// A time as they say it, to three digits.
[[nodiscard]] std::string stage_time_words(double seconds);

/// The first rule that applies, or null.
[[nodiscard]] const Rule* rule_for(const Evidence& e);

}  // namespace gpumem::report
