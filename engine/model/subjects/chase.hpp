#pragma once
// A chase: loads that each wait for the one before. The time of its steps depends on the memory that answers them.

#include <cstdint>
#include <span>
#include <string>
#include <vector>

#include "engine/model/profile.hpp"

namespace gpumem {

/// Loads of one thread that each wait for the one before. The model predicts the time of one step.
struct Chase {
  static constexpr bool headline_alone = true;
  std::string level = {};   ///< that answers every step, one of model::latency_levels(): "shared"
  std::uint64_t lines = 0;  ///< without a level: of device memory, each visited again only after all the others
  bool lines_once = false;  ///< these lie side by side, and each is visited once a round
  /// Other traffic of the level: its share, below 1, of the rate that such traffic can reach, and its share of written
  /// bytes.
  double traffic_share = 0;
  double written_share = 0;
};

}  // namespace gpumem

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

/// Returns the rates that step_cycles() needs and that are measured_only: those of queues beside other traffic.
[[nodiscard]] std::vector<RateId> needed_rates(const Chase& chase);

}  // namespace gpumem::model
