#include "probes/cache/neighbours/neighbours_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "engine/machine/compute_capability.hpp"

namespace gpumem::cache {

namespace {

constexpr std::uint64_t kib = 1024;
/// The neighbour's stream, over L2: when it begins again, L2 has lost what it began with.
constexpr std::uint64_t stream_over_l2 = 8;

/// Bytes that a multiprocessor takes from L2 in about a millisecond, by loads and by atomics.
constexpr std::uint64_t bytes_per_millisecond = 100'000'000;
constexpr std::uint64_t atomic_bytes_per_millisecond = 25'000'000;
/// Bytes that a link carries in about a millisecond.
constexpr std::uint64_t link_bytes = std::uint64_t{48} << 20U;

std::uint64_t wanted_bytes(Neighbours::Victim victim, unsigned blocks) {
  if (victim == Neighbours::Victim::link) return link_bytes;
  return blocks * (victim == Neighbours::Victim::l2 ? bytes_per_millisecond : atomic_bytes_per_millisecond);
}

/// The number of times that the victim goes over its data: as many as take about a millisecond. It is limited for small
/// data, because a turn takes at least as long as a load, and a copy as long as it takes to queue.
std::uint32_t turns_of(Neighbours::Victim victim, unsigned blocks, std::uint64_t victim_bytes) {
  constexpr std::uint64_t least = 2;
  const std::uint64_t most = victim == Neighbours::Victim::link ? 256 : 4096;
  const std::uint64_t turns = std::max(wanted_bytes(victim, blocks) / victim_bytes, least);
  return static_cast<std::uint32_t>(std::min(turns, most));
}

}  // namespace

unsigned victim_multiprocessors(std::uint64_t split_percent, unsigned multiprocessors) {
  const double share = static_cast<double>(split_percent) / 100 * multiprocessors;
  return static_cast<unsigned>(std::clamp(std::round(share), 1.0, std::max(multiprocessors, 2U) - 1.0));
}

NeighboursLaunch::NeighboursLaunch(const Case& sized, const Device& device)
    : victim(sized[axis::victim]),
      protection(sized[axis::protection]),
      victim_blocks(victim_multiprocessors(sized[axis::split], device.multiprocessors)),
      neighbour_blocks(std::max(device.multiprocessors, 2U) - victim_blocks),
      neighbour_beside_blocks(protection == Protection::smaller_grid ? std::max(neighbour_blocks / 2, 1U)
                                                                     : neighbour_blocks),
      victim_bytes(sized[axis::victim_bytes] / least_victim_bytes * least_victim_bytes),
      turns(turns_of(victim, victim_blocks, victim_bytes)),
      stream_chunks(static_cast<std::uint32_t>(
          std::max(stream_over_l2 * device.l2_bytes / neighbour_chunk_bytes, std::uint64_t{4} * neighbour_blocks))),
      shared_bytes_per_block(static_cast<unsigned>(
          device.shared_bytes_per_multiprocessor > 0
              ? std::min(device.shared_bytes_per_multiprocessor / 2 + kib, device.shared_bytes_per_block)
              : device.shared_bytes_per_block)) {
  if (device.multiprocessors < 2) {
    throw missing_capability_error("two kernels side by side take two multiprocessors at least");
  }
  if (protection == Protection::window) {
    if (victim == Neighbours::Victim::link) {
      throw missing_capability_error("a persisting window is one of kernels: copies of a copy engine have none");
    }
    require_compute_capability(device, 80, "a persisting window");
  }
  if (victim == Neighbours::Victim::link && device.integrated) {
    throw missing_capability_error("this GPU shares the host's memory: there is no link to copy over");
  }
}

Neighbours NeighboursLaunch::described() const {
  return {.victim = victim,
          .victim_multiprocessors = victim_blocks,
          .neighbour_multiprocessors = neighbour_blocks,
          .neighbour_beside_multiprocessors = neighbour_beside_blocks,
          .victim_bytes = victim_bytes,
          .persists = protection == Protection::window};
}

void size_neighbours(std::span<Case> cases, const Device& device) {
  for (Case& tested : cases) {
    if (tested.is_auto(axis::victim_bytes)) {
      const std::uint64_t quarter = device.l2_bytes / 4 / neighbour_chunk_bytes * neighbour_chunk_bytes;
      tested.set(axis::victim_bytes, std::max(quarter, neighbour_chunk_bytes));
      continue;
    }
    if (tested[axis::victim] == Neighbours::Victim::link || tested[axis::victim_bytes] <= device.l2_bytes) continue;
    const auto [asked, held] = sizes_apart(tested[axis::victim_bytes], device.l2_bytes);
    throw usage_error(
        fmt::format("--victim-data: {} cannot stay in L2, which holds {}; pass a smaller --victim-data", asked, held));
  }
}

}  // namespace gpumem::cache
