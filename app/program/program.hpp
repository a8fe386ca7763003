#pragma once
// What somebody else's program did to memory: from the raw files that the injected library left in a run's folder
// (inject/raw_format.hpp) to a report whose results are the program's kernels (report/record/kernels.hpp).

#include <optional>
#include <string>
#include <vector>

#include "app/program/raw_data.hpp"
#include "engine/model/find_profile.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

struct ProgramRun {
  std::vector<std::string> command;
  std::optional<int> exit_code;    ///< 128 + n where signal n ended it
  std::vector<std::string> notes;  ///< found by the command itself: no sanitizer library, ...
};

/// The report of a run from the raw data of its processes: devices, program, results ranked by what could be saved.
/// Damaged or cut-off files lose no more than what is damaged, and a note says so. `predicting` says by which profile
/// each device is predicted; what there is to say of that is a note. Does not fill tool, host, started_at and command.
[[nodiscard]] report::Report program_report(const std::vector<RawProcess>& processes, const ProgramRun& run,
                                            const model::ProfileChoice& predicting = {});

/// What the raw files tell before anything is made of them.
struct ProgramTraces {
  bool used_cuda = false;            ///< some process did
  std::optional<std::string> fatal;  ///< where nothing of any process could be seen, the first reason
};
[[nodiscard]] ProgramTraces program_traces(const std::vector<RawProcess>& processes);

}  // namespace gpumem::app
