#pragma once
// Tells the different lines of a request apart, in the order in which its lanes come to them.

#include <array>
#include <cstdint>

#include "engine/access/request.hpp"

namespace gpumem::access {

/// Numbers the different numbers among at most `most`. A hash table that needs no clearing.
class OrderOfFirst {
 public:
  static constexpr unsigned most = warp_lanes;

  void clear() { count_ = 0; }
  [[nodiscard]] unsigned count() const { return count_; }

  /// Returns how many other numbers had come when this one came first. If it is new, that is count() as it was.
  [[nodiscard]] unsigned place_of(std::uint64_t number) {
    auto slot = static_cast<unsigned>((number * 0x9e37'79b9'7f4a'7c15) >> (64 - log2_slots));  // Fibonacci hashing
    for (;; slot = (slot + 1) % slots) {
      const unsigned place = place_in_[slot];
      if (place >= count_ || slot_of_[place] != slot) break;
      if (numbers_[place] == number) return place;
    }
    place_in_[slot] = static_cast<std::uint8_t>(count_);
    slot_of_[count_] = static_cast<std::uint8_t>(slot);
    numbers_[count_] = number;
    return count_++;
  }

 private:
  static constexpr unsigned log2_slots = 7;
  static constexpr unsigned slots = 1U << log2_slots;
  unsigned count_ = 0;
  /// The place of the number in each slot. A slot is free if no number has that place, or if slot_of_ names another
  /// slot for it.
  std::array<std::uint8_t, slots> place_in_ = {};
  // Places from count_ on are not read. So they need no first value, and a new table for each request is soon made.
  std::uint8_t slot_of_[most];
  std::uint64_t numbers_[most];
};

}  // namespace gpumem::access
