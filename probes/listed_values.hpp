#pragma once
// Some of an axis' values in words: by a factor that they have in common, or as a list.

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gpumem {

/// Returns the only k > 1 for which exactly the values of `part`, among `all`, are multiples of k. Nullopt if there is
/// none, or if several would do: two points fit many rules.
[[nodiscard]] std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all,
                                                         std::span<const std::uint64_t> part);

/// Returns the values as runs of neighbours in `all` (sorted, distinct): "1, 3 and 8 to 32". Empty if that would take
/// more than four parts.
[[nodiscard]] std::string listed(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part);

}  // namespace gpumem
