#pragma once
// Sets of values in words: "no multiple of 8", "8 to 32", "1, 3 and 5".

#include <cstdint>
#include <optional>
#include <span>
#include <string>

namespace gpumem::report {

/// The only k > 1 such that, of `all` values, exactly those of `part` are multiples of k. Nothing if there is none, or
/// if several would do: two points fit many rules.
[[nodiscard]] std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all,
                                                         std::span<const std::uint64_t> part);

/// The values as runs of neighbours in `all` (sorted, distinct), as long as they are few: "1, 3 and 8 to 32". Empty
/// when that would take more than four parts.
[[nodiscard]] std::string listed(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part);

}  // namespace gpumem::report
