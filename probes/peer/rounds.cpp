#include "probes/peer/rounds.hpp"

#include <algorithm>

namespace gpumem::peer {

std::vector<Pair> disjoint_pairs(const Pair& pair, std::uint64_t gpus) {
  // All players but the last stand in a circle of odd size; in round r, those meet whose places add up to r, and the
  // one who would meet himself meets the last. With an odd number of players nobody is the last, and he sits out.
  const std::uint64_t circle = gpus % 2 == 0 ? gpus - 1 : gpus;
  const auto [low, high] = std::minmax(pair.source, pair.target);
  const std::uint64_t round = high == circle ? 2 * low % circle : (low + high) % circle;
  std::vector<Pair> pairs = {pair};
  for (std::uint64_t player = 0; player < circle; ++player) {
    std::uint64_t opponent = (round + circle - player) % circle;
    if (opponent == player) opponent = circle;
    if (opponent < player || opponent >= gpus) continue;  // met already, or sits out
    const Pair met = pair.source < pair.target ? Pair{player, opponent} : Pair{opponent, player};
    if (met != pair) pairs.push_back(met);
  }
  return pairs;
}

}  // namespace gpumem::peer
