#pragma once
// Conclusions from the readings of a report: what limits a case, what would change it, and what tables show.

#include <span>
#include <string>
#include <vector>

#include "report/record/quantities.hpp"
#include "report/record/record.hpp"
#include "report/rules/explanation.hpp"

namespace gpumem::report {

/// Returns the report with everything that follows from all of its records together: ratios to baselines, conclusions
/// and findings of tables, explanations, and the advice on a program. If the report had any of these, they are computed
/// anew.
[[nodiscard]] Report completed(Report report);

/// Returns the probes' conclusions on all tables (report/record/sweep.hpp), from the cases that ran and have a
/// headline. For each table, the advice and the numbers of all these cases come first, then numbers of some of the
/// cases. Conclusions rest on measured values; the numbers from the predictions alone stand beside theirs. If nothing
/// was measured, the advice rests on the predictions. A probe that is unknown or concludes nothing has no entry.
[[nodiscard]] std::vector<ConclusionRecord> conclusions(std::span<const Record> results,
                                                        const ProbeLookup& find = find_probe);

/// Returns a few sentences per table. They give the probe's conclusions, one fact a line. The last line adds how far
/// predictions are off, and what did not run. Empty for a table of which there is nothing to say. `host_cache_bytes` is
/// the size of the CPU's last-level cache, if known.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Record>& results,
                                                std::span<const ConclusionRecord> conclusions,
                                                std::optional<std::uint64_t> host_cache_bytes = {});

/// Returns one explanation for each result. It is empty for a case that did not run, and if neither a prediction nor
/// counters tell what limits the case.
[[nodiscard]] std::vector<Explanation> explanations(std::span<const Record> results);

/// Fills `why` and `why_brief` of every record.
void add_explanations(std::vector<Record>& results);

}  // namespace gpumem::report
