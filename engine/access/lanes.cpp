#include "engine/access/lanes.hpp"

#include <algorithm>
#include <bit>

#include "engine/access/order_of_first.hpp"

namespace gpumem::access {

namespace {

constexpr std::uint32_t all_lanes = 0xffff'ffff;
constexpr auto sector_shift = static_cast<unsigned>(std::countr_zero(sector_bytes));
constexpr auto line_shift = static_cast<unsigned>(std::countr_zero(line_bytes));

/// True if all lanes are the same distance apart, without overflow on the way.
bool evenly_spaced(const std::uint64_t (&address)[warp_lanes]) {
  constexpr std::uint64_t far = std::uint64_t{1} << 57U;  // 31 steps of this are no overflow
  const std::uint64_t step = address[1] - address[0];
  std::uint64_t differ = 0;
  for (unsigned lane = 0; lane + 1 < warp_lanes; ++lane) differ |= address[lane + 1] - address[lane] - step;
  const std::uint64_t distance = std::min(step, 0 - step);
  return differ == 0 && distance < far && std::max(address[0], address[warp_lanes - 1]) < ~std::uint64_t{0} / 2;
}

/// Fills in what follows from the addresses of 32 lanes. Written so that the compiler makes vector instructions of it.
[[gnu::always_inline]] inline void add_reach(Lanes& lanes) {
  std::uint64_t lowest = lanes.address[0];
  std::uint64_t highest = lanes.address[0];
  std::uint64_t bits = 0;
  for (const std::uint64_t address : lanes.address) {
    lowest = std::min(lowest, address);
    highest = std::max(highest, address);
    bits |= address;
  }
  std::uint64_t descents = 0;
  for (unsigned lane = 0; lane + 1 < warp_lanes; ++lane) {
    descents += static_cast<std::uint64_t>(lanes.address[lane + 1] < lanes.address[lane]);
  }
  lanes.lowest = lowest;
  lanes.highest = highest;
  lanes.bits = bits;
  lanes.ascending = descents == 0;
}

void add_reach_plain(Lanes& lanes) { add_reach(lanes); }

#ifdef __x86_64__
/// For processors since 2013.
[[gnu::target("avx2")]] void add_reach_avx2(Lanes& lanes) { add_reach(lanes); }
#endif

void add_reach_of_all(Lanes& lanes) {
#ifdef __x86_64__
  static const auto add = __builtin_cpu_supports("avx2") ? add_reach_avx2 : add_reach_plain;
#else
  static const auto add = add_reach_plain;
#endif
  add(lanes);
}

/// Counts the distinct aligned blocks of 2^shift bytes that words at ascending addresses touch. A block is new if it is
/// higher than the highest one so far: a word reaches into the next block at most.
unsigned ascending_blocks(const Lanes& sorted, unsigned word_bytes, unsigned shift) {
  std::uint64_t highest = sorted.address[0] >> shift;
  unsigned blocks = 1;
  for (unsigned i = 0; i < sorted.count; ++i) {
    const std::uint64_t first = sorted.address[i] >> shift;
    const std::uint64_t last = (sorted.address[i] + word_bytes - 1) >> shift;
    blocks += static_cast<unsigned>(first > highest) + static_cast<unsigned>(last > std::max(first, highest));
    highest = last;
  }
  return blocks;
}

/// Does the same for words `step` > 0 apart, none of which crosses a boundary.
unsigned evenly_spaced_blocks(const Lanes& lanes, unsigned shift) {
  if (lanes.step >> shift != 0) return warp_lanes;  // each in a block of its own
  return static_cast<unsigned>((lanes.highest >> shift) - (lanes.lowest >> shift)) + 1;
}

/// Does the same for words in any order.
unsigned scattered_blocks(const Lanes& lanes, unsigned word_bytes, unsigned shift, DistinctNumbers& distinct) {
  std::uint64_t blocks[2 * warp_lanes];
  unsigned count = 0;
  for (unsigned i = 0; i < lanes.count; ++i) blocks[count++] = lanes.address[i] >> shift;
  if (!lanes.aligned_to(word_bytes)) {
    for (unsigned i = 0; i < lanes.count; ++i) blocks[count++] = (lanes.address[i] + word_bytes - 1) >> shift;
  }
  return distinct.count({blocks, count});
}

/// The line of each lane's word, and the word's bit among the words of the line.
struct Places {
  std::uint64_t line[warp_lanes];
  std::uint64_t word[warp_lanes];
};

/// Written so that the compiler makes vector instructions of it.
[[gnu::always_inline]] inline void find_places(const Lanes& lanes, unsigned word_shift, Places& places) {
  for (unsigned i = 0; i < lanes.count; ++i) {
    places.line[i] = lanes.address[i] >> line_shift;
    places.word[i] = std::uint64_t{1} << (lanes.address[i] % line_bytes >> word_shift);
  }
}

void find_places_plain(const Lanes& lanes, unsigned word_shift, Places& places) {
  find_places(lanes, word_shift, places);
}

#ifdef __x86_64__
/// For processors since 2013.
[[gnu::target("avx2")]] void find_places_avx2(const Lanes& lanes, unsigned word_shift, Places& places) {
  find_places(lanes, word_shift, places);
}
#endif

/// The cost of words in any order of which none crosses a boundary, and of which a line has up to 64.
RequestCost whole_words_cost(const Lanes& lanes, unsigned word_bytes) {
#ifdef __x86_64__
  static const auto find_all = __builtin_cpu_supports("avx2") ? find_places_avx2 : find_places_plain;
#else
  static const auto find_all = find_places_plain;
#endif
  const auto word_shift = static_cast<unsigned>(std::countr_zero(word_bytes));
  Places places;
  find_all(lanes, word_shift, places);
  OrderOfFirst lines;
  std::uint64_t words[warp_lanes];  // of each line, a bit for each that was seen
  std::uint64_t line = places.line[0];
  unsigned place = lines.place_of(line);
  std::uint64_t seen = 0;  // those of this line
  for (unsigned i = 0; i < lanes.count; ++i) {
    if (places.line[i] != line) {
      words[place] = seen;
      line = places.line[i];
      const unsigned before = lines.count();
      place = lines.place_of(line);
      seen = place < before ? words[place] : 0;
    }
    seen |= places.word[i];
  }
  words[place] = seen;
  // Lanes that share no line share no sector either.
  if (lines.count() == lanes.count) return {lanes.count, lanes.count, lanes.count};
  const unsigned sector_words = sector_bytes >> word_shift;
  const std::uint64_t sector = (std::uint64_t{1} << sector_words) - 1;
  unsigned sectors = 0;
  unsigned addresses = 0;
  for (unsigned i = 0; i < lines.count(); ++i) {
    addresses += static_cast<unsigned>(std::popcount(words[i]));
    for (unsigned first = 0; first < line_bytes >> word_shift; first += sector_words) {
      sectors += static_cast<unsigned>((words[i] >> first & sector) != 0);
    }
  }
  return {sectors, lines.count(), addresses};
}

RequestCost ascending_cost(const Lanes& sorted, unsigned word_bytes) {
  RequestCost cost{ascending_blocks(sorted, word_bytes, sector_shift), ascending_blocks(sorted, word_bytes, line_shift),
                   1};
  for (unsigned i = 1; i < sorted.count; ++i) {
    cost.addresses += static_cast<unsigned>(sorted.address[i] != sorted.address[i - 1]);
  }
  return cost;
}

/// Does the same as busiest_bank(), faster.
unsigned busiest_bank_of(const WarpRequest& request, unsigned first, unsigned last, DistinctNumbers& seen) {
  std::uint8_t words[bank_count] = {};
  std::uint8_t busiest = 0;
  seen.clear();
  for (unsigned lane = first; lane < last; ++lane) {
    if (!request.lane_active(lane)) continue;
    const std::uint64_t begin = request.address[lane] / bank_bytes;
    const std::uint64_t end = (request.address[lane] + request.word_bytes + bank_bytes - 1) / bank_bytes;
    for (std::uint64_t word = begin; word < end; ++word) {
      if (seen.insert(word)) busiest = std::max(busiest, ++words[word % bank_count]);
    }
  }
  return busiest;
}

}  // namespace

Lanes lanes_of(const WarpRequest& request) {
  Lanes lanes;
  if (request.active == all_lanes && evenly_spaced(request.address)) {
    lanes.evenly = true;
    lanes.count = warp_lanes;
    lanes.lowest = std::min(request.address[0], request.address[warp_lanes - 1]);
    lanes.highest = std::max(request.address[0], request.address[warp_lanes - 1]);
    lanes.step = (lanes.highest - lanes.lowest) / (warp_lanes - 1);
    lanes.bits = lanes.lowest | lanes.step;
    for (unsigned lane = 0; lane < warp_lanes; ++lane) lanes.address[lane] = lanes.lowest + lane * lanes.step;
    return lanes;
  }
  if (request.active == all_lanes) {
    std::copy_n(request.address, warp_lanes, lanes.address);
    lanes.count = warp_lanes;
  } else {
    for (std::uint32_t active = request.active; active != 0; active &= active - 1) {
      lanes.address[lanes.count++] = request.address[std::countr_zero(active)];
    }
  }
  if (lanes.count == warp_lanes) {
    add_reach_of_all(lanes);
    return lanes;
  }
  std::uint64_t previous = 0;
  for (unsigned i = 0; i < lanes.count; ++i) {
    const std::uint64_t address = lanes.address[i];
    lanes.lowest = std::min(lanes.lowest, address);
    lanes.highest = std::max(lanes.highest, address);
    lanes.bits |= address;
    lanes.ascending &= address >= previous;
    previous = address;
  }
  return lanes;
}

void place_lanes(std::uint64_t first, const std::uint64_t (&offset)[warp_lanes], WarpRequest& request) {
  for (unsigned lane = 0; lane < warp_lanes; ++lane) request.address[lane] = first + offset[lane];
}

RequestCost cost_of(const Lanes& lanes, unsigned word_bytes, DistinctNumbers& scratch) {
  const bool whole = lanes.aligned_to(word_bytes);  // no word crosses a boundary
  if (lanes.count == 0) return {};
  if (lanes.evenly && whole) {
    if (lanes.step == 0) return {1, 1, 1};
    return {evenly_spaced_blocks(lanes, sector_shift), evenly_spaced_blocks(lanes, line_shift), warp_lanes};
  }
  if (lanes.ascending) return ascending_cost(lanes, word_bytes);
  if (whole && word_bytes > 1) return whole_words_cost(lanes, word_bytes);
  return {scattered_blocks(lanes, word_bytes, sector_shift, scratch),
          scattered_blocks(lanes, word_bytes, line_shift, scratch), scattered_blocks(lanes, 1, 0, scratch)};
}

unsigned wavefronts_of(const WarpRequest& request, Op op, DistinctNumbers& scratch) {
  const unsigned group = lanes_served_together(request, op);
  unsigned wavefronts = 0;
  for (unsigned first = 0; first < warp_lanes; first += group) {
    wavefronts += busiest_bank_of(request, first, first + group, scratch);
  }
  return wavefronts;
}

}  // namespace gpumem::access
