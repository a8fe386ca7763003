#pragma once
// The words of a check: for a case, a value, a bound and a demand.

#include <string>
#include <string_view>

#include "report/check/check.hpp"
#include "report/check/expectation.hpp"
#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

inline constexpr const char* predicted_reason = "predicted, not measured; add --backend model to accept predictions";

/// Names a case among those that a check is about: "offset 3, read". Includes the probe if the cases are of several.
[[nodiscard]] std::string case_words(const Cases& among, const Record& record);

/// Names a case among those of several probes: "offset 3, read", "transfer 64 KiB, pinned host memory".
[[nodiscard]] std::string probe_and_case_words(const Cases& all, const Record& record);

/// Why a case failed or was skipped, on one line.
[[nodiscard]] std::string reason_of(const Record& record);

/// The planned cases that the report does not hold.
[[nodiscard]] Cases missing_cases(const Report& report, const CheckRules& rules);
[[nodiscard]] std::string missing_words(const Cases& missing, std::size_t planned);

/// A value with its unit: "3340 GB/s", "1.21 ms", "0.93 of peak", "32.0 cycles per request".
[[nodiscard]] std::string labelled_value(std::string_view quantity, double value);

/// Returns the value and its bounds, if any: "0.98 >= 0.8", "35.2 > 33.6", "32.1 in 30.4..33.6". A failed value has as
/// many digits as it takes to differ from the bound.
[[nodiscard]] std::string bound_words(const CheckRecord& check);

/// Returns the demand of an expectation: "bandwidth in GB/s relative to another case at least 0.8".
[[nodiscard]] std::string demand_words(const Expectation& expectation);

}  // namespace gpumem::report
