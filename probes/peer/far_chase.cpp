#include "probes/peer/far_chase.hpp"

#include "engine/base/error.hpp"
#include "probes/hierarchy/memory_chase.hpp"

namespace gpumem::peer {

double far_latency_ns(measure::Session& session, measure::Session& other) {
  // More than L1 keeps of it, and less than the other's L2.
  constexpr std::uint64_t footprint = std::uint64_t{8} << 20U;
  constexpr int launches = 5;  // the timer ticks too seldom for one
  const hierarchy::MemoryWalk walk(footprint, footprint, access::line_bytes, hierarchy::timed_steps);
  measure::DeviceBuffer nodes;
  {
    const measure::CurrentDevice there(other.device_index());
    nodes = measure::DeviceBuffer(walk.allocated_bytes());
  }
  hierarchy::MemoryChase chase(walk, nodes.data(), session);
  cudaStream_t stream = session.stream().get();
  if (chase.verify(stream).mismatches > 0) throw probe_error("a chase through the other GPU's memory went astray");
  measure::Seconds unused{};
  for (int i = 0; i < launches; ++i) {
    chase.launch(stream);
    session.stream().synchronize();
    static_cast<void>(chase.sample());
  }
  return chase.metrics(stream, unused).front().second;
}

}  // namespace gpumem::peer
