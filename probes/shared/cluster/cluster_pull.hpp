#pragma once
// The blocks of a cluster that access another block's shared memory, and the results that the accesses leave. Kernel,
// check and host compute them with the same functions.

#include <cstdint>

#include "engine/access/host_device.hpp"
#include "engine/access/request.hpp"
#include "engine/measure/content.hpp"

namespace gpumem::shared {

/// The block that a block asks: in a ring each asks the next, else all ask the first, which asks none.
enum class PullFrom { ring, first };

struct ClusterPull {
  static constexpr std::uint32_t turns = 8;            ///< accesses that a thread does not wait between
  static constexpr std::uint32_t warps_of_block = 32;  ///< all blocks are as large as they can be

  PullFrom from = PullFrom::ring;
  std::uint32_t blocks = 2;      ///< of a cluster
  std::uint32_t pullers = 2;     ///< of them, those with the highest ranks
  std::uint32_t stride = 1;      ///< between the words of neighbouring lanes, all warps having the same
  std::uint32_t iterations = 1;  ///< of `turns` accesses of a thread

  /// The most blocks that can pull.
  [[nodiscard]] constexpr std::uint32_t most_pullers() const { return from == PullFrom::ring ? blocks : blocks - 1; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool pulls(std::uint32_t rank) const { return rank >= blocks - pullers; }
  /// The index of a puller among the pullers.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t place(std::uint32_t rank) const {
    return rank - (blocks - pullers);
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t source_of(std::uint32_t rank) const {
    return from == PullFrom::ring ? (rank + 1) % blocks : 0;
  }
  /// Number of blocks that pull from this one.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t pullers_of(std::uint32_t rank) const {
    if (from == PullFrom::first) return rank == 0 ? pullers : 0;
    return pulls((rank + blocks - 1) % blocks) ? 1 : 0;
  }
  /// The most blocks that pull from one block.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t sharers() const {
    return from == PullFrom::first ? pullers : 1;
  }

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t word_of(std::uint32_t thread) const {
    return thread % access::warp_lanes * stride;
  }
  /// Wavefronts that a request takes in the banks: lanes whose words lie in one wait for each other.
  [[nodiscard]] constexpr std::uint32_t wavefronts() const {
    std::uint32_t conflicts = 1;  // the largest power of two in the stride, as far as there are banks
    while (conflicts < access::bank_count && stride % (2 * conflicts) == 0) conflicts *= 2;
    return conflicts;
  }
  /// Sectors in which the words of a request lie: the network carries whole ones.
  [[nodiscard]] constexpr std::uint32_t sectors() const {
    constexpr std::uint32_t words = access::sector_bytes / access::bank_bytes;
    return stride <= words ? (access::warp_lanes - 1) * stride / words + 1 : access::warp_lanes;
  }
  /// Words that a block needs.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t extent() const {
    return (access::warp_lanes - 1) * stride + 1;
  }
  /// Accesses of a thread.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t times() const { return iterations * turns; }

  /// The initial content of a word, different in each block.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t content(std::uint32_t rank, std::uint32_t word) const {
    return measure::random_word(std::uint64_t{rank} * extent() + word);
  }
  /// The value that is written to a word, whichever block writes it. It changes with the salt, because shared memory
  /// may still hold what the last launch left there.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t written(std::uint32_t word, std::uint32_t salt) const {
    return measure::random_word(std::uint64_t{blocks} * extent() + word + salt);
  }
  /// The value that a thread stores: the sum of what it read, or the content of its word in its own block after the
  /// writes, or after the atomics, which add 1 each.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t left_behind(std::uint32_t rank, std::uint32_t thread,
                                                                       access::Op op, std::uint32_t salt) const {
    const std::uint32_t word = word_of(thread);
    if (op == access::Op::load) return pulls(rank) ? times() * content(source_of(rank), word) : 0;
    const std::uint32_t before = content(rank, word);
    if (op == access::Op::atomic) return before + warps_of_block * times() * pullers_of(rank);
    return pullers_of(rank) > 0 ? written(word, salt) : before;
  }
};

}  // namespace gpumem::shared
