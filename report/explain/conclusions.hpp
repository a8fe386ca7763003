#pragma once
// What a probe itself concludes from the cases of a table: advice in words, and numbers that only several cases
// together give, such as the fixed cost of a transfer.

#include <span>
#include <string>
#include <vector>

#include "report/record/quantities.hpp"
#include "report/record/record.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

/// What the probes of all tables conclude from the cases that ran and have a headline: of each table first its advice
/// and what all of those cases show, then what some of them do. What was measured is concluded from, and beside its
/// numbers stand those of the predictions alone; where nothing was measured, the advice is on these. Nothing of a probe
/// that is not known or concludes nothing.
[[nodiscard]] std::vector<ConclusionRecord> conclusions(std::span<const Record> results,
                                                        const ProbeLookup& find = find_probe);

/// The advice on a table among conclusions; empty where there is none.
[[nodiscard]] std::string advice_on(const Members& table, std::span<const ConclusionRecord> conclusions);

}  // namespace gpumem::report
