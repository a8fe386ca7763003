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

/// The words CASE of a command. Positions and numbers are ranges and lists as on the axes of a probe. A parameter is
/// called by its own name, by the flag of its axis, or by the name in the header of a table. "probe=NAME" chooses a
/// probe.
class CaseWords {
 public:
  CaseWords(std::span<const std::string> words, const std::vector<Probe>& registry)
      : words_(words), registry_(registry) {}

  [[nodiscard]] bool empty() const { return words_.empty(); }

  /// Returns the selection that the words make among these cases, of reports with at most `most` cases each. Throws a
  /// usage error for a word that fits no case, with the nearest name or the values that there are.
  [[nodiscard]] report::Selection among(const report::Cases& cases, std::size_t most) const;
  /// The same among the cases of all these reports.
  [[nodiscard]] report::Selection among(std::span<const report::NamedReport> reports, std::size_t most) const;

  /// Throws the usage error for words that fit no case of `count`.
  [[noreturn]] void refuse_none_of(std::size_t count) const;

 private:
  std::span<const std::string> words_;
  const std::vector<Probe>& registry_;
};

/// Removes the words that choose cases, such as "offset=1" and "0..5", and returns them. Names of existing files stay,
/// and so do names of JSON files, which are missing reports.
[[nodiscard]] std::vector<std::string> take_case_words(std::vector<std::string>& words);

/// Returns the indices of the results that every word admits, in ascending order; all indices if there are no words.
/// Throws a usage error for a word that fits no result.
[[nodiscard]] std::vector<std::size_t> choose_cases(std::span<const report::Record> results, const CaseWords& words);

}  // namespace gpumem::app
