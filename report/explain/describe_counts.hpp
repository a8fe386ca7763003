#pragma once
// What the hardware's counters alone say about a kernel of a user's program.

#include "report/explain/explain.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// Of a kernel that was counted: how busy it kept the stages of the model, what its requests took, and its occupancy.
[[nodiscard]] Explanation counted_explanation(const Record& record);

}  // namespace gpumem::report
