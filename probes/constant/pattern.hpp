#pragma once
// The words that a warp's lanes look up, as many different ones as the case says, and the conclusion from the cases.

#include <span>

#include "engine/access/request.hpp"
#include "probes/probe.hpp"
#include "probes/requests.hpp"

namespace gpumem::constant {

/// Loads that a thread has in flight before it uses the first. Each is of a row of its own, so that none repeats
/// another, and no row is longer than a warp.
inline constexpr std::uint32_t rows = 8;
inline constexpr std::uint32_t row_words = access::warp_lanes;
inline constexpr std::uint32_t table_words = rows * row_words;  ///< 1 KiB: within any cache for constants

namespace axis {
inline constexpr Number<std::uint32_t> addresses{"addresses", &count_phrase};
inline constexpr Choice<access::Space> space{
    "space",
    {{"constant", access::Space::constant}, {"shared", access::Space::shared}, {"global", access::Space::global}}};
}  // namespace axis

struct LookUpPattern {
  std::uint32_t addresses;  ///< 1 to row_words

  /// The word of a row that a lane begins with.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t first(std::uint32_t lane) const { return lane % addresses; }
  /// From turn to turn a lane goes on to the next of the warp's words, or else the compiler would load but once. The
  /// warp's words together stay the same.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t next(std::uint32_t word) const {
    return word + 1 == addresses ? 0 : word + 1;
  }

  /// The k-th request of a warp.
  [[nodiscard]] constexpr access::WarpRequest request(std::uint64_t k) const {
    return warp_request(sizeof(std::uint32_t),
                        [&](unsigned lane) { return (k % rows * row_words + first(lane)) * sizeof(std::uint32_t); });
  }
};

/// Concludes from look-ups in one or several spaces what they cost in constant memory, and from how many addresses on
/// the same table is faster elsewhere. Concludes nothing without constant memory.
[[nodiscard]] Conclusion conclude_constant(std::span<const Outcome> outcomes);

}  // namespace gpumem::constant
