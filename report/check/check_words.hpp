#pragma once
// How a check says which case, how much, and against what.

#include <string>
#include <string_view>

#include "report/check/check.hpp"
#include "report/check/expectation.hpp"
#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

inline constexpr const char* predicted_reason = "predicted, not measured; add --backend model to accept predictions";

/// Which case it is among those a check is about: "offset 3, read". Names the probe where they are of several.
[[nodiscard]] std::string case_words(const Cases& among, const Record& record);

/// A case among all of several probes: "offset 3, read", "transfer 64 KiB, pinned host memory".
[[nodiscard]] std::string place_words(const Cases& all, const Record& record);

/// Why a case failed or was skipped, on one line.
[[nodiscard]] std::string reason_of(const Record& record);

/// The planned cases that the report does not hold.
[[nodiscard]] Cases missing_cases(const Report& report, const CheckRules& rules);
[[nodiscard]] std::string missing_words(const Cases& missing, std::size_t planned);

/// A value with its unit: "3340 GB/s", "1.21 ms", "0.93 of peak", "32.0 cycles per request".
[[nodiscard]] std::string labelled_value(std::string_view quantity, double value);

/// The value against its bounds, as far as there are: "0.98 >= 0.8", "35.2 > 33.6", "32.1 in 30.4..33.6". With as many
/// digits as it takes to see that a failed value is not the bound.
[[nodiscard]] std::string bound_words(const CheckRecord& check);

/// What an expectation asks for: "bandwidth in GB/s relative to another case at least 0.8".
[[nodiscard]] std::string demand_words(const Expectation& expectation);

}  // namespace gpumem::report
