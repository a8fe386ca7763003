#pragma once
// GPUs that are close to each other and far from the rest.

#include <cstdint>
#include <span>
#include <vector>

namespace gpumem::measure {

/// A measure of how near a GPU is to another, larger for a nearer one: a bandwidth, or the inverse of a time.
struct Nearness {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
  double value = 0;
};

using Island = std::vector<std::uint64_t>;  ///< GPUs, ascending

/// Returns the islands: pairs of GPUs on one island are much nearer than any pair across two. Empty unless there are at
/// least two islands, one of them with more than one GPU. `pairs` holds each ordered pair at most once.
[[nodiscard]] std::vector<Island> islands_of(std::span<const Nearness> pairs);

[[nodiscard]] bool on_one_island(std::span<const Island> islands, std::uint64_t source, std::uint64_t target);

}  // namespace gpumem::measure
