#include "engine/access/footprint_bitmap.hpp"

#include <algorithm>
#include <bit>
#include <cstdlib>
#include <string>
#include <vector>

#include "engine/access/chunks.hpp"
#include "engine/base/available_memory.hpp"
#include "engine/base/error.hpp"

#ifdef __linux__
#include <sys/mman.h>
#endif

namespace gpumem::access {

namespace {

constexpr std::uint64_t all_ones = ~std::uint64_t{0};

/// The lowest bit of every group of `size` bits.
constexpr std::uint64_t lowest_of_groups(unsigned size) {
  std::uint64_t mask = 0;
  for (unsigned at = 0; at < 64; at += size) mask |= std::uint64_t{1} << at;
  return mask;
}

/// Returns bits of which the lowest in each group of `size` is set if any bit of the group was set. Applied to the
/// complement, it finds the groups with a bit that was not set.
template <unsigned size>
constexpr std::uint64_t any_in_groups(std::uint64_t bits) {
  for (unsigned distance = size / 2; distance > 0; distance /= 2) bits |= bits >> distance;
  return bits & lowest_of_groups(size);
}

/// Moves the lowest bits of groups of `size` bits together, which makes 64 / size bits; the other bits must be zero
/// (Warren, Hacker's Delight, 7-4, for a regular mask).
template <unsigned size>
constexpr std::uint64_t gather(std::uint64_t bits) {
  if constexpr (size == 1) return bits;
  for (unsigned have = 1; have * size < 64; have *= 2) {
    const unsigned group = 2 * have * size;  // `have` bits at the beginning of each half, to be 2 x `have` together
    bits |= bits >> (have * (size - 1));
    const std::uint64_t kept = (std::uint64_t{1} << (2 * have)) - 1;
    bits &= group >= 64 ? kept : kept * lowest_of_groups(group);
  }
  return bits;
}

/// Counts 64 sectors, given by a bit each.
void count_sectors(std::uint64_t touched, std::uint64_t full, BlockCounts& counts) {
  const auto number = [](std::uint64_t bits) { return static_cast<std::uint64_t>(std::popcount(bits)); };
  constexpr unsigned per_atom = dram_atom_bytes / sector_bytes;
  const std::uint64_t atoms = any_in_groups<per_atom>(touched);
  const std::uint64_t whole_atoms = touched & (touched >> 1U) & lowest_of_groups(per_atom);
  counts.sectors += number(touched);
  counts.partial_sectors += number(touched & ~full);
  counts.atoms += number(atoms);
  counts.partial_atoms += number(atoms & ~whole_atoms);
  counts.lines += number(any_in_groups<line_bytes / sector_bytes>(touched));
  counts.line_pairs += number(any_in_groups<line_pair_bytes / sector_bytes>(touched));
  std::uint64_t channels = gather<per_atom>(atoms);
  for (unsigned distance = 64 / per_atom / 2; distance >= atom_channels; distance /= 2)
    channels |= channels >> distance;
  counts.channels |= static_cast<std::uint32_t>(channels) & ((1U << atom_channels) - 1);
}

template <unsigned granule_bytes>
BlockCounts count_range(std::span<const FootprintBitmap> maps, std::uint64_t first_word, std::uint64_t end_word) {
  constexpr unsigned per_sector = sector_bytes / granule_bytes;  // bits; a word of the map has 64 / per_sector sectors
  BlockCounts counts;
  for (std::uint64_t at = first_word; at < end_word; at += per_sector) {
    std::uint64_t touched = 0;
    std::uint64_t full = 0;
    for (unsigned part = 0; part < per_sector; ++part) {
      std::uint64_t bits = 0;
      for (const FootprintBitmap& map : maps) bits |= map.bits()[at + part];
      if (bits == 0) continue;
      const unsigned place = part * (64 / per_sector);
      constexpr std::uint64_t sectors = all_ones >> (64 - 64 / per_sector);
      touched |= gather<per_sector>(any_in_groups<per_sector>(bits)) << place;
      full |= (sectors & ~gather<per_sector>(any_in_groups<per_sector>(~bits))) << place;
    }
    if (touched != 0) count_sectors(touched, full, counts);
  }
  return counts;
}

}  // namespace

void BlockCounts::add(const BlockCounts& other) {
  sectors += other.sectors;
  partial_sectors += other.partial_sectors;
  atoms += other.atoms;
  partial_atoms += other.partial_atoms;
  lines += other.lines;
  line_pairs += other.line_pairs;
  channels |= other.channels;
}

Footprint BlockCounts::footprint() const {
  return {.sectors = static_cast<double>(sectors),
          .partial_sectors = static_cast<double>(partial_sectors),
          .atoms = static_cast<double>(atoms),
          .partial_atoms = static_cast<double>(partial_atoms),
          .lines = static_cast<double>(lines),
          .line_pairs = static_cast<double>(line_pairs),
          .channels = static_cast<unsigned>(std::popcount(channels))};
}

void FootprintBitmap::Free::operator()(std::uint64_t* bits) const { std::free(bits); }

FootprintBitmap::FootprintBitmap(const Window& window)
    : window_(window),
      shift_(static_cast<unsigned>(std::countr_zero(window.granule_bytes))),
      // The system zeroes the pages of a large block only when they are first used.
      bits_(
          static_cast<std::uint64_t*>(std::calloc(window.map_bytes() / sizeof(std::uint64_t), sizeof(std::uint64_t)))) {
  if (!bits_ && window.bytes > 0) {
    throw usage_error("counting what a launch touches needs " + std::to_string(window.map_bytes()) +
                      " bytes of memory that there are not: free some, or use a smaller buffer" +
                      process_limit_words());
  }
#ifdef __linux__
  // Scattered marks miss the TLB in small pages. This is only a hint, for the whole large pages in the map.
  constexpr std::uint64_t page = std::uint64_t{2} << 20U;
  const std::uint64_t before = (page - reinterpret_cast<std::uintptr_t>(bits_.get()) % page) % page;
  if (window.map_bytes() >= before + page) {
    madvise(reinterpret_cast<char*>(bits_.get()) + before, (window.map_bytes() - before) / page * page, MADV_HUGEPAGE);
  }
#endif
}

void FootprintBitmap::mark_range(std::uint64_t first_granule, std::uint64_t end_granule) {
  std::uint64_t* bits = bits_.get();
  while (first_granule < end_granule) {
    const std::uint64_t here = first_granule % 64;
    const std::uint64_t stop = std::min(end_granule, first_granule - here + 64);
    bits[first_granule / 64] |= (all_ones >> (64 - (stop - first_granule))) << here;
    first_granule = stop;
  }
}

void FootprintBitmap::mark_steps(std::uint64_t byte, std::uint64_t step_bytes, std::uint64_t steps) {
  if (steps == 0) return;
  const std::uint64_t step = step_bytes >> shift_;
  std::uint64_t pattern = 1;  // of a word, from its lowest bit on
  for (std::uint64_t distance = step; distance < 64; distance *= 2) pattern |= pattern << distance;
  const std::uint64_t first = (byte - window_.first_byte) >> shift_;
  const std::uint64_t last = first + step * (steps - 1);
  std::uint64_t* bits = bits_.get();
  for (std::uint64_t at = first / 64; at <= last / 64; ++at) {
    std::uint64_t marks = pattern << first % step;
    if (at == first / 64) marks &= all_ones << first % 64;
    if (at == last / 64) marks &= all_ones >> (63 - last % 64);
    bits[at] |= marks;
  }
}

// Scattered marks take as long as fetching the words of the map that they go to. Fetching many at a time halves that.
inline void FootprintBitmap::mark_later(std::uint64_t at, std::uint64_t marks) {
  __builtin_prefetch(bits_.get() + at, 1);
  Waiting& waiting = waiting_[next_];
  bits_.get()[waiting.at] |= waiting.marks;
  waiting = {at, marks};
  next_ = (next_ + 1) % most_waiting;
}

void FootprintBitmap::settle() {
  for (Waiting& waiting : waiting_) {
    bits_.get()[waiting.at] |= waiting.marks;
    waiting = {};
  }
}

void FootprintBitmap::mark_words(const Lanes& lanes) {
  // In a map that stays in a core's caches, marking a word takes less time than the branch that tells it from the next.
  constexpr std::uint64_t small = std::uint64_t{1} << 20U;
  if (!lanes.ascending && window_.map_bytes() <= small) {
    std::uint64_t* bits = bits_.get();
    for (unsigned i = 0; i < lanes.count; ++i) {
      const std::uint64_t place = (lanes.address[i] - window_.first_byte) >> shift_;
      bits[place / 64] |= std::uint64_t{1} << (place % 64);
    }
    return;
  }
  std::uint64_t at = 0;
  std::uint64_t marks = 0;
  for (unsigned i = 0; i < lanes.count; ++i) {
    const std::uint64_t place = (lanes.address[i] - window_.first_byte) >> shift_;
    if (place / 64 != at && marks != 0) {
      mark_later(at, marks);
      marks = 0;
    }
    at = place / 64;
    marks |= std::uint64_t{1} << (place % 64);
  }
  mark_later(at, marks);
}

void FootprintBitmap::mark(const Lanes& lanes, unsigned word_bytes) {
  if (lanes.count == 0 || lanes.lowest >= window_.end() || lanes.highest + word_bytes <= window_.first_byte) return;
  const bool inside = lanes.lowest >= window_.first_byte && lanes.highest + word_bytes <= window_.end();
  if (inside && lanes.evenly && lanes.step <= word_bytes) {  // without a gap
    const std::uint64_t last = lanes.highest + word_bytes - 1 - window_.first_byte;
    mark_range((lanes.lowest - window_.first_byte) >> shift_, (last >> shift_) + 1);
    return;
  }
  if (inside && word_bytes == window_.granule_bytes && lanes.aligned_to(word_bytes)) {
    mark_words(lanes);
    return;
  }
  for (unsigned i = 0; i < lanes.count; ++i) {
    const std::uint64_t first = std::max(lanes.address[i], window_.first_byte);
    const std::uint64_t end = std::min(lanes.address[i] + word_bytes, window_.end());
    if (first >= end) continue;
    mark_range((first - window_.first_byte) >> shift_, ((end - 1 - window_.first_byte) >> shift_) + 1);
  }
}

BlockCounts count(std::span<const FootprintBitmap> maps, std::uint64_t first_byte, std::uint64_t end_byte) {
  if (maps.empty()) return {};
  const Window& window = maps.front().window();
  const std::uint64_t word_bytes = std::uint64_t{64} * window.granule_bytes;
  const std::uint64_t first = (first_byte - window.first_byte) / word_bytes;
  const std::uint64_t end = (end_byte - window.first_byte) / word_bytes;
  switch (window.granule_bytes) {
    case 32:
      return count_range<32>(maps, first, end);
    case 16:
      return count_range<16>(maps, first, end);
    case 8:
      return count_range<8>(maps, first, end);
    case 4:
      return count_range<4>(maps, first, end);
    case 2:
      return count_range<2>(maps, first, end);
    default:
      return count_range<1>(maps, first, end);
  }
}

BlockCounts count_all(std::span<const FootprintBitmap> maps, const Window& part, unsigned threads) {
  constexpr std::uint64_t chunk = std::uint64_t{4096} * window_bytes;
  std::vector<BlockCounts> found(threads_for(part.bytes, chunk, threads));
  in_chunks(part.bytes, chunk, static_cast<unsigned>(found.size()),
            [&](unsigned thread, std::uint64_t first, std::uint64_t end) {
              found[thread].add(count(maps, part.first_byte + first, part.first_byte + end));
            });
  BlockCounts sum;
  for (const BlockCounts& blocks : found) sum.add(blocks);
  return sum;
}

}  // namespace gpumem::access
