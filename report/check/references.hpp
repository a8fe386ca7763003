#pragma once
// Which case an expectation relates another to.

#include <cstddef>
#include <map>
#include <span>
#include <string>
#include <vector>

#include "report/check/expectation.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Finds the references of an expectation with `relative_to` among all cases at once: a look for each would take the
/// square of their number.
class References {
 public:
  /// Refers to the records.
  References(const Expectation& expectation, std::span<const Record> results);

  /// Indices of the cases that the one of this index is related to, of the same probe: those that have the reference's
  /// values and were asked for alike in everything else; of another probe: all that are selected. One where the suite
  /// is sound; none where the case was not run, several where the reference is ambiguous.
  [[nodiscard]] std::span<const std::size_t> of(std::size_t index) const;

 private:
  /// Alike for the cases that differ in nothing but what the reference names.
  [[nodiscard]] std::string key(const Record& record) const;

  const Selection& reference_;
  bool same_probe_;
  std::span<const Record> results_;
  std::map<std::string, std::vector<std::size_t>> by_key_;
};

}  // namespace gpumem::report
