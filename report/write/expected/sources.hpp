#pragma once
// The sources of expected values, as marks beside values and as the table that explains the marks.

#include <cstddef>
#include <span>
#include <string>
#include <vector>

#include "report/expected/expected.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

/// The sources of all values of some GPUs, numbered in the order in which they first occur. A mark says who is behind
/// the rate that decides a value, not behind the value itself, which the model computes from the rate.
class SourceMarks {
 public:
  explicit SourceMarks(std::span<const ExpectedGpu> gpus);

  /// Returns "p1" for the first source that published a rate, "s2" for the second that a rate is scaled from, and "a1"
  /// for an assumption. Empty for a value whose rate was measured or fitted to measurements.
  [[nodiscard]] std::string mark_of(const ExpectedValue& value) const;

  /// Returns the value in three digits with its mark behind it, or "-" if there is no value. Right-aligned cells of a
  /// column have their digits under one another if all get the same `mark_width`, to which marks are padded.
  [[nodiscard]] std::string cell(const ExpectedValue* value, std::size_t mark_width = 0) const;

  /// Returns the width of the widest mark of a quantity, or 0 if no GPU's value has one.
  [[nodiscard]] std::size_t widest(std::span<const ExpectedGpu> gpus, const std::string& quantity) const;

  /// Returns a row for each source: its mark, the source in words, and if `with_rates` the rates that it stands for.
  [[nodiscard]] Block block(bool with_rates) const;

 private:
  struct Source {
    std::string words;
    std::string mark;                ///< empty if measured or fitted
    std::vector<std::string> rates;  ///< by name, in the order in which they first occur
  };
  /// Returns all sources without a mark as one.
  [[nodiscard]] Source unmarked_sources() const;

  std::vector<Source> sources_;
};

}  // namespace gpumem::report
