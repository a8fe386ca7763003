#pragma once
// Advice on a watched program: one list of changes that are worth making, which the table, Markdown and JSON show.

#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A kernel gets an entry if it can save at least this share of its time, or of the program's time if its own is
/// unknown.
inline constexpr double worth_saving_of_kernel = 0.02;
inline constexpr double worth_saving_of_program = 1e-3;

// Limits for the confidence in a saving: its interval is at most this many times as wide as the saving itself, and the
// stages explain at least this share of the kernel's time. The confidence is low if it is not even medium, or if there
// is no interval.
inline constexpr double high_confidence_width = 0.5;
inline constexpr double high_confidence_explained = 0.8;
inline constexpr double medium_confidence_width = 1.5;
inline constexpr double medium_confidence_explained = 2.0 / 3;

/// Returns "high", "medium" or "low", for a kernel that can save something.
[[nodiscard]] std::string saving_confidence(const Record& kernel);

/// Returns an entry for each kernel that can save enough, the largest saving first. Uses the results alone, not the
/// advice that the report may have. Empty for a report of probes.
[[nodiscard]] std::vector<AdviceRecord> program_advice(const Report& report);

/// Returns the report's own advice, or computes it from the results if the report has none.
[[nodiscard]] std::vector<AdviceRecord> advice_of(const Report& report);

}  // namespace gpumem::report
