#pragma once
// A level of the hierarchy as its probe goes over it: the kernels, the sizes of the arrays and the number of passes.

#include <algorithm>
#include <array>
#include <cstdint>
#include <string>

#include "engine/measure/kernel_name.hpp"
#include "probes/hierarchy/chase_experiment.hpp"
#include "probes/hierarchy/hierarchy/sweep.cuh"
#include "probes/probe.hpp"

namespace gpumem::hierarchy {

/// Number of arrays that the traffic reads or writes.
constexpr std::uint64_t arrays_of(Traffic traffic) {
  return traffic == Traffic::triad ? 3 : traffic == Traffic::copy ? 2 : 1;
}

using Sweep = void (*)(Arrays, std::uint32_t*, unsigned, unsigned);
using Sweeps = std::array<Sweep, 4>;  ///< by traffic
using SharedSweep = void (*)(std::uint32_t*, unsigned);

template <class Read, class Rest>
constexpr Sweeps sweeps = {sweep<Read, Traffic::read>, sweep<Rest, Traffic::write>, sweep<Rest, Traffic::copy>,
                           sweep<Rest, Traffic::triad>};
constexpr std::array<SharedSweep, 4> shared_sweeps = {sweep_shared<Traffic::read>, sweep_shared<Traffic::write>,
                                                      sweep_shared<Traffic::copy>, sweep_shared<Traffic::triad>};

/// A case in numbers. The passes of a launch over data that stays in a level take milliseconds on a large GPU, so that
/// the time to begin and to end does not show.
struct SweptLevel {
  std::string name;
  std::string kernel = {};  ///< of the reads
  Sweeps sweeps = {};       ///< of levels that are addressed as global memory
  unsigned words = 4;       ///< of a vector
  unsigned unrolled = 1;    ///< of reads
  unsigned unrolled_else = 1;
  unsigned block_threads = 1024;
  std::uint64_t vectors = 0;  ///< of an array; 0 without a kernel
  unsigned read_passes = 1;
  unsigned passes = 1;  ///< of the other kinds of traffic
  unsigned parts = 1;   ///< of the arrays that a block reads, one after another

  SweptLevel(const Case& decided, const Device& device) : name(decided[axis::level]) {
    const auto multiprocessors = device.multiprocessors;
    const auto resident = [&](unsigned blocks, unsigned threads, unsigned in_a_row) {
      block_threads = threads;
      unrolled = unrolled_else = in_a_row;
      vectors = std::uint64_t{blocks} * multiprocessors * threads * in_a_row;
    };
    if (name == "register") {
      kernel = measure::kernel_name<&multiply_add<chains>>();
      resident(1, 1024, 1);
      read_passes = 1U << 16U;
    } else if (name == "shared") {
      kernel = measure::kernel_name<&sweep_shared<Traffic::read>>();
      resident(1, 512, shared_unrolled);
      read_passes = passes = 1U << 15U;
    } else if (name == "l1") {
      take<L1<16>, L1<8>>();
      // 128 KiB or 32: half of what L1 holds where multiprocessors have much memory, and no more than any L1 holds.
      const bool large = device.shared_bytes_per_multiprocessor >= std::uint64_t{160} << 10U;
      resident(1, large ? 1024 : 256, 16);
      unrolled_else = 8;  // arrays of a triad that fit the registers
      read_passes = 1U << 14U;
      passes = read_passes / 32;  // stores go through to L2
    } else if (name == "l2") {
      take<L2<1>, L2<1>>();
      resident(2, 1024, 1);
      read_passes = passes = 1U << 11U;
    } else if (name == "l2-shared") {
      take<L2<2>, L2<2>>();
      resident(2, 1024, 2);
      parts = 2 * multiprocessors;
      read_passes = passes = 8 * parts;
    } else if (name == "memory") {
      take<Memory<4>, Memory<1>>();
      unrolled = 4;
      block_threads = 256;
      // Sixteen times L2, so that a launch finds nothing of use there; at most an eighth of memory, which must hold
      // three such arrays.
      const std::uint64_t bytes = std::min(16 * device.l2_bytes, device.memory_bytes / 8);
      const std::uint64_t tile = std::uint64_t{block_threads} * unrolled;
      vectors = bytes / (words * sizeof(std::uint32_t)) / tile * tile;
    }
  }

  [[nodiscard]] bool addressed_as_global() const { return sweeps.front() != nullptr; }
  [[nodiscard]] unsigned unrolled_of(Traffic traffic) const {
    return traffic == Traffic::read ? unrolled : unrolled_else;
  }
  [[nodiscard]] unsigned passes_of(Traffic traffic) const { return traffic == Traffic::read ? read_passes : passes; }
  [[nodiscard]] std::uint64_t blocks(Traffic traffic) const { return vectors / unrolled_of(traffic) / block_threads; }
  [[nodiscard]] std::uint64_t threads() const { return blocks(Traffic::read) * block_threads; }
  [[nodiscard]] std::uint64_t array_words() const { return vectors * words; }
  [[nodiscard]] std::uint64_t array_bytes() const { return array_words() * sizeof(std::uint32_t); }
  [[nodiscard]] unsigned shared_bytes() const {
    return name == "shared" ? static_cast<unsigned>(3 * block_threads * shared_unrolled * sizeof(uint4)) : 0;
  }
  /// Bytes that a run moves; 0 if the level has no traffic of this kind.
  [[nodiscard]] std::uint64_t bytes(Traffic traffic) const {
    if (name == "host") return traffic == Traffic::triad ? 0 : arrays_of(traffic) * copied_bytes;
    if (name != "register") return arrays_of(traffic) * passes_of(traffic) * array_bytes();
    return traffic == Traffic::read ? 3 * sizeof(float) * chains * read_passes * threads() : 0;
  }

  static constexpr std::uint64_t copied_bytes = std::uint64_t{256} << 20U;  ///< of a copy over the link

 private:
  template <class Read, class Rest>
  void take() {
    kernel = measure::kernel_name<&sweep<Read, Traffic::read>>();
    sweeps = hierarchy::sweeps<Read, Rest>;
    words = words_of<typename Read::Vector>;
  }
};

}  // namespace gpumem::hierarchy
