#pragma once
// Bytes between two GPUs: what the link between them carries less its packets' overhead, or the link to the host.
//
// NVLink sends packets of up to 256 bytes of payload from copy engines and of 128, a line, from kernels, each behind a
// header. While both ways are used, requests and acknowledgements of the one way cross with the data of the other. The
// bandwidth left after this overhead is, on the H200, the data sheets' rate times one factor for all four cases:
// nvlink_efficiency (configs/gpus/h200.json).

#include <cstdint>
#include <vector>

#include "engine/machine/peer_link.hpp"
#include "engine/model/profile.hpp"
#include "engine/model/stage_time.hpp"

namespace gpumem {

/// Bytes that cross from one GPU of the machine to another.
struct PeerTraffic {
  enum class Mover { copy_engine, kernel_read, kernel_write, host };
  Mover mover = Mover::copy_engine;  ///< `host`: both GPUs' copy engines, through its memory
  PeerLink link = {};
  std::uint64_t bytes = 0;  ///< of a copy, each way
  bool both_ways = false;
  unsigned copies = 1;       ///< in a row, each way
  unsigned commands = 1;     ///< that these are queued as: one each, or one for all
  std::uint64_t chunks = 1;  ///< that a copy is cut into on its way through the host's memory
};

}  // namespace gpumem

namespace gpumem::model {

/// Returns the bytes/s each way that the mover gets out of the link; by way of the host's memory, those of the slower
/// half of the way.
[[nodiscard]] double peer_bytes_per_s(const PeerTraffic& traffic, const Profile& profile);

struct PeerTime {
  std::vector<StageTime> stages;  ///< "nvlink" or "pcie" (the bytes), and "copies" (what comes before them)
  double seconds = 0;
};
[[nodiscard]] PeerTime peer_time(const PeerTraffic& traffic, const Profile& profile);

/// Returns the seconds of one load that waits for the one before.
[[nodiscard]] double peer_latency_s(const PeerTraffic& traffic, const Profile& profile);

}  // namespace gpumem::model
