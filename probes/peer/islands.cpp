#include "probes/peer/islands.hpp"

#include <algorithm>
#include <map>

namespace gpumem::peer {

std::vector<Island> islands_of(std::span<const Reach> pairs) {
  constexpr double much = 1.5;
  if (pairs.empty()) return {};
  // Near is what lies above the widest gap between two rates that follow each other.
  std::vector<double> rates;
  for (const Reach& reach : pairs) rates.push_back(reach.bytes_per_s);
  std::ranges::sort(rates);
  double widest = 0;
  double least_near = 0;
  for (std::size_t i = 1; i < rates.size(); ++i) {
    if (rates[i] <= widest * rates[i - 1]) continue;
    widest = rates[i] / rates[i - 1];
    least_near = rates[i];
  }
  if (widest < much) return {};

  std::map<std::uint64_t, std::uint64_t> first;  // of the island that a GPU is on, as far as is known
  for (const Reach& reach : pairs) {
    first.try_emplace(reach.pair.source, reach.pair.source);
    first.try_emplace(reach.pair.target, reach.pair.target);
  }
  const auto is_near = [&](const Reach& reach) { return reach.bytes_per_s >= least_near; };
  for (const Reach& reach : pairs) {
    if (!is_near(reach)) continue;
    const auto [kept, joined] = std::minmax(first[reach.pair.source], first[reach.pair.target]);
    for (auto& [gpu, island] : first) {
      if (island == joined) island = kept;
    }
  }
  // One slow pair among fast ones makes no islands.
  const auto agrees = [&](const Reach& reach) {
    return is_near(reach) == (first[reach.pair.source] == first[reach.pair.target]);
  };
  if (!std::ranges::all_of(pairs, agrees)) return {};

  std::map<std::uint64_t, Island> islands;
  for (const auto& [gpu, island] : first) islands[island].push_back(gpu);
  std::vector<Island> found;
  for (auto& [gpu, island] : islands) found.push_back(std::move(island));
  return found.size() < 2 ? std::vector<Island>() : found;
}

}  // namespace gpumem::peer
