#pragma once
// The columns of one block: a part of report/blocks.hpp on its own for length.

#include <vector>

#include "report/blocks.hpp"

namespace gpumem::report {

using Cases = std::vector<const Record*>;

/// The block of one or more cases of the same probe, without findings.
[[nodiscard]] Block make_block(const Cases& cases);

}  // namespace gpumem::report
