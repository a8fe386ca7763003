#pragma once
// Reports the memory accesses of a user's program. Reads the raw files that the injected library left in a run's folder
// (program/watch/raw_format.hpp). The results of the report are the program's kernels (report/record/kernels.hpp).

#include <optional>
#include <string>
#include <vector>

#include "engine/model/find_profile.hpp"
#include "program/read/raw_data.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

struct ProgramRun {
  std::vector<std::string> command;
  std::optional<int> exit_code;    ///< 128 + n where signal n ended it
  std::vector<std::string> notes;  ///< found by the command itself: no sanitizer library, ...
};

/// Makes the report of a run from the raw data of its processes: devices, program, results ranked by what could be
/// saved. Damaged or cut-off files lose no more than what is damaged, and a note says so. `predicting` chooses the
/// profile by which each device is predicted, unless it names one of another kind of GPU; remarks on the choice are
/// notes. Does not fill tool, host, started_at and command.
[[nodiscard]] report::Report program_report(const std::vector<RawProcess>& processes, const ProgramRun& run,
                                            const model::ProfileChoice& predicting = {});

/// Facts that the raw files show without a report.
struct ProgramTraces {
  bool used_cuda = false;            ///< by some process
  std::optional<std::string> fatal;  ///< the first reason, if nothing of any process could be seen
};
[[nodiscard]] ProgramTraces program_traces(const std::vector<RawProcess>& processes);

}  // namespace gpumem::program
