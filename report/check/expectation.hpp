#pragma once
// What a suite expects of a report, as plain data: portable between GPUs where it is a share or a ratio.

#include <optional>
#include <string>
#include <vector>

#include "report/record/selection.hpp"

namespace gpumem::report {

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
  Selection cases;  ///< every one of them has to meet the bounds
  std::string
      quantity;  ///< of report/record/quantities.hpp: "bandwidth_gb_per_s", ...; empty where the subject is flags
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

}  // namespace gpumem::report
