#pragma once
// Neighbours in numbers: how the multiprocessors are split, what both kernels go over, and what is said of it.

#include <cstdint>
#include <span>

#include "engine/model/workload.hpp"
#include "probes/probe.hpp"

namespace gpumem::cache {

/// The protection of the victim from its neighbour.
enum class Protection { none, window, priority, smaller_grid };

namespace axis {
inline constexpr Number split{"split_percent"};
inline constexpr Choice<Neighbours::Victim> victim{"victim", {"l2", "atomics", "link"}};
inline constexpr Choice<Protection> protection{"protection", {"none", "window", "priority", "smaller-grid"}};
inline constexpr Number victim_bytes{"victim_data_bytes"};
}  // namespace axis

inline constexpr unsigned neighbour_threads = 1024;   ///< of the one block that a multiprocessor has room for
inline constexpr unsigned neighbour_in_a_row = 4;     ///< accesses of a thread that do not wait for each other
inline constexpr unsigned neighbour_word_bytes = 16;  ///< of loads
inline constexpr unsigned atomic_word_bytes = 4;
/// The victim's bytes are a multiple of what a warp reads at once.
inline constexpr std::uint64_t least_victim_bytes = std::uint64_t{neighbour_word_bytes} * access::warp_lanes;
/// Bytes that a block of the neighbour reads in a row.
inline constexpr std::uint64_t neighbour_chunk_bytes =
    std::uint64_t{neighbour_threads} * neighbour_in_a_row * neighbour_word_bytes;

/// A case, sized and in numbers.
struct NeighboursLaunch {
  Neighbours::Victim victim = Neighbours::Victim::l2;
  Protection protection = Protection::none;
  unsigned victim_blocks = 1;            ///< one a multiprocessor
  unsigned neighbour_blocks = 1;         ///< of the neighbour alone
  unsigned neighbour_beside_blocks = 1;  ///< and beside the victim
  std::uint64_t victim_bytes = 0;
  std::uint32_t turns = 1;              ///< times that the victim goes over them: for about a millisecond
  std::uint32_t stream_chunks = 1;      ///< of the neighbour, which begins again after the last one
  unsigned shared_bytes_per_block = 0;  ///< more than half of a multiprocessor's: two blocks never share one

  /// Throws a missing-capability error if the GPU has no two multiprocessors or lacks what the case is about.
  NeighboursLaunch(const Case& sized, const Device& device);

  [[nodiscard]] std::uint64_t stream_bytes() const { return stream_chunks * neighbour_chunk_bytes; }
  /// Bytes that the victim goes over in one run.
  [[nodiscard]] std::uint64_t moved_bytes() const { return victim_bytes * turns; }
  [[nodiscard]] Neighbours described() const;
};

/// Multiprocessors that a victim gets with a split of `multiprocessors`, at least 2: never none and never all.
[[nodiscard]] unsigned victim_multiprocessors(std::uint64_t split_percent, unsigned multiprocessors);

/// Sets the victim's bytes to a quarter of L2 if they are auto. Throws a usage error if data that have to stay in L2 do
/// not fit there.
void size_neighbours(std::span<Case> cases, const Device& device);

/// Concludes from the cases of one victim what it loses beside its neighbour, and what saves some of it.
[[nodiscard]] Conclusion conclude_neighbours(std::span<const Outcome> outcomes);

}  // namespace gpumem::cache
