#include "engine/machine/islands.hpp"

#include <algorithm>
#include <map>

namespace gpumem::measure {

std::vector<Island> islands_of(std::span<const Nearness> pairs) {
  constexpr double separate = 1.5;  // times as near: links of one kind differ by less
  if (pairs.empty()) return {};
  // Near is what lies above the widest gap between two values that follow each other.
  std::vector<double> values;
  for (const Nearness& pair : pairs) values.push_back(pair.value);
  std::ranges::sort(values);
  double widest = 0;
  double least_near = 0;
  for (std::size_t i = 1; i < values.size(); ++i) {
    if (values[i] <= widest * values[i - 1]) continue;
    widest = values[i] / values[i - 1];
    least_near = values[i];
  }
  if (widest < separate) return {};

  std::map<std::uint64_t, std::uint64_t> first;  // of the island that a GPU is on, as far as is known
  for (const Nearness& pair : pairs) {
    first.try_emplace(pair.source, pair.source);
    first.try_emplace(pair.target, pair.target);
  }
  const auto is_near = [&](const Nearness& pair) { return pair.value >= least_near; };
  for (const Nearness& pair : pairs) {
    if (!is_near(pair)) continue;
    const auto [kept, joined] = std::minmax(first[pair.source], first[pair.target]);
    for (auto& [gpu, island] : first) {
      if (island == joined) island = kept;
    }
  }
  // One slow pair among fast ones makes no islands.
  const auto agrees = [&](const Nearness& pair) { return is_near(pair) == (first[pair.source] == first[pair.target]); };
  if (!std::ranges::all_of(pairs, agrees)) return {};

  std::map<std::uint64_t, Island> islands;
  for (const auto& [gpu, island] : first) islands[island].push_back(gpu);
  std::vector<Island> found;
  for (auto& [gpu, island] : islands) found.push_back(std::move(island));
  return found.size() < 2 ? std::vector<Island>() : found;
}

bool on_one_island(std::span<const Island> islands, std::uint64_t source, std::uint64_t target) {
  return std::ranges::any_of(islands, [&](const Island& island) {
    return std::ranges::binary_search(island, source) && std::ranges::binary_search(island, target);
  });
}

}  // namespace gpumem::measure
