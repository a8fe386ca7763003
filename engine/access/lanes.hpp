#pragma once
// Computes the cost of one request: the same numbers as the definitions of request.hpp in a fraction of their time, for
// launches of which every request is counted.

#include <cstdint>
#include <span>

#include "engine/access/request.hpp"

namespace gpumem::access {

/// The addresses of a request's active lanes.
struct Lanes {
  std::uint64_t address[warp_lanes];
  unsigned count = 0;
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  std::uint64_t bits = 0;  ///< of all addresses together, or-ed: its trailing zeros are the alignment of all
  bool ascending = true;   ///< each address is the one before it or higher
  bool evenly = false;     ///< all 32 lanes, the same `step` apart each, none wrapping round
  std::uint64_t step = 0;

  /// True if no word of `bytes`, a power of two, crosses a boundary of that many bytes.
  [[nodiscard]] bool aligned_to(std::uint64_t bytes) const { return (bits & (bytes - 1)) == 0; }
};

/// Returns the active lanes' addresses in the order of the lanes, or ascending if all 32 are evenly spaced.
[[nodiscard]] Lanes lanes_of(const WarpRequest& request);

/// Gives every lane the address `first` + its `offset`. For millions of requests: vector instructions add several.
void place_lanes(std::uint64_t first, const std::uint64_t (&offset)[warp_lanes], WarpRequest& request);

/// A set of a few numbers: a hash table that is cleared at once.
class DistinctNumbers {
 public:
  static constexpr std::size_t most = 64;

  /// Returns how many different numbers there are among at most `most`. The set loses its contents.
  unsigned count(std::span<const std::uint64_t> numbers) {
    // Without branches to predict: each number leaves its index at its place, where the last one stays. A number that
    // finds its own index counts for all that are equal.
    std::uint32_t place[most];
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      place[i] = (static_cast<std::uint32_t>(numbers[i]) * 0x9e37'79b1U) >> (32 - log2_places);
    }
    for (std::size_t i = 0; i < numbers.size(); ++i) last_[place[i]] = static_cast<std::uint8_t>(i);
    unsigned found = 0;
    std::uint64_t differ = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      const std::size_t last = last_[place[i]];
      found += static_cast<unsigned>(last == i);
      differ |= numbers[last] ^ numbers[i];
    }
    if (differ != 0) found += count_driven_out(numbers, place);
    return found;
  }

  void clear() {
    if (++round_ == 0) *this = {};  // rounds begin anew
  }

  /// Returns true if the number was not in the set yet. Insert at most `most` numbers between two calls of clear().
  bool insert(std::uint64_t number) {
    auto at = static_cast<unsigned>((number * 0x9e37'79b9'7f4a'7c15) >> (64 - log2_slots));  // Fibonacci hashing
    while (entered_[at] == round_) {
      if (number_[at] == number) return false;
      at = (at + 1) % slots;
    }
    entered_[at] = round_;
    number_[at] = number;
    return true;
  }

 private:
  /// Returns how many different ones there are among the numbers that found another number in their place.
  unsigned count_driven_out(std::span<const std::uint64_t> numbers, const std::uint32_t* place) {
    clear();
    unsigned found = 0;
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[last_[place[i]]] != numbers[i]) found += static_cast<unsigned>(insert(numbers[i]));
    }
    return found;
  }

  static constexpr unsigned log2_slots = 9;  // few of a request's numbers meet in one slot
  static constexpr unsigned slots = 1U << log2_slots;
  std::uint64_t number_[slots] = {};
  std::uint32_t entered_[slots] = {};  ///< in which round
  std::uint32_t round_ = 1;
  static constexpr unsigned log2_places = 12;  // of 32 numbers mostly none meet
  std::uint8_t last_[1U << log2_places] = {};  ///< the index of the last number that came there
};

struct RequestCost {
  unsigned sectors = 0;
  unsigned lines = 0;
  unsigned addresses = 0;
};

/// sectors_per_request, lines_per_request and addresses_per_request of words of `word_bytes`, a power of two <= 32.
[[nodiscard]] RequestCost cost_of(const Lanes& lanes, unsigned word_bytes, DistinctNumbers& scratch);

/// shared_wavefronts.
[[nodiscard]] unsigned wavefronts_of(const WarpRequest& request, Op op, DistinctNumbers& scratch);

}  // namespace gpumem::access
