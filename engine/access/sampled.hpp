#pragma once
// A launch's requests, all or some: the same ones each time.

#include <algorithm>
#include <array>
#include <cstdint>
#include <span>

#include "engine/access/exact.hpp"
#include "engine/base/interruption.hpp"

namespace gpumem::access {

/// A place in the i-th of `parts` equal parts of [0, count), count > 0, anywhere in it: places evenly apart would all
/// meet the same lane, row or column of what is a power of two wide.
[[nodiscard]] constexpr std::uint64_t place_in_part(std::uint64_t count, std::uint64_t parts, std::uint64_t i) {
  std::uint64_t mixed = (i + 1) * 0x9e37'79b9'7f4a'7c15;  // splitmix64's first steps
  mixed = (mixed ^ (mixed >> 30U)) * 0xbf58'476d'1ce4'e5b9;
  mixed ^= mixed >> 27U;
  const std::uint64_t length = std::max<std::uint64_t>(count / parts, 1);
  return std::min(count - 1, i * length + mixed % length);
}

/// Calls visit(k, request) for requests first, first + 1 and so on, all of which the launch has.
template <class Visit>
void for_each_request(const Requests& launch, std::uint64_t first, std::uint64_t requests, const Visit& visit) {
  std::array<WarpRequest, 32> batch;
  for (std::uint64_t done = 0; done < requests; done += batch.size()) {
    stop_if_requested();
    const std::span some(batch.data(), std::min<std::uint64_t>(batch.size(), requests - done));
    for (WarpRequest& request : some) {
      request.active = 0;
      request.word_bytes = launch.word_bytes;
    }
    launch.fill(first + done, some);
    for (std::uint64_t i = 0; i < some.size(); ++i) visit(first + done + i, some[i]);
  }
}

}  // namespace gpumem::access
