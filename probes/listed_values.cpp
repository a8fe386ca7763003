#include "probes/listed_values.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem {

namespace {

bool is_in(std::span<const std::uint64_t> values, std::uint64_t value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part) {
  if (part.size() == all.size()) return std::nullopt;
  const auto holds = [&](std::uint64_t k) {
    return std::ranges::all_of(all, [&](std::uint64_t value) { return (value % k == 0) == is_in(part, value); });
  };
  std::uint64_t smallest = 0;  // that is not zero: a factor of all divides it
  for (const std::uint64_t value : part) {
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  constexpr std::uint64_t furthest = 4096;  // larger factors explain nothing to a reader
  std::optional<std::uint64_t> found;
  for (std::uint64_t k = 2; k <= std::min(smallest, furthest); ++k) {
    if (smallest % k != 0 || !holds(k)) continue;
    if (found) return std::nullopt;
    found = k;
  }
  return found;
}

std::string listed(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part) {
  constexpr std::size_t most_parts = 4;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size() && parts.size() <= most_parts; ++i) {
    if (!is_in(part, all[i])) continue;
    const std::size_t begin = i;
    while (i + 1 < all.size() && is_in(part, all[i + 1])) ++i;
    parts.push_back(std::to_string(all[begin]));
    if (i > begin + 1) parts.back() += " to " + std::to_string(all[i]);
    if (i == begin + 1) parts.push_back(std::to_string(all[i]));
  }
  return parts.size() > most_parts ? "" : join_in_words(parts);
}

}  // namespace gpumem
