#pragma once
// Describes a kernel of a user's program by the hardware's counters alone.

#include "report/record/record.hpp"
#include "report/rules/explanation.hpp"

namespace gpumem::report {

/// Explains a counted kernel: how busy it kept the stages of the model, what its requests took, and its occupancy.
[[nodiscard]] Explanation counted_explanation(const Record& record);

}  // namespace gpumem::report
