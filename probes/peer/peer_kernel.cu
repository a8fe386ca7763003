#include "probes/global/launch.cuh"
#include "probes/peer/peer_kernel.hpp"

namespace gpumem::peer {

/// Every element in its place.
struct Consecutive {
  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const { return i; }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr global::PatternPeriod period() const { return {.accesses = 1, .growth_elements = 1}; }
};

Workload describe_copy(const global::Launch& launch) {
  return global::describe_launch(launch, Consecutive{}, access::Space::global);
}

void queue_copy(const global::Launch& launch, const std::uint32_t* source, std::uint32_t* target, cudaStream_t stream) {
  global::launch_into(launch, Consecutive{}, source, target, stream);
}

}  // namespace gpumem::peer
