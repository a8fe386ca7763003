#pragma once
// The name a user probably meant.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace gpumem {

/// Insertions, deletions, replacements and swaps of neighbours that turn `a` into `b` (optimal string alignment).
[[nodiscard]] std::size_t edit_distance(std::string_view a, std::string_view b);

/// The candidate closest to `text`, the earlier on a tie; none when nothing is close enough to be what was meant. Case
/// does not count, and the beginning of a single candidate is close to it.
[[nodiscard]] std::optional<std::string> nearest(std::string_view text, std::span<const std::string> candidates);

/// The end of an error line: "; did you mean 'read'?", or nothing when nothing is close.
[[nodiscard]] std::string did_you_mean(std::string_view text, std::span<const std::string> candidates);

}  // namespace gpumem
