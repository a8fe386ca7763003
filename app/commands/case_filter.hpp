#pragma once
// Cases of reports as a user names them: by position ("3", "0..5") or by parameters ("offset=1", "op=write").

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "report/record/cases.hpp"
#include "report/record/selection.hpp"

namespace gpumem::app {

/// The words CASE of a command. Positions and numbers are ranges and lists as on the axes of a probe. A parameter goes
/// by its own name, by the flag of its axis, or by the name in the header of a table; "probe=NAME" chooses a probe.
class CaseWords {
 public:
  CaseWords(std::span<const std::string> words, const std::vector<Probe>& registry)
      : words_(words), registry_(registry) {}

  [[nodiscard]] bool empty() const { return words_.empty(); }

  /// What they mean where these are all the cases, in reports of at most so many. Throws a usage error, with the
  /// nearest name or the values that there are, for what no case has.
  [[nodiscard]] report::Selection among(const report::Cases& cases, std::size_t most) const;
  /// In whichever of the reports the cases are.
  [[nodiscard]] report::Selection among(std::span<const report::NamedReport> reports, std::size_t most) const;

  /// Throws the usage error for words that fit no case of `count`.
  [[noreturn]] void refuse_none_of(std::size_t count) const;

 private:
  std::span<const std::string> words_;
  const std::vector<Probe>& registry_;
};

/// Takes those words that say which cases from what may be reports too: "offset=1", "0..5", unless a file is called so.
/// A report that is missing is one by its name.
[[nodiscard]] std::vector<std::string> take_case_words(std::vector<std::string>& words);

/// Indices, in their order, of the results that every word admits; all results without any word. Throws a usage error
/// for what is not in the report.
[[nodiscard]] std::vector<std::size_t> choose_cases(std::span<const report::Record> results, const CaseWords& words);

}  // namespace gpumem::app
