#pragma once
// A chase through memory that pointers address: device memory, whose caches hold what fits, or mapped memory of the
// host.

#include <algorithm>
#include <cstddef>
#include <cstdint>

#include "engine/access/site.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/verify.hpp"
#include "probes/chase/chase_order.hpp"
#include "probes/hierarchy/chase_experiment.hpp"

namespace gpumem::hierarchy {

/// The order and places of the nodes that a chase visits, and the steps it takes. A node is an address of eight bytes;
/// nodes are `place.step_bytes` apart.
struct MemoryWalk {
  ChaseOrder order;
  NodePlace place;
  std::uint32_t steps;  ///< timed in a launch

  /// Footprint and step in bytes, the footprint at least one step.
  MemoryWalk(std::uint64_t footprint_bytes, std::uint64_t page_bytes, std::uint64_t step, std::uint32_t per_round)
      : order(footprint_bytes / step, std::max(page_bytes / step, std::uint64_t{1})), place{step}, steps(per_round) {}

  [[nodiscard]] std::uint64_t footprint_bytes() const { return order.nodes() * place.step_bytes; }
  /// Bytes that a chase allocates: at least a page, because a smaller allocation begins anywhere in one, and its start
  /// decides where lines fall in L1.
  [[nodiscard]] std::uint64_t allocated_bytes() const {
    constexpr std::uint64_t page = std::uint64_t{2} << 20U;
    return std::max(footprint_bytes(), page);
  }
  /// Nodes that the block reads before the chase: all of them if L1 might hold them, because every launch finds L1
  /// empty; else none.
  [[nodiscard]] std::uint64_t warmed() const {
    constexpr std::uint64_t more_than_l1 = std::uint64_t{512} << 10U;
    return footprint_bytes() <= more_than_l1 ? order.nodes() : 0;
  }
};

/// Describes a launch. Each of its requests is of one lane: of any warp's first while warming up, then of the chasing
/// thread.
void describe_memory_chase(Workload& workload, const MemoryWalk& walk, access::Space space);

class MemoryChase : public ChaseExperiment {
 public:
  /// Fills the memory with random words and links its nodes, which the device addresses at `memory`. Every launch goes
  /// on where the one before ended, so that none finds in L2 what was loaded a moment ago. Throws a probe error.
  MemoryChase(const MemoryWalk& walk, void* memory, measure::Session& session);

  /// Checks first that every node points to the next.
  measure::Verification verify(cudaStream_t stream) override;

 protected:
  std::uint64_t run(std::uint64_t* result, cudaStream_t stream) override;
  /// Queues loads that leave L2 and TLBs in the state of a long chase that ends where the next launch begins.
  void settle(cudaStream_t stream) const;
  [[nodiscard]] const std::byte* memory() const { return memory_; }

 private:
  MemoryWalk walk_;
  std::byte* memory_;
  unsigned multiprocessors_;
  std::uint64_t l2_bytes_;
  measure::MismatchCount mismatches_;
  std::uint64_t position_ = 0;  ///< in the order, where the next launch begins
};

/// A chase's own memory, in a base class, so that it exists before the chase does. The session's buffers would not do:
/// chases are counted in turn, and each must find its links as it made them.
struct DeviceNodes {
  measure::DeviceBuffer nodes;
};

/// A chase through device memory.
class DeviceChase : private DeviceNodes, public MemoryChase {
 public:
  DeviceChase(const MemoryWalk& walk, measure::Session& session)
      : DeviceNodes{measure::DeviceBuffer(walk.allocated_bytes())}, MemoryChase(walk, nodes.data(), session) {}
};

}  // namespace gpumem::hierarchy
