#pragma once
// Saved reports as commands show them.

#include <string>
#include <vector>

#include "app/run/environment.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Reads files, of which one may be "-" for standard input. What a report of an older version lacks and follows from
/// its readings (findings, explanations) is made; the readings stay as they are. Throws a usage error.
[[nodiscard]] std::vector<report::NamedReport> read_reports(const std::vector<std::string>& paths,
                                                            const Environment& environment);

}  // namespace gpumem::app
