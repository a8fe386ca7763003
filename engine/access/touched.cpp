#include "engine/access/touched.hpp"

#include <algorithm>
#include <bit>

namespace gpumem::access {

void append_sectors(const WarpRequest& request, std::vector<TouchedSector>& touched) {
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    std::uint64_t byte = request.address[lane];
    const std::uint64_t end = byte + request.word_bytes;
    while (byte < end) {
      const std::uint64_t sector = byte / sector_bytes;
      const std::uint64_t stop = std::min(end, (sector + 1) * sector_bytes);
      const std::uint64_t width = stop - byte;
      const auto mask = static_cast<std::uint32_t>(((std::uint64_t{1} << width) - 1) << (byte % sector_bytes));
      if (!touched.empty() && touched.back().sector == sector) {
        touched.back().bytes |= mask;
      } else {
        touched.push_back({sector, mask});
      }
      byte = stop;
    }
  }
}

void merge(std::vector<TouchedSector>& touched) {
  std::ranges::sort(touched, {}, &TouchedSector::sector);
  std::size_t kept = 0;
  for (std::size_t i = 0; i < touched.size(); ++i) {
    if (kept > 0 && touched[kept - 1].sector == touched[i].sector) {
      touched[kept - 1].bytes |= touched[i].bytes;
    } else {
      touched[kept++] = touched[i];
    }
  }
  touched.resize(kept);
}

Footprint count(const std::vector<TouchedSector>& merged) {
  constexpr std::uint64_t none = ~std::uint64_t{0};
  constexpr unsigned sectors_per_atom = dram_atom_bytes / sector_bytes;
  constexpr unsigned sectors_per_line = line_bytes / sector_bytes;
  Footprint footprint;
  constexpr unsigned sectors_per_line_pair = line_pair_bytes / sector_bytes;
  std::uint64_t atom = none;
  std::uint64_t line = none;
  std::uint64_t line_pair = none;
  std::uint32_t channels = 0;  // a bit each
  for (const auto& [sector, bytes] : merged) {
    footprint.sectors += 1;
    if (bytes != ~std::uint32_t{0}) footprint.partial_sectors += 1;
    if (sector / sectors_per_atom != atom) {
      atom = sector / sectors_per_atom;
      footprint.atoms += 1;
      footprint.partial_atoms += 1;
      channels |= 1U << (atom % atom_channels);
    } else {
      footprint.partial_atoms -= 1;  // its second sector is touched too
    }
    if (sector / sectors_per_line != line) {
      line = sector / sectors_per_line;
      footprint.lines += 1;
    }
    if (sector / sectors_per_line_pair != line_pair) {
      line_pair = sector / sectors_per_line_pair;
      footprint.line_pairs += 1;
    }
  }
  footprint.channels = static_cast<unsigned>(std::popcount(channels));
  return footprint;
}

}  // namespace gpumem::access
