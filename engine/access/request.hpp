#pragma once
// The access arithmetic: what one request (one memory instruction executed by one warp) costs, from the
// addresses of its lanes alone. Everything is constexpr and needs no GPU.

#include "engine/access/host_device.hpp"

namespace gpumem::access {

inline constexpr unsigned warp_lanes = 32;
inline constexpr unsigned sector_bytes = 32;      ///< unit that L1, L2 and DRAM exchange (compute capability >= 6.0)
inline constexpr unsigned dram_atom_bytes = 64;   ///< DRAM reads come in pairs of sectors (docs/method/model.md)
inline constexpr unsigned line_bytes = 128;       ///< tag granularity of L1 and L2
inline constexpr unsigned line_pair_bytes = 256;  ///< two lines: L2 misses share a cost (docs/method/model.md)
inline constexpr unsigned atom_channels = 8;      ///< atoms with equal numbers modulo 8 share one (docs/method/link.md)
inline constexpr unsigned bank_count = 32;        ///< shared-memory banks
inline constexpr unsigned bank_bytes = 4;         ///< width of one bank

enum class Op { load, store, atomic };

/// One request: the byte address each lane accesses. Addresses count from a line-aligned base.
struct WarpRequest {
  std::uint64_t address[warp_lanes] = {};
  std::uint32_t active = 0;      ///< bit per lane; inactive lanes' addresses are ignored
  std::uint32_t word_bytes = 4;  ///< 1, 2, 4, 8, 16 or 32

  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool lane_active(unsigned lane) const {
    return ((active >> lane) & 1U) != 0;
  }
};

/// A small set of block numbers; a request cannot touch more than two blocks per lane.
struct BlockSet {
  std::uint64_t block[2 * warp_lanes] = {};
  unsigned size = 0;

  GPUMEM_HOST_DEVICE constexpr void insert(std::uint64_t value) {
    // Neighbouring lanes mostly share a block, so the newest entry is tried first.
    for (unsigned i = size; i-- > 0;) {
      if (block[i] == value) return;
    }
    block[size++] = value;
  }
};

/// The distinct aligned blocks of `block_bytes` (a power of two >= word_bytes) that the request touches.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr BlockSet blocks_touched(const WarpRequest& request, unsigned block_bytes) {
  BlockSet blocks;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t first = request.address[lane];
    blocks.insert(first / block_bytes);
    blocks.insert((first + request.word_bytes - 1) / block_bytes);
  }
  return blocks;
}

[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned sectors_per_request(const WarpRequest& request) {
  return blocks_touched(request, sector_bytes).size;
}

[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned lines_per_request(const WarpRequest& request) {
  return blocks_touched(request, line_bytes).size;
}

/// Distinct addresses among the active lanes: what a request to constant memory is split into, one after another (CUDA
/// C++ Programming Guide, "Constant Memory").
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned addresses_per_request(const WarpRequest& request) {
  BlockSet addresses;
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    if (request.lane_active(lane)) addresses.insert(request.address[lane]);
  }
  return addresses.size;
}

/// Returns the offset of a byte of a lane's local memory from the beginning of its warp's. Neighbouring lanes have
/// neighbouring 32-bit words (CUDA C++ Programming Guide, "Local Memory"), so that an index that all lanes agree on
/// coalesces. These offsets are the addresses of sites in local memory. Words of more than 4 bytes lie in several
/// places.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t local_address(std::uint64_t byte, unsigned lane) {
  constexpr unsigned word = 4;
  return (byte / word * warp_lanes + lane) * word + byte % word;
}

/// Bytes that the active lanes ask for; bytes that several lanes ask for count once.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned useful_bytes(const WarpRequest& request) {
  return addresses_per_request(request) * request.word_bytes;
}

/// Load / store efficiency: useful bytes / (sectors x 32); 0 without active lanes.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr double efficiency(const WarpRequest& request) {
  const unsigned sectors = sectors_per_request(request);
  return sectors == 0 ? 0.0 : static_cast<double>(useful_bytes(request)) / (sectors * sector_bytes);
}

/// Visits the 4-byte words of lanes [first, last), each with its place among the distinct words of its bank: 0 for the
/// first. A bank gives one word a wavefront, so that the place is a wavefront that can serve the word. Calls
/// visit(lane, place), for a word that several lanes share once for each. Returns the distinct words in the busiest
/// bank: the wavefronts that this group of lanes needs. Without `merged` no lane shares a word with another.
template <bool merged, class Visit>
GPUMEM_HOST_DEVICE constexpr unsigned visit_bank_words(const WarpRequest& request, unsigned first, unsigned last,
                                                       Visit& visit) {
  // The word numbers seen per bank; 32 lanes reach at most 32 words of one bank.
  std::uint64_t word[bank_count][warp_lanes] = {};
  unsigned words[bank_count] = {};
  unsigned busiest = 0;
  for (unsigned lane = first; lane < last; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t begin = request.address[lane] / bank_bytes;
    const std::uint64_t end = (request.address[lane] + request.word_bytes + bank_bytes - 1) / bank_bytes;
    for (std::uint64_t w = begin; w < end; ++w) {
      const auto bank = static_cast<unsigned>(w % bank_count);
      unsigned place = 0;
      while (place < words[bank] && (!merged || word[bank][place] != w)) ++place;
      if (place == words[bank]) word[bank][words[bank]++] = w;
      if (words[bank] > busiest) busiest = words[bank];
      visit(lane, place);
    }
  }
  return busiest;
}

