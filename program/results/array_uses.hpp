#pragma once
// The arrays that a launch loads and stores, as far as the addresses shown of its sites tell them apart.

#include <cstdint>
#include <vector>

#include "program/watch/raw_format.hpp"

namespace gpumem::program {

/// Sites of one operation that access one array. Bytes are of one launch.
struct ArrayUse {
  std::uint64_t lowest = 0;   ///< address that was shown
  std::uint64_t highest = 0;  ///< behind the last byte that was shown
  double touched_bytes = 0;   ///< of different sectors
  double moved_bytes = 0;     ///< of the sectors of all requests
  double useful_bytes = 0;    ///< asked for by all requests
  bool in_order = true;       ///< no request touches many more sectors than its data needs

  /// Returns true if each sector is accessed once, and most of it is used.
  [[nodiscard]] bool goes_once() const;
};

struct ArrayUses {
  std::vector<ArrayUse> loads;
  std::vector<ArrayUse> stores;
  double loaded_bytes = 0;  ///< asked for from global memory
  double stored_bytes = 0;
  double shared_loaded_bytes = 0;
  double shared_stored_bytes = 0;
  /// False if it has atomics, accesses memory of the host or of other blocks, or has sites that were not counted.
  bool is_plain = true;

  [[nodiscard]] bool uses_shared() const { return shared_loaded_bytes + shared_stored_bytes > 0; }
};

/// Returns the arrays of a launch with these sites, which stand for all of its blocks. Sites belong to one array if the
/// addresses shown of them overlap, or nearly do.
[[nodiscard]] ArrayUses array_uses(const std::vector<inject::Site>& sites);

/// Returns true if the sites of `use` may all access the array of `array`: at most as far as that array is long lies
/// between the addresses shown of both. Arrays that do not overlap are farther apart, unless only the end of one and
/// the beginning of the next were shown.
[[nodiscard]] bool lies_in(const ArrayUse& use, const ArrayUse& array);

/// Returns true if `use` lies in the array and touches nearly all of it.
[[nodiscard]] bool covers(const ArrayUse& use, const ArrayUse& array);

/// Returns the bytes as a whole number. Damaged raw data may hold more than any memory.
[[nodiscard]] std::uint64_t whole_bytes(double bytes);

}  // namespace gpumem::program
