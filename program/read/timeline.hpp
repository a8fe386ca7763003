#pragma once
// When the processes of a run did what, from the spans that they kept.

#include <optional>
#include <vector>

#include "program/read/merge.hpp"
#include "report/record/record.hpp"

namespace gpumem::program {

/// `results` are the run's, in whatever order. Nothing where no span was kept.
[[nodiscard]] std::optional<report::ProgramTimeline> timeline_of(const std::vector<RawProcess>& processes,
                                                                 const MergedRun& run,
                                                                 const std::vector<report::Record>& results);

}  // namespace gpumem::program
