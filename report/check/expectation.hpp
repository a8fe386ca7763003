#pragma once
// What a suite expects of a report, as plain data: portable between GPUs where it is a share or a ratio.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/selection.hpp"

namespace gpumem::report {

/// What is known of a case, and within bounds, for an expectation to be about it.
struct Condition {
  std::string quantity;
  std::optional<double> at_least = {};  ///< inclusive
  std::optional<double> at_most = {};

  [[nodiscard]] bool holds(const Record& record) const;
};

/// One line of a suite's `expectations`.
struct Expectation {
  enum class Subject {
    cases,   ///< a quantity of the selected cases
    device,  ///< a quantity of the GPU or its link: "pcie_generation", "pcie_width"
    flags    ///< flags that none of the selected cases may have
  };
  std::string name;   ///< what the user reads
  std::string place;  ///< where it stands, for errors: "configs/smoke.json: /expectations/3"
  Subject subject = Subject::cases;
  Selection cases;                      ///< every one of them has to meet the bounds
  std::optional<Condition> where = {};  ///< but for those that do not meet this
  std::string quantity;  ///< "bandwidth_gb_per_s", ... (report/record/quantities.hpp); empty where it is about flags
  /// The bounds are of the ratio to another case: of the same probe, the one that has these values and is otherwise the
  /// same as asked for; of another probe, the only one that is selected.
  std::optional<Selection> relative_to;
  std::optional<double> at_least;  ///< inclusive
  std::optional<double> at_most;
  std::vector<std::string> flags;
  std::optional<std::string> gpu;  ///< holds only on GPUs of exactly this name
  bool required = false;           ///< a skip is as bad as a failure
  std::string because;             ///< why it should hold, for whoever sees it fail; may be empty
};

/// The record of an expectation that nothing was held against yet.
[[nodiscard]] CheckRecord blank_check(const Expectation& expectation);

/// Which cases an expectation with `relative_to` relates others to. Found among all at once: a look for each would take
/// the square of their number.
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
