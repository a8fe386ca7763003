#include "probes/kernels/occupancy/occupancy_case.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <ranges>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/occupancy.hpp"
#include "probes/requests.hpp"

namespace gpumem::kernels {

namespace {

/// Shared memory of a block with which `wanted` blocks fit a multiprocessor, and no more; 0 if its threads allow no
/// more anyway.
unsigned shared_bytes_for(unsigned wanted, unsigned threads, const Device& device) {
  constexpr std::uint64_t unit = 128;
  // CUDA C++ Programming Guide, technical specifications per compute capability: reserved in addition to what a block
  // asks for.
  const std::uint64_t reserved = device.compute_capability_major() >= 8 ? 1024 : 0;
  if (wanted * threads >= device.threads_per_multiprocessor) return 0;
  const std::uint64_t each = device.shared_bytes_per_multiprocessor / std::max(wanted, 1U) / unit * unit;
  return static_cast<unsigned>(std::min(each - std::min(each, reserved), device.shared_bytes_per_block));
}

/// Launches that may leave `warps` warps resident, the best first: small blocks, which add up to any even number of
/// warps, and many registers, so that no other limit is reached before.
std::vector<OccupancyCase> candidates(OccupancyLimit limit, unsigned warps, const Device& device) {
  std::vector<OccupancyCase> all;
  if (limit == OccupancyLimit::block_size) {
    for (unsigned threads = access::warp_lanes; threads <= most_occupancy_threads; threads += access::warp_lanes) {
      all.push_back({.block_threads = threads});
    }
    return all;
  }
  for (const unsigned threads : {most_occupancy_threads / 2, most_occupancy_threads}) {
    if (limit == OccupancyLimit::shared_memory) {
      const unsigned wanted = warps * access::warp_lanes / threads;
      all.push_back({.block_threads = threads, .shared_bytes = shared_bytes_for(wanted, threads, device)});
      continue;
    }
    for (const RegisterClass& registers : std::views::reverse(register_classes)) {
      all.push_back({.block_threads = threads, .registers = registers});
    }
  }
  return all;
}

/// Blocks of a launch: a multiple of those resident at once, so that no place is empty at the end, and enough to read
/// much more than L2 holds.
std::uint64_t blocks_of(const OccupancyCase& occupancy, const Device& device) {
  const std::uint64_t at_once = std::uint64_t{occupancy.resident_blocks} * device.multiprocessors;
  const std::uint64_t turns = 32 * device.l2_bytes / (at_once * occupancy.block_bytes());
  return at_once * (turns + 1);
}

}  // namespace

std::optional<OccupancyCase> find_occupancy_case(const Case& decided, const Device& device) {
  const unsigned warps = decided[axis::resident_warps];
  for (OccupancyCase& candidate : candidates(decided[axis::occupancy_limit], warps, device)) {
    candidate.resident_blocks = model::occupancy_of(occupancy_workload(candidate), device).blocks;
    if (candidate.resident_warps() != warps) continue;
    candidate.blocks = blocks_of(candidate, device);
    return candidate;
  }
  return std::nullopt;
}

OccupancyCase require_occupancy_case(const Case& decided, const Device& device) {
  if (const auto found = find_occupancy_case(decided, device)) return *found;
  std::vector<std::uint64_t> possible;
  for (const std::uint64_t warps : decided.probe->find_axis(axis::resident_warps)->numbers) {
    Case other = decided;
    other.set(axis::resident_warps, warps);
    if (find_occupancy_case(other, device)) possible.push_back(warps);
  }
  throw missing_capability_error(fmt::format("on this GPU {} leaves {} warps resident, and not {}",
                                             decided.name(axis::occupancy_limit), fmt::join(possible, ", "),
                                             decided[axis::resident_warps]));
}

Workload occupancy_workload(const OccupancyCase& occupancy) {
  constexpr unsigned vector_bytes = 16;
  Workload workload;
  workload.sites.push_back({.name = "words",
                            .op = access::Op::load,
                            .word_bytes = vector_bytes,
                            .instructions = loads_in_a_row,
                            .requests = occupancy.bytes() / vector_bytes / access::warp_lanes,
                            .extent_bytes = occupancy.bytes(),
                            .request = [](std::uint64_t k) { return consecutive_request(vector_bytes, k); }});
  workload.useful_bytes_read = occupancy.bytes();
  workload.allocated_bytes = occupancy.bytes() + occupancy.threads() * sizeof(std::uint32_t);
  workload.blocks = occupancy.blocks;
  workload.block_threads = occupancy.block_threads;
  workload.shared_bytes_per_block = occupancy.shared_bytes;
  workload.registers_per_thread = occupancy.registers.registers;
  workload.waits = loads_of_thread / loads_in_a_row;
  return workload;
}

}  // namespace gpumem::kernels
