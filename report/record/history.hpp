#pragma once
// The history of a GPU: of each earlier run, the headline of every case. A run is kept as a line of JSON.

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The headline of a case in an earlier run.
struct EarlierCase {
  double value = 0;                     ///< median, positive
  std::optional<double> ci95_low = {};  ///< absent with too few samples
  std::optional<double> ci95_high = {};

  bool operator==(const EarlierCase&) const = default;
  /// Half the width of the interval as a share of the value; 0 if there is no interval.
  [[nodiscard]] double uncertainty() const;
};

/// A run on one GPU.
struct EarlierRun {
  std::string time;                          ///< RFC 3339, UTC: the start
  std::string uuid;                          ///< of the GPU; empty if the report does not know it
  std::string gpu;                           ///< its name
  std::string driver;                        ///< version; empty if it is not known
  std::string gpumem;                        ///< version
  bool healthy = true;                       ///< no check of this GPU failed
  std::map<std::string, EarlierCase> cases;  ///< by history_key()
};

/// Names a case in all runs: the probe, the parameters as they were asked for, and the quantity of the headline.
[[nodiscard]] std::string history_key(const Record& record);

/// Returns the reading of a case if it ran, alone on its host, and has a positive headline.
[[nodiscard]] std::optional<EarlierCase> history_case(const Record& record);

/// Returns the run of each GPU of a report, and of each pair of GPUs, whose UUID is "GPU-1 to GPU-2". Empty if the
/// report measured nothing.
[[nodiscard]] std::vector<EarlierRun> runs_of(const Report& report);

/// Returns the run as one line of JSON, without a line break. Numbers have six digits.
[[nodiscard]] std::string history_line(const EarlierRun& run);

/// Reads such a line. Returns nullopt if a later version wrote it in another form. Throws a usage error for anything
/// else that is no line of a history.
[[nodiscard]] std::optional<EarlierRun> read_history_line(std::string_view line, const std::string& source);

}  // namespace gpumem::report
