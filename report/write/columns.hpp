#pragma once
// The columns of one block: a part of report/write/blocks.hpp on its own for length.

#include <optional>

#include "report/record/cases.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

/// The block of one or more cases of the same probe, without findings.
[[nodiscard]] Block make_block(const Cases& cases, const std::optional<Device>& device, bool why = false);

}  // namespace gpumem::report
