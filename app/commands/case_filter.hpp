#pragma once
// Cases of a report as a user names them: by position ("3", "0..5") or by parameters ("offset=1", "op=write").

#include <span>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::app {

/// Indices, in their order, of the results that every one of `words` admits; all results without any word. Positions
/// and numbers are ranges and lists as on the axes of a probe. A parameter goes by its own name, by the flag of its
/// axis, or by the name in the header of a table; "probe=NAME" chooses a probe. Throws a usage error, with the nearest
/// name, for what is not in the report.
[[nodiscard]] std::vector<std::size_t> choose_cases(std::span<const report::Record> results,
                                                    std::span<const std::string> words,
                                                    const std::vector<Probe>& registry);

}  // namespace gpumem::app
