#pragma once

#include <span>
#include <string>

namespace gpumem::report {

/// Returns a block for each value, the lowest at the bottom and the highest at the top: "▇▇█▇▁". Blocks are UTF-8. If
/// all values are equal, so are the blocks. Values are finite.
[[nodiscard]] std::string sparkline(std::span<const double> values);

}  // namespace gpumem::report
