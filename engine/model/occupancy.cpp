#include "engine/model/occupancy.hpp"

#include <algorithm>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

unsigned most_blocks(const std::string& compute_capability) {
  if (compute_capability == "7.5" || compute_capability == "8.6" || compute_capability == "8.7") return 16;
  if (compute_capability == "8.9" || compute_capability.starts_with("12.")) return 24;
  return 32;
}

constexpr std::uint64_t rounded_up(std::uint64_t value, std::uint64_t unit) { return (value + unit - 1) / unit * unit; }

}  // namespace

std::uint64_t clusters_at_once(unsigned cluster_blocks, unsigned blocks, const Device& device) {
  constexpr unsigned of_tpc = 2;  // multiprocessors
  const unsigned major = device.compute_capability_major();
  const unsigned most = major <= 9 ? 18 : major == 12 ? 16 : 20;  // multiprocessors of a GPC
  const unsigned gpcs = static_cast<unsigned>(rounded_up(device.multiprocessors, most)) / most;
  std::uint64_t clusters = 0;
  for (unsigned gpc = 0; gpc < gpcs; ++gpc) {
    const unsigned tpcs = device.multiprocessors / of_tpc;
    const unsigned own = tpcs / gpcs + (gpc < tpcs % gpcs ? 1 : 0);
    clusters += std::uint64_t{own} * of_tpc * blocks / cluster_blocks;
  }
  return clusters;
}

Occupancy occupancy_of(const Workload& workload, const Device& device) {
  constexpr std::uint64_t registers = 65536;
  constexpr std::uint64_t registers_unit = 256;  // a warp's
  constexpr std::uint64_t reserved_bytes = 1024;
  const std::uint64_t warps = std::max(workload.warps_of_block(), std::uint64_t{1});
  const std::uint64_t most_warps = device.threads_per_multiprocessor / access::warp_lanes;
  std::uint64_t blocks = most_warps / warps;
  Occupancy found{.limited_by = "threads"};
  const auto limit = [&](std::uint64_t most, std::string_view by) {
    if (most >= blocks) return;
    blocks = most;
    found.limited_by = by;
  };
  limit(most_blocks(device.compute_capability), "blocks");
  if (const std::uint64_t of_thread = workload.registers_per_thread.value_or(0); of_thread > 0) {
    const std::uint64_t of_warp = rounded_up(of_thread * access::warp_lanes, registers_unit);
    limit(registers / (of_warp * warps), "registers");
  }
  if (workload.shared_bytes_per_block > 0 && device.shared_bytes_per_multiprocessor > 0) {
    const std::uint64_t reserved = device.compute_capability_major() >= 8 ? reserved_bytes : 0;
    limit(device.shared_bytes_per_multiprocessor / (workload.shared_bytes_per_block + reserved), "shared memory");
  }
  found.blocks = static_cast<unsigned>(std::max(blocks, std::uint64_t{1}));
  found.of_device = workload.cluster_blocks == 1
                        ? std::uint64_t{found.blocks} * device.multiprocessors
                        : workload.cluster_blocks * clusters_at_once(workload.cluster_blocks, found.blocks, device);
  found.of_device = std::max(found.of_device, std::uint64_t{1});
  found.share =
      most_warps == 0 ? 0 : std::min(1.0, static_cast<double>(found.blocks * warps) / static_cast<double>(most_warps));
  return found;
}

}  // namespace gpumem::model
