#include "report/explain/value_sets.hpp"

#include <algorithm>

#include "probes/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part) {
  std::uint64_t largest = 0;
  for (const std::uint64_t value : part) largest = std::max(largest, value);
  if (largest == 0 || part.size() == all.size()) return std::nullopt;

  const auto is_member = [&](std::uint64_t value) { return std::ranges::find(part, value) != part.end(); };
  const auto holds = [&](std::uint64_t k) {
    return std::ranges::all_of(all, [&](std::uint64_t value) { return (value % k == 0) == is_member(value); });
  };
  // A factor of all members divides the smallest of them that is not zero.
  std::uint64_t smallest = largest;
  for (const std::uint64_t value : part) {
    if (value > 0) smallest = std::min(smallest, value);
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
  const auto is_member = [&](std::uint64_t value) { return std::ranges::find(part, value) != part.end(); };
  for (std::size_t i = 0; i < all.size();) {
    if (!is_member(all[i])) {
      ++i;
      continue;
    }
    std::size_t end = i;
    while (end + 1 < all.size() && is_member(all[end + 1])) ++end;
    if (end > i + 1) {
      parts.push_back(std::to_string(all[i]) + " to " + std::to_string(all[end]));
    } else {
      for (std::size_t k = i; k <= end; ++k) parts.push_back(std::to_string(all[k]));
    }
    if (parts.size() > most_parts) return {};
    i = end + 1;
  }
  return join_in_words(parts);
}

}  // namespace gpumem::report
