#pragma once
// The expectations of a suite on a report, as plain data. Shares and ratios are portable between GPUs.

#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/selection.hpp"

namespace gpumem::report {

/// Limits an expectation to cases in which a quantity is known and within bounds.
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
  std::string name;   ///< shown to the user
  std::string place;  ///< its place in a file, for errors: "configs/smoke.json: /expectations/3"
  Subject subject = Subject::cases;
  Selection cases;                      ///< every one of them has to meet the bounds
  std::optional<Condition> where = {};  ///< except cases that do not meet this
  std::string quantity;  ///< "bandwidth_gb_per_s", ... (report/record/quantities.hpp); empty where it is about flags
  /// If set, the bounds are of the ratio to another case: in the same probe, the one that has these values and was
  /// otherwise asked for alike; in another probe, the only one selected.
  std::optional<Selection> relative_to;
  std::optional<double> at_least;  ///< inclusive
  std::optional<double> at_most;
  std::vector<std::string> flags;
  std::optional<std::string> gpu;  ///< holds only on GPUs of exactly this name
  bool required = false;           ///< a skip is as bad as a failure
  std::string because;             ///< why it should hold, for whoever sees it fail; may be empty
};

/// Returns the record of an expectation that was not checked yet.
[[nodiscard]] CheckRecord blank_check(const Expectation& expectation);

/// Finds the cases that an expectation with `relative_to` relates others to. All are indexed at once, because a search
/// for each would take quadratic time.
class References {
 public:
  /// Refers to the records.
  References(const Expectation& expectation, std::span<const Record> results);

  /// Returns the indices of the cases that the case `index` is related to. In the same probe, these have the
  /// reference's values and were otherwise asked for alike; in another probe, they are all that the reference selects.
  /// A sound suite gives one. None means that the case was not run, several that the reference is ambiguous.
  [[nodiscard]] std::span<const std::size_t> of(std::size_t index) const;

 private:
  /// Returns the same key for cases that differ only in what the reference names.
  [[nodiscard]] std::string key(const Record& record) const;

  const Selection& reference_;
  bool same_probe_;
  std::span<const Record> results_;
  std::map<std::string, std::vector<std::size_t>> by_key_;
};

}  // namespace gpumem::report
