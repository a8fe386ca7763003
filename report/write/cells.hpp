#pragma once
// The cells of a column, and what stands above them.

#include <optional>
#include <string>
#include <vector>

#include "report/text/names.hpp"

namespace gpumem::report {

/// Numbers with the same decimals in all rows: as many as give the smallest of them `digits` significant ones, up to
/// `most_decimals`. Where they span many powers of ten, those would be noise behind the large ones, and every row has
/// its own. What would read as 0 without being it has two digits all the same.
[[nodiscard]] std::vector<std::string> aligned(const std::vector<std::optional<double>>& values, int digits,
                                               int most_decimals);

/// How much more than 1 a ratio is, or less, in per cent: "+0.3", "-20.0". What rounds to nothing has no sign.
[[nodiscard]] std::string percent_off(double ratio, int decimals);

/// A share's heading, its words one above the other: such words are longer than their numbers.
[[nodiscard]] Heading in_percent(const Heading& share);

}  // namespace gpumem::report
