#pragma once
// Requests of the shapes that most kernels make. Lanes beyond the last are inactive, and their addresses 0.

#include <algorithm>
#include <cstdint>

#include "engine/access/request.hpp"

namespace gpumem {

/// The request of a warp's first `lanes` lanes. The word of a lane begins at `address(lane)`.
template <class Address>
[[nodiscard]] constexpr access::WarpRequest warp_request(std::uint32_t word_bytes, const Address& address,
                                                         std::uint64_t lanes = access::warp_lanes) {
  access::WarpRequest request{.word_bytes = word_bytes};
  for (unsigned lane = 0; lane < std::min<std::uint64_t>(lanes, access::warp_lanes); ++lane) {
    request.address[lane] = address(lane);
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

/// The k-th request of warps that go through `words` words in their order, from word `first` on.
[[nodiscard]] constexpr access::WarpRequest consecutive_request(std::uint32_t word_bytes, std::uint64_t k,
                                                                std::uint64_t words = ~std::uint64_t{0},
                                                                std::uint64_t first = 0) {
  const std::uint64_t begin = k * access::warp_lanes;
  return warp_request(
      word_bytes, [=](unsigned lane) { return (first + begin + lane) * word_bytes; }, words - std::min(words, begin));
}

}  // namespace gpumem
