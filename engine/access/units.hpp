#pragma once
// The units that requests are counted in, each with its name in reports.

#include "engine/access/request.hpp"

namespace gpumem::access {

struct Unit {
  const char* name;  ///< so many per request
  unsigned bytes;    ///< that one of them holds; 0 for one word, whatever its size

  /// Returns the fewest units that a request of a full warp can cost if its lanes share nothing.
  [[nodiscard]] constexpr double least(unsigned word_bytes) const {
    const double asked = static_cast<double>(word_bytes) * warp_lanes;
    const unsigned each = bytes == 0 ? word_bytes : bytes;
    return asked > each ? asked / each : 1;
  }
};

inline constexpr Unit sectors{"sectors", sector_bytes};
inline constexpr Unit wavefronts{"wavefronts", bank_count* bank_bytes};
inline constexpr Unit addresses{"addresses", 0};

}  // namespace gpumem::access
