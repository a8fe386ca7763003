#pragma once
// What the checks of a report (check.cpp) and of its expectations (hold.cpp) have in common.

#include <string>

#include "report/check/check.hpp"
#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

inline constexpr const char* predicted_reason = "predicted, not measured; add --backend model to accept predictions";

/// Why a case failed or was skipped, on one line.
[[nodiscard]] std::string reason_of(const Record& record);

/// A case among all of several probes: "offset 3, read", "transfer 64 KiB, pinned host memory".
[[nodiscard]] std::string place_words(const Cases& all, const Record& record);

/// The planned cases that the report does not hold.
[[nodiscard]] Cases missing_cases(const Report& report, const CheckRules& rules);
[[nodiscard]] std::string missing_words(const Cases& missing, std::size_t planned);

/// The record of an expectation that nothing was held against yet.
[[nodiscard]] CheckRecord blank_check(const Expectation& expectation);

}  // namespace gpumem::report
