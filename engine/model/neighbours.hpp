#pragma once
// Who pays for whom: what a kernel or copies (the victim) and a kernel that streams through device memory (the
// neighbour) reach alone, and what both reach at once. Each demands time of stages for every byte: of the ports of its
// own multiprocessors, which it shares with nobody, and of L2, memory and the link, which it shares. At once, both rise
// in proportion to their weights until a stage has no time left; whoever does not use that stage goes on. The weight is
// what a flow reaches alone. Of what a victim has lost from L2 it is the number of its multiprocessors: each of them
// has as many loads on their way to memory. Nobody waits for atomics.

#include <array>
#include <cstddef>
#include <span>
#include <vector>

#include "engine/model/profile.hpp"
#include "engine/model/workload.hpp"

namespace gpumem::model {

/// What flows of bytes may share.
enum class SharedStage { victim_ports, neighbour_ports, l2, memory, link };
inline constexpr std::size_t shared_stages = 5;

/// One flow: what it would reach if nothing else ran, and the seconds that each of its bytes takes of every stage.
struct Flow {
  double alone_bytes_per_s = 0;
  double weight = 0;  ///< in bytes/s too
  std::array<double, shared_stages> seconds_per_byte{};

  [[nodiscard]] double& of(SharedStage stage) { return seconds_per_byte.at(static_cast<std::size_t>(stage)); }
};

/// The bytes/s that each flow gets at once with the others, by progressive filling (D. Bertsekas and R. Gallager, Data
/// Networks, 6.5.2, max-min fair flow control), by weights. None gets more than it reaches alone.
[[nodiscard]] std::vector<double> filled(std::span<const Flow> flows);

/// Useful bytes/s.
struct NeighbourRates {
  double victim_alone = 0;
  double victim_beside = 0;
  double neighbour_alone = 0;
  double neighbour_beside = 0;
  double missed_share = 0;  ///< of the victim's accesses beside the neighbour, those that L2 does not answer
};
/// Needs l2_port_bytes_per_cycle, and for atomics atomic_port_bytes_per_cycle and atomic_sectors_per_s.
[[nodiscard]] NeighbourRates neighbour_rates(const Neighbours& neighbours, const Profile& profile);

}  // namespace gpumem::model
