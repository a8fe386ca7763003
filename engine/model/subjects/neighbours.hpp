#pragma once
// The rates of a kernel or copies (the victim) and of a kernel that streams through device memory (the neighbour), each
// alone and both at once. Every byte takes time of stages: of the ports of a flow's own multiprocessors, which it does
// not share, and of L2, memory and the link, which it does. At once, both rates rise in proportion to their weights
// until a stage has no time left; a flow that does not use that stage goes on. The weight is the rate that a flow
// reaches alone. For loads of data that L2 has lost, it goes by the number of multiprocessors: each has as many loads
// on their way to memory. Atomics keep the first weight, because nothing waits for them.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/profile.hpp"

namespace gpumem {

/// A kernel that goes over the same bytes again and again, or copies over the host link, on one part of the
/// multiprocessors, while a neighbour on another part streams through device memory.
struct Neighbours {
  static constexpr bool headline_alone = true;
  enum class Victim { l2, atomics, link };
  Victim victim = Victim::l2;  ///< loads that L2 answers, atomics that it executes, copies by a copy engine
  unsigned victim_multiprocessors = 1;
  unsigned neighbour_multiprocessors = 1;         ///< that the neighbour takes when it is alone
  unsigned neighbour_beside_multiprocessors = 1;  ///< and beside the victim
  std::uint64_t victim_bytes = 0;                 ///< that the victim goes over
  bool persists = false;                          ///< they have a persisting window
};

}  // namespace gpumem

namespace gpumem::model {

/// The stages that flows of bytes may share.
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
[[nodiscard]] NeighbourRates neighbour_rates(const Neighbours& neighbours, const Profile& profile);

/// Returns the rates that neighbour_rates() needs and that are measured_only.
[[nodiscard]] std::vector<RateId> needed_rates(const Neighbours& neighbours);

}  // namespace gpumem::model