/// Distinct 4-byte words in the busiest bank among lanes [first, last): the passes that group of lanes needs. Without
/// `merged` a word counts as often as lanes have it.
template <bool merged = true>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned busiest_bank(const WarpRequest& request, unsigned first,
                                                                 unsigned last) {
  struct Ignore {
    GPUMEM_HOST_DEVICE constexpr void operator()(unsigned /*lane*/, unsigned /*place*/) const {}
  } ignore;
  return visit_bank_words<merged>(request, first, last, ignore);
}

/// True if every active lane asks for the same address as its partner, lane ^ distance, or the partner is inactive.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool partners_agree(const WarpRequest& request, unsigned distance) {
  for (unsigned lane = 0; lane < warp_lanes; ++lane) {
    const unsigned partner = lane ^ distance;
    if (!request.lane_active(lane) || !request.lane_active(partner)) continue;
    if (request.address[lane] != request.address[partner]) return false;
  }
  return true;
}

/// Lanes whose words of shared memory are served together: a whole warp for words of up to 4 bytes, half-warps for
/// 8-byte words and quarter-warps for 16-byte words. The groups of a load are twice as large if all its lanes agree
/// with their neighbour or all with their second neighbour. Settled with random patterns against an H200's counters:
/// docs/counters.md.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned lanes_served_together(const WarpRequest& request, Op op) {
  if (request.word_bytes <= bank_bytes) return warp_lanes;
  const unsigned group = warp_lanes * bank_bytes / request.word_bytes;
  return op == Op::load && (partners_agree(request, 1) || partners_agree(request, 2)) ? 2 * group : group;
}

/// Shared-memory wavefronts of a request; 0 without active lanes. Each group of lanes_served_together() takes as many
/// wavefronts as its busiest bank has distinct words. There is no rule for atomics yet.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned shared_wavefronts(const WarpRequest& request, Op op) {
  const unsigned group = lanes_served_together(request, op);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < warp_lanes; first += group)
    wavefronts += busiest_bank(request, first, first + group);
  return wavefronts;
}

/// Cycles for which a request keeps shared memory busy: its wavefronts, and at least one for each group of
/// lanes_served_together(), even if no lane of a group is active (docs/patterns.md).
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned shared_cycles(const WarpRequest& request, Op op) {
  const unsigned wavefronts = shared_wavefronts(request, op);
  const unsigned groups = warp_lanes / lanes_served_together(request, op);
  return wavefronts > groups ? wavefronts : groups;
}

/// The fewest wavefronts that could serve a request: those of its distinct bytes, spread evenly over all banks. Bank
/// conflicts add the rest.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned least_wavefronts(const WarpRequest& request) {
  constexpr unsigned wavefront_bytes = bank_count * bank_bytes;
  const unsigned least = (useful_bytes(request) + wavefront_bytes - 1) / wavefront_bytes;
  return least == 0 && request.active != 0 ? 1 : least;
}

inline constexpr unsigned matrix_rows = 8;  ///< of the matrices of ldmatrix and stmatrix: PTX ISA, "ldmatrix"

/// Shared-memory wavefronts of ldmatrix or stmatrix, transposed or not. The addresses are those of the matrices' rows,
/// `word_bytes` is 16, and 8 lanes give the rows of one matrix. Each matrix takes as many wavefronts as its busiest
/// bank has distinct words, also if matrices have rows in common. Settled with random patterns against an H100's
/// counters: docs/counters.md.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned matrix_wavefronts(const WarpRequest& request) {
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < warp_lanes; first += matrix_rows)
    wavefronts += busiest_bank(request, first, first + matrix_rows);
  return wavefronts;
}

/// Lanes whose words `cp.async` writes together: those of 128 bytes of the source, if the lanes' sources follow each
/// other. Words of 4, 8 or 16 bytes.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned lanes_copied_together(const WarpRequest& request) {
  return line_bytes / request.word_bytes;
}

/// Wavefronts in which `cp.async` through L1 writes the words of a request, of 4, 8 or 16 bytes, into shared memory; 0
/// without active lanes. Lanes that copy to one address take turns, unlike those of a store. Settled against an H100's
/// counters: docs/counters.md.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr unsigned copy_wavefronts(const WarpRequest& request) {
  const unsigned group = lanes_copied_together(request);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < warp_lanes; first += group) {
    wavefronts += busiest_bank<false>(request, first, first + group);
  }
  return wavefronts;
}

/// The wavefronts that serve the lanes of one request.
struct LaneWavefronts {
  unsigned of_lane[warp_lanes] = {};  ///< counted from 0; 0 for inactive lanes
  unsigned count = 0;                 ///< of the request
};

/// Returns a wavefront for each lane: the one that completes its words, if each group of `group` lanes is served after
/// the one before and every bank gives its words in the order of the lanes. The count is that of shared_wavefronts(),
/// with its lanes_served_together(), of matrix_wavefronts(), with `matrix_rows`, and without `merged` of
/// copy_wavefronts(), with its lanes_copied_together(). The hardware's own order is not known: this is one of those
/// with the same count.
template <bool merged = true>
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr LaneWavefronts lane_wavefronts(const WarpRequest& request, unsigned group) {
  struct Complete {
    LaneWavefronts served = {};
    GPUMEM_HOST_DEVICE constexpr void operator()(unsigned lane, unsigned place) {
      if (served.count + place > served.of_lane[lane]) served.of_lane[lane] = served.count + place;
    }
  } complete;
  for (unsigned first = 0; first < warp_lanes; first += group) {
    complete.served.count += visit_bank_words<merged>(request, first, first + group, complete);
  }
  return complete.served;
}

}  // namespace gpumem::access
