#pragma once
// What is worth changing in a program that was watched: one list, which the table, Markdown and JSON show.

#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// A kernel is worth an entry from this share of its time on, or of the program's where its own is not known.
inline constexpr double worth_saving_of_kernel = 0.02;
inline constexpr double worth_saving_of_program = 1e-3;

// How sure a saving is. Its interval is no wider than so many times itself, and the stages explain at least so much of
// the kernel's time; what is not even medium, or has no interval, is low.
inline constexpr double high_confidence_width = 0.5;
inline constexpr double high_confidence_explained = 0.8;
inline constexpr double medium_confidence_width = 1.5;
inline constexpr double medium_confidence_explained = 2.0 / 3;

/// "high", "medium" or "low", of a kernel of which something can be saved.
[[nodiscard]] std::string saving_confidence(const Record& kernel);

/// An entry for each kernel of which something worth it can be saved, most saved first. From the results alone, so
/// whatever advice the report has is not looked at. Empty for a report of probes.
[[nodiscard]] std::vector<AdviceRecord> program_advice(const Report& report);

/// What the report says itself, else what its results say.
[[nodiscard]] std::vector<AdviceRecord> advice_of(const Report& report);

}  // namespace gpumem::report
