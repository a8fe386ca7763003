#include "engine/base/suggest.hpp"

#include <algorithm>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem {

namespace {

/// Mistakes forgiven in a name: one, and one more for every four letters after the first four.
std::size_t tolerance(std::size_t letters) { return 1 + (letters > 4 ? (letters - 1) / 4 : 0); }

}  // namespace

std::size_t edit_distance(std::string_view a, std::string_view b) {
  const std::size_t columns = b.size() + 1;
  std::vector<std::size_t> before_last(columns);
  std::vector<std::size_t> last(columns);
  std::vector<std::size_t> current(columns);
  for (std::size_t j = 0; j < columns; ++j) current[j] = j;
  for (std::size_t i = 1; i <= a.size(); ++i) {
    before_last.swap(last);
    last.swap(current);
    current[0] = i;
    for (std::size_t j = 1; j < columns; ++j) {
      const std::size_t replaced = last[j - 1] + (a[i - 1] == b[j - 1] ? 0 : 1);
      current[j] = std::min({last[j] + 1, current[j - 1] + 1, replaced});
      const bool swapped = i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1];
      if (swapped) current[j] = std::min(current[j], before_last[j - 2] + 1);
    }
  }
  return current[b.size()];
}

std::optional<std::string> nearest(std::string_view text, std::span<const std::string> candidates) {
  const std::string typed = lower(text);
  const std::string* best = nullptr;
  std::size_t best_distance = 0;
  std::vector<const std::string*> completions;
  for (const std::string& candidate : candidates) {
    const std::string name = lower(candidate);
    if (typed.size() >= 2 && name.starts_with(typed)) completions.push_back(&candidate);
    // A text that is longer than the name by more than the tolerance is too far away. Comparing the two could take
    // long.
    if (typed.size() > name.size() + tolerance(name.size())) continue;
    const std::size_t distance = edit_distance(typed, name);
    // Below its own length, or a short name would be reached by replacing all of it.
    if (distance > tolerance(name.size()) || distance >= std::min(name.size(), typed.size())) continue;
    if (best == nullptr || distance < best_distance) {
      best = &candidate;
      best_distance = distance;
    }
  }
  if (best == nullptr && completions.size() == 1) best = completions.front();
  if (best == nullptr) return std::nullopt;
  return *best;
}

std::string did_you_mean(std::string_view text, std::span<const std::string> candidates) {
  const auto name = nearest(text, candidates);
  return name ? "; did you mean '" + *name + "'?" : std::string();
}

}  // namespace gpumem
