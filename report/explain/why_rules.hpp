#pragma once
// What an explanation of a case rests on, and its rules: under which limit which waste is told, with which figures, and
// what would remove it. report/explain/why.cpp makes sentences of both.

#include <optional>
#include <string>
#include <string_view>

#include "report/record/record.hpp"

namespace gpumem::report {

/// What requests of a case cost each, and the least that requests of full warps and that word size could cost.
struct RequestCost {
  double each = 1;
  double least = 1;
  unsigned word_bytes = 1;

  [[nodiscard]] double excess() const { return each / least; }
};

/// Another case that does the same job better.
struct BetterCase {
  const Record* record = nullptr;
  const Parameter* place = nullptr;  ///< what it differs in
  double gain = 1;                   ///< how many times as good it is
};

struct Evidence {
  const Record& record;
  std::string_view limit;             ///< the stage
  std::optional<double> limit_s;      ///< what it takes
  std::optional<double> case_s;       ///< what the case takes
  const StageRecord* next;            ///< the second slowest stage; null if there is no other
  std::optional<RequestCost> load;    ///< sectors, the costliest site
  std::optional<RequestCost> store;   ///< the same of stores
  std::optional<RequestCost> shared;  ///< wavefronts, the costliest site, whatever it does
  std::size_t others = 0;             ///< cases that it could be compared with
  std::optional<BetterCase> better;   ///< the best of them, if that is better
};

/// The requests that a rule is about, and what to call one of them.
struct Requests {
  RequestCost cost;
  const char* name = "";
};

/// Figures stand in braces in its texts.
struct Rule {
  std::string_view stages;  ///< the limits under which it is told, between spaces
  bool (*applies)(const Evidence&);
  /// Null where it is about no requests. Otherwise it is removed in a case whose requests cost less, whose gain then
  /// goes with the cure.
  Requests (*requests)(const Evidence&);
  const char* fact;
  const char* brief;
  std::string_view cure;        ///< may be empty
  std::string_view brief_cure;  ///< left out where the cell has no room for it
};

/// A share as facts and sentences say it: "45 %".
[[nodiscard]] std::string whole_percent(double fraction);
/// A time as they say it, to three digits.
[[nodiscard]] std::string stage_time_words(double seconds);

/// The first rule that applies, or null.
[[nodiscard]] const Rule* rule_for(const Evidence& e);

/// A text of the rule with the figures of the case.
[[nodiscard]] std::string filled(const char* text, const Rule& rule, const Evidence& e);

}  // namespace gpumem::report
