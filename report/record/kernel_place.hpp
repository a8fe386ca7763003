#pragma once
// Which of a program's kernels a record is, as briefly as it can be told from the others.

#include <string>

#include "report/record/cases.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Which of the launches of one kernel it is, where the others have several: " <<<4096, 256>>>", as a program says it,
/// and " on GPU 1". Else empty.
[[nodiscard]] std::string launch_words(const Record& record, const Cases& others);

/// "transpose_tile<0> <<<256x256, 256>>>": its name shortened as far as it differs from those of the others.
[[nodiscard]] std::string kernel_place(const Record& record, const Cases& others);

}  // namespace gpumem::report
