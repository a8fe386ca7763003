#pragma once
// What the cases of a matrix have in common, in a line or a few.

#include <string>
#include <string_view>
#include <vector>

#include "report/record/cases.hpp"

namespace gpumem::report {

/// Middle and range of the measured values, and what was predicted of them, apart for each prediction where these are
/// few; else of the predicted values. Of the headline also how sure it is, and how it stands to the baseline's.
[[nodiscard]] std::vector<std::string> summary_of(const Cases& cases, std::string_view quantity);

/// Whether all read the same.
[[nodiscard]] bool reads_same(const std::vector<double>& values);

}  // namespace gpumem::report
