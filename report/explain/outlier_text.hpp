#pragma once
// Names the cases of a matrix that are unlike those that should be like them, in a sentence.

#include <optional>
#include <string>

#include "report/record/matrix.hpp"

namespace gpumem::report {

/// "Unlike the others via staged: target 3 (7 % less in all 7 cases); source 2, target 5 (45 % less)." `several` is
/// true if there are other alternatives to tell it from. Empty if no case is unlike the others; nullopt if there are
/// too few values to tell.
[[nodiscard]] std::optional<std::string> outlier_text(const CaseMatrix& matrix, bool several);

}  // namespace gpumem::report
