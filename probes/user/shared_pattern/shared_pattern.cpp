#include "probes/user/shared_pattern/shared_pattern.hpp"

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/access/exact.hpp"
#include "engine/machine/compute_capability.hpp"
#include "probes/requests.hpp"
#include "probes/user/shared_pattern/shared_kernels.cuh"

namespace gpumem::shared_pattern {

namespace {

/// Wavefronts per multiprocessor and launch: about a quarter of a millisecond, so that launching does not show.
constexpr std::uint64_t wavefronts_per_launch = std::uint64_t{1} << 19U;
/// Fewer, and looking up the addresses of a group would show.
constexpr std::uint64_t fewest_iterations = 64;

void require_instruction(const TileCase& tile, const Device& device) {
  const TileInstruction instruction = instruction_of(tile);
  if (instruction.least_capability > 0) {
    require_compute_capability(device, instruction.least_capability, instruction.name);
  }
}

/// The site of copies in global memory. The active lanes of a request read neighbouring words, the same in all
/// requests. Every `turns` requests begin with loads of their addresses, 32 bytes a lane in words of the same width.
/// Other kernels have such loads too, but access global memory nowhere else.
access::Site source_of(const TileLaunch& launch, const Workload& workload) {
  constexpr unsigned lane_bytes = turns * sizeof(std::uint32_t);
  const unsigned word_bytes = launch.tile.word_bytes;
  const unsigned words = lane_bytes / word_bytes;
  const std::uint64_t each = std::uint64_t{workload.blocks} * launch.groups * warps;
  access::Site source;
  source.name = "source";
  source.op = access::Op::load;
  source.word_bytes = word_bytes;
  source.instructions = turns + words;
  source.kinds = workload.sites.front().kinds;
  for (unsigned word = 0; word < words; ++word) {
    source.kinds.push_back({.request = launch.block->count() + word, .count = each});
  }
  source.requests = workload.sites.front().requests + words * each;
  source.extent_bytes = copied_bytes(launch);
  source.request = [block = launch.block, word_bytes](std::uint64_t k) {
    if (k >= block->count()) {
      const std::uint64_t first = (k - block->count()) * word_bytes;
      return warp_request(word_bytes, [first](unsigned lane) { return lane * lane_bytes + first; });
    }
    access::WarpRequest request = block->request(k);
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) request.address[lane] = lane * request.word_bytes;
    return request;
  };
  return source;
}

}  // namespace

std::uint64_t most_shared_bytes(const Device& device) {
  constexpr std::uint64_t everywhere = std::uint64_t{48} << 10U;  // without opting in, on every GPU
  return device.shared_bytes_per_block > 0 ? device.shared_bytes_per_block : everywhere;
}

TileLaunch::TileLaunch(TileCase in_numbers, const Device& device) : tile(std::move(in_numbers)) {
  require_instruction(tile, device);
  block = std::make_shared<const TileRequests>(requests_of(tile, most_shared_bytes(device)));
  const std::uint64_t count = block->count();
  const std::uint64_t common = std::gcd(count, std::uint64_t{requests_at_once});
  groups = static_cast<std::uint32_t>(count / common);
  const std::uint64_t wavefronts = requests_at_once / common * block->wavefronts;  // of all groups
  iterations = static_cast<std::uint32_t>(std::max(wavefronts_per_launch / wavefronts, fewest_iterations));
}

TileInstruction instruction_of(const TileCase& tile) {
  if (tile.copies()) return {"cp.async", 80};
  if (tile.matrices == 0) return {"a load or store", 0};
  return tile.stores() ? TileInstruction{"stmatrix", 90} : TileInstruction{"ldmatrix", 75};
}

std::uint64_t copied_bytes(const TileLaunch& launch) {
  return launch.tile.copies() ? std::uint64_t{access::warp_lanes} * launch.tile.word_bytes : 0;
}

std::uint64_t TileLaunch::rounds() const { return std::uint64_t{groups} * requests_at_once / block->count(); }

std::uint64_t TileLaunch::requests() const { return std::uint64_t{groups} * requests_at_once * iterations; }

std::vector<std::uint32_t> TileLaunch::table() const {
  const std::uint64_t requests = std::lcm(block->count(), std::uint64_t{turns});
  std::vector<std::uint32_t> all(requests * access::warp_lanes);
  for (std::uint64_t k = 0; k < requests; ++k) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      // Lanes that give no row of a matrix have the address of one that does: its value does not matter.
      const unsigned given = tile.matrices > 0 ? lane % tile.request_lanes() : lane;
      all[(k / turns * access::warp_lanes + lane) * turns + k % turns] =
          block->bytes[k % block->count() * access::warp_lanes + given];
    }
  }
  return all;
}

Workload workload_of(const TileLaunch& launch, const Device& device) {
  Workload workload;
  workload.blocks = device.multiprocessors;
  workload.block_threads = block_threads;
  workload.shared_bytes_per_block = launch.block->tile_bytes;
  const auto add_site = [&](const char* name, access::Op op, unsigned word_bytes, std::uint64_t iterations,
                            std::uint64_t wavefronts) {
    access::Site site;
    site.name = name;
    site.space = access::Space::shared;
    site.op = op;
    site.word_bytes = word_bytes;
    site.instructions = turns;
    site.requests = workload.blocks * launch.rounds() * launch.block->count() * iterations;
    site.request = [block = launch.block](std::uint64_t k) { return block->request(k % block->count()); };
    for (std::uint64_t k = 0; k < launch.block->count(); ++k) {
      site.kinds.push_back({.request = k, .count = workload.blocks * launch.rounds() * iterations});
    }
    const access::Counts counts{.requests = launch.block->count(), .wavefronts = wavefronts};
    site.summary = access::SiteSummary{
        .cost = access::average(counts, counts.requests, access::costed(site.space, op), word_bytes), .footprint = {}};
    workload.sites.push_back(std::move(site));
  };
  const bool matrices = launch.tile.matrices > 0;
  constexpr unsigned bytes_of_lane = 4;  // of a matrix
  add_site("tile", launch.tile.stores() ? access::Op::store : access::Op::load,
           matrices ? bytes_of_lane * launch.tile.matrices : launch.tile.word_bytes, launch.iterations,
           launch.block->wavefronts);
  if (launch.tile.copies()) workload.sites.push_back(source_of(launch, workload));
  if (launch.tile.stores()) {
    std::uint64_t wavefronts = 0;
    for (std::uint64_t k = 0; k < launch.block->count(); ++k) {
      wavefronts += access::shared_wavefronts(launch.block->request(k), access::Op::load);
    }
    add_site("read back", access::Op::load, launch.tile.access_bytes(), 1, wavefronts);
  }
  workload.cycles_per_wavefront = launch.block->cycles / static_cast<double>(launch.block->wavefronts);
  const std::uint64_t bytes =
      workload.blocks * launch.rounds() * launch.iterations * launch.block->accesses * launch.tile.access_bytes();
  (launch.tile.stores() ? workload.useful_bytes_written : workload.useful_bytes_read) = bytes;
  return workload;
}

}  // namespace gpumem::shared_pattern
