#pragma once
// The cells of a column, and its heading.

#include <optional>
#include <string>
#include <vector>

#include "report/text/names.hpp"

namespace gpumem::report {

/// Numbers with the same decimals in all rows: as many as give the smallest of them `digits` significant ones, up to
/// `most_decimals`. If the numbers span more than three powers of ten, each has decimals of its own. A number that
/// would read as 0 without being 0 has two significant digits.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::optional<double>>& values, int digits,
                                               int most_decimals);

/// The difference of a ratio from 1, in per cent: "+0.3", "-20.0". A difference that rounds to 0 has no sign.
[[nodiscard]] std::string percent_off(double ratio, int decimals);

/// The heading of a share, with its last word in the line of the unit: the words are longer than the numbers below
/// them.
[[nodiscard]] Heading in_percent(const Heading& share);

}  // namespace gpumem::report
