#include "probes/peer/peer_case.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"
#include "probes/peer/peer_kernel.hpp"

namespace gpumem::peer {

namespace {

PeerTraffic::Mover mover_of(Via via) {
  if (via == Via::kernel_read) return PeerTraffic::Mover::kernel_read;
  if (via == Via::kernel_write) return PeerTraffic::Mover::kernel_write;
  return via == Via::staged ? PeerTraffic::Mover::host : PeerTraffic::Mover::copy_engine;
}

/// The GPUs of the machine, as far as one of them knows: itself, where nobody asked for links.
std::uint64_t gpus_beside(const Device& gpu) { return std::max<std::uint64_t>(gpu.links.size(), 1); }

void require_pair(const PeerCase& peer, const Device& gpu) {
  const std::uint64_t gpus = gpus_beside(gpu);
  const auto& [source, target] = peer.pair;
  if (gpus < 2) {
    throw missing_capability_error(
        gpu.uuid
            ? "copies between GPUs need two of them: this machine has 1"
            : "copies between GPUs need two of them, and this profile is of one; predict eight with: --gpu h200x8");
  }
  if (std::max(source, target) >= gpus) {
    throw missing_capability_error(
        fmt::format("there is no GPU {}: this machine has {}", std::max(source, target), gpus));
  }
  if (source == target) {
    throw missing_capability_error(
        fmt::format("GPU {} is source and target: choose another one as --source or --target", source));
  }
  const PeerLink& link = gpu.links[peer.other()];
  if (link.access == false && peer.via != Via::staged) {
    throw missing_capability_error(
        fmt::format("GPU {} cannot address the memory of GPU {}{}; --via staged goes through "
                    "the host",
                    peer.mover(), peer.other(), link.no_access.empty() ? "" : ": " + link.no_access));
  }
}

}  // namespace

PeerCase::PeerCase(const Case& chosen)
    : pair{chosen[axis::source], chosen[axis::target]},
      via(chosen[axis::via]),
      both(chosen[axis::both]),
      at_once(chosen[axis::at_once]),
      bytes(chosen[axis::size_bytes]) {}

std::uint64_t PeerCase::chunk_bytes() const {
  constexpr std::uint64_t least = std::uint64_t{8} << 20U;
  constexpr std::uint64_t page = 4096;
  constexpr std::uint64_t most_chunks = 128;
  const std::uint64_t pages = (bytes + most_chunks * page - 1) / (most_chunks * page);
  return std::min(bytes, std::max(least, pages * page));
}

unsigned PeerCase::copies() const {
  constexpr unsigned enough = 8;
  return via == Via::staged ? 1 : enough;
}

Workload describe(const Case& decided, const Device& gpu) {
  const PeerCase peer(decided);
  require_pair(peer, gpu);
  Workload workload;
  if (peer.via == Via::kernel_read) workload = describe_read(peer.bytes / word_bytes, gpu);
  if (peer.via == Via::kernel_write) workload = describe_write(peer.bytes / word_bytes);
  workload.useful_bytes_written = peer.copies() * peer.bytes;
  workload.useful_bytes_read = peer.both ? peer.copies() * peer.bytes : 0;
  workload.allocated_bytes = peer.both ? 2 * peer.bytes : peer.bytes;
  workload.subject = PeerTraffic{.mover = mover_of(peer.via),
                                 .link = gpu.links[peer.other()],
                                 .bytes = peer.bytes,
                                 .both_ways = peer.both,
                                 .copies = peer.copies(),
                                 .commands = peer.via == Via::kernel_read ? 1 : peer.copies(),
                                 .chunks = peer.via == Via::staged ? peer.chunks() : 1};
  if (peer.via == Via::staged) {
    const std::uint64_t pairs = peer.at_once ? gpus_beside(gpu) / 2 : 1;
    workload.host_bytes = pairs * (peer.both ? 2 : 1) * chunks_at_once * peer.chunk_bytes();
  }
  if (peer.via != Via::staged && gpu.links[peer.other()].path == PeerLink::Path::unknown) {
    workload.unmodelled = "the link between the two GPUs is not known";
  }
  workload.sampled = peer.at_once;
  return workload;
}

bool fits(const Case& chosen, const Device& gpu) {
  const PeerCase peer(chosen);
  const auto& [source, target] = peer.pair;
  return source != target && std::max(source, target) < gpus_beside(gpu) && !(peer.both && source > target);
}

std::vector<Value> all_gpus(const Device& gpu) {
  std::vector<Value> all;
  for (std::uint64_t i = 0; i < gpus_beside(gpu); ++i) all.emplace_back(i);
  return all;
}

std::vector<Pair> disjoint_pairs(const Pair& pair, std::uint64_t gpus) {
  // All players but the last stand in a circle of odd size; in round r, those meet whose places add up to r, and the
  // one who would meet himself meets the last. With an odd number of players nobody is the last, and he sits out.
  const std::uint64_t circle = gpus % 2 == 0 ? gpus - 1 : gpus;
  const auto [low, high] = std::minmax(pair.source, pair.target);
  const std::uint64_t round = high == circle ? 2 * low % circle : (low + high) % circle;
  std::vector<Pair> pairs = {pair};
  for (std::uint64_t player = 0; player < circle; ++player) {
    std::uint64_t opponent = (round + circle - player) % circle;
    if (opponent == player) opponent = circle;
    if (opponent < player || opponent >= gpus) continue;  // met already, or sits out
    const Pair met = pair.source < pair.target ? Pair{player, opponent} : Pair{opponent, player};
    if (met != pair) pairs.push_back(met);
  }
  return pairs;
}

}  // namespace gpumem::peer
