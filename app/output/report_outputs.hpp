#pragma once
// Where a report goes while it grows: files that are whole at any time, and stdout at the end.

#include <chrono>

#include "app/output/result_outputs.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

class Outputs {
 public:
  /// In the formats of a table; `why` is its last column. Throws a usage error for a file that could not be written
  /// later.
  Outputs(const ResultRequest& request, bool why, const StandardOutput& standard_output);

  /// Brings the files up to date: after every case, or, once a report is so long that writing takes longer than
  /// measuring, as often as takes a fifth of the time.
  void update_files(const report::Report& report);
  /// Writes everything for the last time: files, then stdout. Throws a usage error when something could not be written,
  /// after everything else has been.
  void finish(const report::Report& report);

 private:
  /// Of a report that outlives it.
  [[nodiscard]] ResultOutputs::Render render(const report::Report& report) const;

  ResultOutputs outputs_;
  bool why_;
  std::chrono::steady_clock::time_point written_at_{};
  std::chrono::steady_clock::duration writing_took_{};
};

}  // namespace gpumem::app
