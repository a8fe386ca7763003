#pragma once
// A chase: loads that each wait for the one before. The time of its steps depends on the memory that answers them.

#include <span>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// A level of memory that can answer every step of a chase, and the rate that gives its latency.
struct LatencyLevel {
  const char* name;  ///< as the probe `latency` has it: "l2-far"
  RateId cycles;
};
[[nodiscard]] std::span<const LatencyLevel> latency_levels();

/// Cycles from one load of a chase to the next: the latency of its level, or what its lines take on average, each from
/// the nearest of L1, the near part of L2, L2 and device memory that holds it. No TLB is part of it. Throws
/// std::logic_error for a level that is none of latency_levels().
[[nodiscard]] double step_cycles(const Chase& chase, const Profile& profile);

}  // namespace gpumem::model
