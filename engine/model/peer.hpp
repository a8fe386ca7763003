#pragma once
// Bytes between two GPUs: what the link between them carries less its packets' overhead, or the link to the host.
//
// NVLink sends packets of up to 256 bytes of payload from copy engines and of 128, a line, from kernels, each behind a
// header; while both ways are used, requests and acknowledgements of the one way cross with the data of the other. What
// is left then is a share of the rate that data sheets give, the same for all four on the H200
// (configs/gpus/h200.json).

#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/schedule.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// Bytes/s and way that the mover gets out of the link; of the host's memory that of the slower half of the way.
[[nodiscard]] double peer_bytes_per_s(const PeerTraffic& traffic, const Profile& profile);

struct PeerTime {
  std::vector<StageTime> stages;  ///< "nvlink" or "pcie" (the bytes), and "copies" (what comes before them)
  double seconds = 0;
};
[[nodiscard]] PeerTime peer_time(const PeerTraffic& traffic, const Profile& profile);

/// Of one load that waits for the one before.
[[nodiscard]] double peer_latency_s(const PeerTraffic& traffic, const Profile& profile);

}  // namespace gpumem::model
