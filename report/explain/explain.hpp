#pragma once
// What follows from the readings of a report: what limits a case and what would change it, and what tables show.

#include <span>
#include <string>
#include <vector>

#include "report/record/quantities.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// The report with what follows from all of its records together: ratios to baselines, conclusions and findings of
/// tables, explanations, and the advice on a program. Whatever of these it had is made anew.
[[nodiscard]] Report completed(Report report);

/// What the probes of all tables (report/record/sweep.hpp) conclude from the cases that ran and have a headline: of
/// each table first its advice and what all of those cases show, then what some of them do. What was measured is
/// concluded from, and beside its numbers stand those of the predictions alone; where nothing was measured, the advice
/// is on these. Nothing of a probe that is not known or concludes nothing.
[[nodiscard]] std::vector<ConclusionRecord> conclusions(std::span<const Record> results,
                                                        const ProbeLookup& find = find_probe);

/// A few sentences per table, computed from its records: what its probe concludes, a fact a line, or, where that is
/// nothing, where it is best, what it costs elsewhere and why; on the last line what else there is to say.
/// `host_cache_bytes` is of the CPU's last cache, where that is known.
[[nodiscard]] std::vector<std::string> findings(const std::vector<Record>& results,
                                                std::span<const ConclusionRecord> conclusions,
                                                std::optional<std::uint64_t> host_cache_bytes = {});

/// What limits a case and what would change it, in words with the figures they rest on: from the stages, the access
/// sites, the counters and the difference to the best case of the same sweep. Never from the probe's name.
struct Explanation {
  std::string brief;  ///< at most 60 columns, for a table's cell
  std::string full;   ///< one to four sentences
};

/// One for each of the results. Empty for a case that did not run, and where neither a prediction nor counters say what
/// limits it.
[[nodiscard]] std::vector<Explanation> explanations(std::span<const Record> results);

/// Fills `why` and `why_brief` of every record.
void add_explanations(std::vector<Record>& results);

}  // namespace gpumem::report
