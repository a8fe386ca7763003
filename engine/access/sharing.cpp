#include "engine/access/sharing.hpp"

#include <algorithm>
#include <bit>
#include <vector>

#include "engine/access/sampled.hpp"

namespace gpumem::access {

namespace {

// A block of neighbouring requests, and single requests as far apart as the block is long. Any distance up to the
// number of single requests times that length lies between one of them and one of the block.
constexpr std::uint64_t block_requests = 2048;
constexpr std::uint64_t single_requests = 1024;
constexpr unsigned remembered_lanes = 4;  // of a request: requests that share sectors mostly share many
constexpr std::size_t candidates_each = 6;
constexpr std::uint64_t checked_places = 16;
constexpr double telling_share = 0.25;
constexpr double beyond_chance = 2;

/// The last request that came to each sector. There is a slot for each hash: an overwritten sector is forgotten.
class LastUse {
 public:
  void set(std::uint64_t sector, std::uint64_t request) { slots_[slot_of(sector)] = {sector, request + 1}; }
  /// Returns one more than the request, 0 for none.
  [[nodiscard]] std::uint64_t get(std::uint64_t sector) const {
    const Slot& slot = slots_[slot_of(sector)];
    return slot.sector == sector ? slot.after : 0;
  }

 private:
  struct Slot {
    std::uint64_t sector = 0;
    std::uint64_t after = 0;
  };
  static constexpr unsigned log2_slots = 16;
  static std::size_t slot_of(std::uint64_t sector) { return (sector * 0x9e37'79b9'7f4a'7c15) >> (64 - log2_slots); }
  std::vector<Slot> slots_ = std::vector<Slot>(std::size_t{1} << log2_slots);
};

/// Visits the sectors of the words' first bytes, since most words lie in one sector. A sector that neighbouring lanes
/// share is visited once.
template <class Visit>
void for_each_sector(const WarpRequest& request, Visit visit) {
  std::uint64_t previous = ~std::uint64_t{0};
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t sector = request.address[lane] / sector_bytes;
    if (sector != previous) visit(sector);
    previous = sector;
  }
}

struct Candidate {
  std::uint64_t distance;
  std::uint64_t sectors;  ///< seen to be shared over it
};

/// Returns the distances to the last use of a request's sectors, each with the number of these sectors.
std::vector<Candidate> distances_to_last_use(const WarpRequest& request, std::uint64_t k, const LastUse& last_use) {
  std::vector<Candidate> found;
  for_each_sector(request, [&](std::uint64_t sector) {
    const std::uint64_t after = last_use.get(sector);
    if (after == 0 || after > k) return;
    const std::uint64_t distance = k - (after - 1);
    const auto known = std::ranges::find(found, distance, &Candidate::distance);
    if (known == found.end()) {
      found.push_back({distance, 1});
    } else {
      ++known->sectors;
    }
  });
  return found;
}

void remember(const WarpRequest& request, std::uint64_t k, LastUse& last_use) {
  const auto apart = std::max(1U, static_cast<unsigned>(std::popcount(request.active)) / remembered_lanes);
  unsigned i = 0;
  for (std::uint32_t active = request.active; active != 0; active &= active - 1) {
    if (i++ % apart == 0) last_use.set(request.address[std::countr_zero(active)] / sector_bytes, k);
  }
}

/// Adds the most frequent distances within the block, then the shortest beyond it.
void add_candidates(const Requests& launch, std::uint64_t first, std::vector<std::uint64_t>& distances) {
  LastUse last_use;
  const std::uint64_t length = std::min(block_requests, launch.count - first);
  std::vector<std::uint64_t> sectors_of_distance(length);
  for_each_request(launch, first, length, [&](std::uint64_t k, const WarpRequest& request) {
    for (const Candidate& candidate : distances_to_last_use(request, k, last_use)) {
      sectors_of_distance[candidate.distance] += candidate.sectors;
    }
    remember(request, k, last_use);
  });
  std::vector<Candidate> within;
  for (std::uint64_t distance = 1; distance < length; ++distance) {
    if (sectors_of_distance[distance] > 1) within.push_back({distance, sectors_of_distance[distance]});
  }
  std::ranges::stable_sort(within, std::ranges::greater{}, &Candidate::sectors);
  within.resize(std::min(within.size(), candidates_each));
  for (const Candidate& candidate : within) distances.push_back(candidate.distance);

  std::vector<std::uint64_t> beyond;
  for (std::uint64_t j = 1; j <= single_requests && j * block_requests < launch.count - first; ++j) {
    const std::uint64_t k = first + j * block_requests;
    for_each_request(launch, k, 1, [&](std::uint64_t, const WarpRequest& request) {
      for (const Candidate& candidate : distances_to_last_use(request, k, last_use)) {
        if (candidate.sectors > 1) beyond.push_back(candidate.distance);
      }
    });
  }
  std::ranges::sort(beyond);
  beyond.resize(std::min(beyond.size(), candidates_each));
  distances.insert(distances.end(), beyond.begin(), beyond.end());
}

/// Returns the share of `numbers` that is among the others.
double share_among(const std::vector<std::uint64_t>& numbers, const std::vector<std::uint64_t>& others) {
  const auto shared = std::ranges::count_if(
      numbers, [&](std::uint64_t number) { return std::ranges::find(others, number) != others.end(); });
  return static_cast<double>(shared) / static_cast<double>(numbers.size());
}

struct Touches {
  std::vector<std::uint64_t> sectors;
  std::vector<std::uint64_t> addresses;
};

Touches touches_of(const Requests& launch, std::uint64_t first, std::uint64_t requests) {
  Touches touches;
  for_each_request(launch, first, requests, [&](std::uint64_t, const WarpRequest& request) {
    for_each_sector(request, [&](std::uint64_t sector) { touches.sectors.push_back(sector); });
    for (unsigned lane = 0; lane < warp_lanes; ++lane) {
      if (request.lane_active(lane)) touches.addresses.push_back(request.address[lane]);
    }
  });
  return touches;
}

/// The shares that a request has in common with others, averaged over requests all over the launch.
struct Shares {
  double around = 0;  ///< of its sectors, with the request that it is compared with and the two beside it
  double exact = 0;   ///< of its sectors, with that one alone
  double elements = 0;
};

/// Compares requests with those `distance` later or, `by_chance`, with any others.
Shares shares_over(const Requests& launch, std::uint64_t distance, bool by_chance) {
  const std::uint64_t before = distance > 1 ? 1 : 0;  // else it would be compared with itself
  const std::uint64_t last = launch.count - distance;
  Shares shares;
  double places = 0;
  for (std::uint64_t i = 0; i < checked_places; ++i) {
    const std::uint64_t k = place_in_part(last, checked_places, i);
    const Touches own = touches_of(launch, k, 1);
    if (own.addresses.empty()) continue;
    const std::uint64_t other = by_chance ? place_in_part(last, 1, i + checked_places) + distance : k + distance;
    const Touches around =
        touches_of(launch, other - before, std::min(launch.count - other, std::uint64_t{2}) + before);
    shares.around += share_among(own.sectors, around.sectors);
    shares.elements += share_among(own.addresses, around.addresses);
    shares.exact += share_among(own.sectors, touches_of(launch, other, 1).sectors);
    places += 1;
  }
  if (places == 0) return {};
  return {shares.around / places, shares.exact / places, shares.elements / places};
}

}  // namespace

Sharing find_sharing(const Requests& launch) {
  std::vector<std::uint64_t> distances;
  if (launch.count > 1) add_candidates(launch, 0, distances);
  if (launch.count > block_requests) add_candidates(launch, place_in_part(launch.count / 2, 1, 0), distances);
  std::ranges::sort(distances);
  const auto repeated = std::ranges::unique(distances);
  distances.erase(repeated.begin(), repeated.end());
  for (const std::uint64_t distance : distances) {
    const Shares shares = shares_over(launch, distance, false);
    if (shares.around < telling_share) continue;
    const Shares chance = shares_over(launch, distance, true);
    if (shares.around < beyond_chance * chance.around && shares.exact < beyond_chance * chance.exact) continue;
    return {.requests_later = distance,
            .exactly = shares.exact > 0.9 * shares.around,
            .sector_share = shares.around,
            .element_share = shares.elements};
  }
  return {};
}

}  // namespace gpumem::access
