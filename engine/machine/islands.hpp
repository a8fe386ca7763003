#pragma once
// GPUs that are close to each other and far from the rest.

#include <cstdint>
#include <span>
#include <vector>

namespace gpumem::measure {

/// How near a GPU is to another: by what reaches it in a second, or by the inverse of how long that takes.
struct Nearness {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  double value = 0;
};

using Island = std::vector<std::uint64_t>;  ///< GPUs, ascending

/// The islands, where there are at least two of which one has more than one GPU: pairs on one island are much nearer
/// than any pair of two of them. Else empty. Each ordered pair at most once.
[[nodiscard]] std::vector<Island> islands_of(std::span<const Nearness> pairs);

[[nodiscard]] bool on_one_island(std::span<const Island> islands, std::uint64_t source, std::uint64_t target);

}  // namespace gpumem::measure
