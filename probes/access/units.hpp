#pragma once
// What requests are counted in, each unit with its name in reports.

#include "probes/access/request.hpp"

namespace gpumem::access {

struct Unit {
  const char* name;  ///< so many per request
  unsigned bytes;    ///< that one of them holds

  /// The least that a request of a full warp costs whose lanes share nothing.
  [[nodiscard]] constexpr double least(unsigned word_bytes) const {
    const double asked = static_cast<double>(word_bytes) * warp_lanes;
    return asked > bytes ? asked / bytes : 1;
  }
};

inline constexpr Unit sectors{"sectors", sector_bytes};
inline constexpr Unit wavefronts{"wavefronts", bank_count* bank_bytes};

}  // namespace gpumem::access
