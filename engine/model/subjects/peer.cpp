#include "engine/model/subjects/peer.hpp"

#include <algorithm>
#include <limits>

#include "engine/access/request.hpp"

namespace gpumem::model {

namespace {

using Mover = PeerTraffic::Mover;

bool by_kernel(const PeerTraffic& traffic) {
  return traffic.mover == Mover::kernel_read || traffic.mover == Mover::kernel_write;
}

/// True if NVLinks carry the bytes.
bool over_nvlink(const PeerTraffic& traffic) {
  return traffic.mover != Mover::host && traffic.link.nvlink_bytes_per_s().has_value();
}

/// Returns the bytes/s each way, with one way in use or both, of copies over the link to the host, or over whatever
/// else joins two GPUs by PCI Express.
double copied_over_pcie(const PeerTraffic& traffic, const Rates& rates) {
  const double one_way = std::min(rates.link.to_device_bytes_per_s, rates.link.to_host_bytes_per_s);
  return traffic.both_ways ? std::min(one_way, rates.link.both_ways_bytes_per_s / 2) : one_way;
}

/// Returns the bytes/s each way, with one way in use or both, of bytes that are written to the host's memory and read
/// from it. Infinite if the rate of the host's memory is not known.
double staged_in_host_memory(const PeerTraffic& traffic, const Rates& rates) {
  const double passes = traffic.both_ways ? 4 : 2;
  return rates.host.memory_bytes_per_s > 0 ? rates.host.memory_bytes_per_s / passes
                                           : std::numeric_limits<double>::infinity();
}

double loaded_over_pcie(const Rates& rates) {
  constexpr double atoms = access::line_bytes / double{access::dram_atom_bytes};
  constexpr double sectors = access::line_bytes / double{access::sector_bytes};
  return access::line_bytes / (1 / rates.link.load_lines_per_s + atoms / rates.link.load_atoms_per_s +
                               sectors / rates.link.load_sectors_per_s);
}

double nvlink_payload_share(const PeerTraffic& traffic, const Rates& rates) {
  constexpr double payload_of_kernels = access::line_bytes;
  constexpr double payload_of_copies = 256;
  const double payload = by_kernel(traffic) ? payload_of_kernels : payload_of_copies;
  const double returned = traffic.mover == Mover::kernel_read    ? rates.nvlink.kernel_return_bytes
                          : traffic.mover == Mover::kernel_write ? rates.nvlink.store_return_bytes
                                                                 : rates.nvlink.copy_return_bytes;
  return payload / (payload + rates.nvlink.header_bytes + (traffic.both_ways ? returned : 0));
}

}  // namespace

double peer_bytes_per_s(const PeerTraffic& traffic, const Profile& profile) {
  const Rates& rates = profile.rates;
  if (over_nvlink(traffic)) {
    return *traffic.link.nvlink_bytes_per_s() * nvlink_payload_share(traffic, rates) * rates.nvlink.efficiency;
  }
  const double copied = copied_over_pcie(traffic, rates);
  if (traffic.mover == Mover::kernel_read) return std::min(copied, loaded_over_pcie(rates));
  if (traffic.mover == Mover::kernel_write) return std::min(copied, rates.link.write_bytes_per_s);
  if (traffic.mover == Mover::host) return std::min(copied, staged_in_host_memory(traffic, rates));
  return copied;
}

PeerTime peer_time(const PeerTraffic& traffic, const Profile& profile) {
  const Rates& rates = profile.rates;
  const double bytes_s = traffic.copies * static_cast<double>(traffic.bytes) / peer_bytes_per_s(traffic, profile);
  double before_s = 0;
  if (traffic.mover == Mover::host) {
    // One chunk after another over the slower half, and the first or the last over the other half too.
    const double chunks = traffic.copies * static_cast<double>(std::max<std::uint64_t>(traffic.chunks, 1));
    const double each_s = std::max(rates.copy.to_host_s, rates.copy.to_device_s);
    before_s =
        (chunks + 1) * each_s + chunks * rates.peer.staged_piece_s + bytes_s / chunks + rates.host.streams_join_s;
  } else {
    before_s = traffic.commands * (by_kernel(traffic) ? rates.launch.fixed_s : rates.peer.copy_s);
    if (by_kernel(traffic)) {
      // The loads of a launch's next copy wait for those of the one before, where these are too few to cover that.
      const double latency_s = peer_latency_s(traffic, profile);
      before_s += std::max(latency_s, (traffic.copies - traffic.commands + 1) * latency_s - bytes_s);
    }
  }
  // One GPU waits for the other to begin, and that one for it to end.
  if (traffic.both_ways) before_s += 2 * rates.host.streams_join_s;
  return {.stages = {{over_nvlink(traffic) ? "nvlink" : "pcie", bytes_s}, {"copies", before_s}},
          .seconds = bytes_s + before_s};
}

double peer_latency_s(const PeerTraffic& traffic, const Profile& profile) {
  if (over_nvlink(traffic)) return profile.rates.nvlink.latency_s;
  return profile.rates.latency.host_cycles / static_cast<double>(profile.device.sm_clock_hz);
}

}  // namespace gpumem::model
