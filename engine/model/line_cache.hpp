#pragma once
// A cache of lines that are fetched by the sector, for simulating launches.

#include <algorithm>
#include <array>
#include <bit>
#include <cstddef>
#include <cstdint>
#include <cstring>
#include <vector>

#include "engine/access/request.hpp"

namespace gpumem::model {

inline constexpr unsigned sectors_of_line = access::line_bytes / access::sector_bytes;

/// All but the last step of mixed(). The highest 33 bits are the same.
constexpr std::uint64_t mixed_high(std::uint64_t number) {
  number = (number ^ number >> 33U) * 0xff51'afd7'ed55'8ccd;
  return (number ^ number >> 33U) * 0xc4ce'b9fe'1a85'ec53;
}

/// The finalizer of MurmurHash3 (A. Appleby, public domain): patterns that multiply by a constant, as hashes of users
/// do, are not to meet the multiplication of this one.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number = mixed_high(number);
  return number ^ number >> 33U;
}

/// Returns how many of a line's sectors are in a mask, a bit each. Not every processor that the program is compiled for
/// has an instruction for std::popcount.
constexpr unsigned number_of_sectors(unsigned mask) {
  constexpr std::uint64_t bits_of_masks = 0x4332'3221'3221'2110;  // four bits each
  return static_cast<unsigned>(bits_of_masks >> 4 * mask) & 7U;
}

/// A line's number with its hash, which every cache that looks for the line needs.
struct LineKey {
  std::uint64_t number = 0;
  std::uint64_t hash = 0;

  LineKey() = default;
  constexpr LineKey(std::uint64_t line)  // NOLINT(google-explicit-constructor): a number, and what follows from it
      : number(line), hash(mixed(line)) {}
};

struct alignas(64) CachedLine {  // so that it takes one line of this machine's caches, too
  std::uint64_t number = 0;
  std::array<std::uint32_t, sectors_of_line> written = {};  ///< a bit for each byte that memory does not have yet
  std::uint8_t valid = 0;                                   ///< a bit for each sector that has been read
  // About stores, as the simulation of the launch counts them:
  std::uint8_t stored = 0;           ///< a bit for each sector that the last block stored
  std::uint8_t left_incomplete = 0;  ///< a bit for each sector that a block left to others to complete
  std::uint32_t visits = 0;          ///< times that another block began to store to it
  std::uint32_t block_turn = 0;      ///< in which it was stored last, by that block
  std::uint32_t turn = 0;            ///< the same, of all resident blocks
  std::uint32_t wave = 0;            ///< of these, in which a block left something to others
  double stores_in_turn = 0;
};

/// A line of a cache that is only read.
struct ReadLine {
  std::uint64_t number = 0;
  std::uint8_t valid = 0;  ///< a bit for each sector that has been read
};

/// A cache in sets, each of which evicts its least recently used line. `Line` has a `number`.
template <class Line>
class LineCacheOf {
 public:
  static constexpr std::size_t most_ways = 32;

  /// Has room for `lines`, or for a few more so that all sets are alike.
  explicit LineCacheOf(std::size_t lines)
      : ways_((lines + sets_for(lines) - 1) / sets_for(lines)),
        log2_places_(static_cast<unsigned>(std::bit_width(sets_for(lines) - 1))),
        sets_(sets_for(lines)),
        lines_(ways_ << log2_places_),
        likely_(std::min(std::bit_ceil(2 * lines), most_likely)) {}

  /// Returns the line, which becomes the most recently used one; null if it is not there.
  [[nodiscard]] Line* find(const LineKey& key) {
    Set& set = sets_[set_of(key)];
    const unsigned way = way_of(set, key);
    if (way == none) return nullptr;
    set.use(way);
    return &line_at(set, way);
  }

  /// The same, but leaves the line's place in the order of use.
  [[nodiscard]] Line* find_unused(const LineKey& key) {
    Set& set = sets_[set_of(key)];
    const unsigned way = way_of(set, key);
    return way == none ? nullptr : &line_at(set, way);
  }

  /// Makes place for a line that is not there, which begins empty and unmarked. `evicted` gets what was there, where
  /// something was: then `was_full` is true.
  Line& insert(const LineKey& key, Line& evicted, bool& was_full) {
    Set& set = sets_[set_of(key)];
    was_full = set.used == ways_;
    unsigned way = set.oldest;
    if (was_full) {
      evicted = line_at(set, way);
      set.use(way);
    } else {
      way = set.add();
      ++used_;
    }
    set.marked &= ~(std::uint32_t{1} << way);
    set.prints[way] = print_of(key);
    likely_[likely_at(key)] = static_cast<std::uint8_t>(way);
    Line& line = line_at(set, way);
    line = Line{.number = key.number};
    return line;
  }

  // A simulated cache that is larger than this machine's own is slow to look into, unless the loads of many lines
  // overlap. First call fetch_set() for all lines, then fetch_line() for all, then look for them.
  void fetch_set(const LineKey& key) const {
    const Set& set = sets_[set_of(key)];
    __builtin_prefetch(&set);
    __builtin_prefetch(&set.older);
    __builtin_prefetch(&likely_[likely_at(key)], 1);
  }
  void fetch_line(const LineKey& key) {
    Set& set = sets_[set_of(key)];
    const unsigned way = likely_way(set, key);
    __builtin_prefetch(&line_at(set, way), 1);
  }

  // Lines of a set can be marked.
  [[nodiscard]] bool is_marked(const Line& line) const {
    const std::size_t place = place_of(line);
    return (sets_[set_at(place)].marked >> way_at(place) & 1U) != 0;
  }
  void mark(const Line& line, bool marked) {
    const std::size_t place = place_of(line);
    std::uint32_t& all = sets_[set_at(place)].marked;
    const std::uint32_t bit = std::uint32_t{1} << way_at(place);
    all = marked ? all | bit : all & ~bit;
  }
  /// Returns the least recently used of the marked lines in the set of `key`; null if fewer than `many` are marked.
  [[nodiscard]] Line* oldest_marked(const LineKey& key, std::size_t many) {
    Set& set = sets_[set_of(key)];
    if (set.marked == 0 || static_cast<std::size_t>(std::popcount(set.marked)) < many) return nullptr;
    unsigned way = set.oldest;
    while ((set.marked >> way & 1U) == 0) way = set.newer[way];
    return &line_at(set, way);
  }

  void clear() {
    for (Set& set : sets_) {
      set.used = 0;
      set.marked = 0;
    }
    used_ = 0;
  }
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t size() const { return sets_.size() * ways_; }
  [[nodiscard]] std::size_t ways() const { return ways_; }
  /// The memory of this machine that the cache takes.
  [[nodiscard]] std::size_t bytes() const { return sets_.size() * sizeof(Set) + lines_.size() * sizeof(Line); }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (Set& set : sets_) {
      for (unsigned way = 0; way < set.used; ++way) visit(line_at(set, way));
    }
  }

 private:
  static constexpr unsigned none = most_ways;
  static constexpr std::size_t most_likely = std::size_t{1} << 14U;  // so that they stay in a core's caches

  /// Data to tell the lines of a set apart without looking at them: a byte of each one's hash, and a list of them in
  /// the order of their use.
  struct alignas(64) Set {
    std::array<std::uint8_t, most_ways> prints = {};
    std::array<std::uint8_t, most_ways> newer = {};
    std::array<std::uint8_t, most_ways> older = {};
    std::uint32_t marked = 0;
    std::uint8_t newest = 0;
    std::uint8_t oldest = 0;
    std::uint8_t used = 0;  ///< places are filled one after another

    unsigned add() {
      const std::uint8_t way = used++;
      if (way == 0) {
        oldest = way;
      } else {
        newer[newest] = way;
        older[way] = newest;
      }
      newest = way;
      return way;
    }

    void use(unsigned at) {
      const auto way = static_cast<std::uint8_t>(at);
      if (way == newest) return;
      const std::uint8_t next = newer[way];
      if (way == oldest) {
        oldest = next;
      } else {
        newer[older[way]] = next;
        older[next] = older[way];
      }
      newer[newest] = way;
      older[way] = newest;
      newest = way;
    }
  };

  static std::size_t sets_for(std::size_t lines) { return (lines + most_ways - 1) / most_ways; }

  /// A hash scaled down to the number of sets (D. Lemire, Fast Random Integer Generation in an Interval, 2019).
  [[nodiscard]] std::size_t set_of(const LineKey& key) const {
    return static_cast<std::size_t>((key.hash & 0xffff'ffff) * sets_.size() >> 32U);
  }
  /// Returns the place in `likely_`. Lines of one set differ in these bits of the hash.
  [[nodiscard]] std::size_t likely_at(const LineKey& key) const {
    return static_cast<std::size_t>(key.hash) & (likely_.size() - 1);
  }
  [[nodiscard]] static std::uint8_t print_of(const LineKey& key) { return static_cast<std::uint8_t>(key.hash >> 48U); }

  // The first lines of all sets lie side by side, then the second ones, and so on. A launch that touches little leaves
  // most ways of most sets empty: set by set, what it touches would lie kibibytes apart, where this machine's caches
  // have few places for it.
  [[nodiscard]] std::size_t place_of(const Line& line) const { return static_cast<std::size_t>(&line - lines_.data()); }
  [[nodiscard]] std::size_t set_at(std::size_t place) const { return place & ((std::size_t{1} << log2_places_) - 1); }
  [[nodiscard]] std::size_t way_at(std::size_t place) const { return place >> log2_places_; }
  [[nodiscard]] Line& line_at(const Set& set, unsigned way) {
    return lines_[(std::size_t{way} << log2_places_) + static_cast<std::size_t>(&set - sets_.data())];
  }

  /// Returns the first line whose hash seems to be the key's, else the one that the next insertion takes.
  [[nodiscard]] unsigned likely_way(const Set& set, const LineKey& key) const {
    unsigned found = set.used < ways_ ? unsigned{set.used} : unsigned{set.oldest};
    for_alike(set, key, [&](unsigned way) {
      found = way;
      return true;
    });
    return found;
  }

  [[nodiscard]] unsigned way_of(const Set& set, const LineKey& key) {
    std::uint8_t& likely = likely_[likely_at(key)];
    const bool may_be = likely < set.used && set.prints[likely] == print_of(key);
    if (may_be && line_at(set, likely).number == key.number) return likely;
    unsigned found = none;
    for_alike(set, key, [&](unsigned way) {
      const bool same = line_at(set, way).number == key.number;
      if (same) found = way;
      return same;
    });
    if (found != none) likely = static_cast<std::uint8_t>(found);
    return found;
  }

  /// Calls `ends` for the lines whose byte of the hash is the key's, until it returns true. Eight bytes are compared at
  /// a time (Warren, Hacker's Delight, 6-1: bytes that are zero). This also finds a few lines with another byte, so
  /// `ends` has to look at the line.
  template <class Use>
  static void for_alike(const Set& set, const LineKey& key, const Use& ends) {
    static_assert(std::endian::native == std::endian::little);
    constexpr std::uint64_t ones = 0x0101'0101'0101'0101;
    const std::uint64_t wanted = ones * print_of(key);
    for (unsigned first = 0; first < set.used; first += sizeof(std::uint64_t)) {
      std::uint64_t prints = 0;
      std::memcpy(&prints, set.prints.data() + first, sizeof prints);
      prints ^= wanted;
      for (std::uint64_t alike = (prints - ones) & ~prints & ones << 7U; alike != 0; alike &= alike - 1) {
        const unsigned way = first + static_cast<unsigned>(std::countr_zero(alike)) / 8;
        if (way < set.used && ends(way)) return;
      }
    }
  }

  std::size_t ways_;
  unsigned log2_places_;  ///< of each way in `lines_`: one for each set, rounded up to a power of two
  std::vector<Set> sets_;
  std::vector<Line> lines_;
  std::vector<std::uint8_t> likely_;  ///< by hash, the way in which a line was last: it is mostly there again
  std::size_t used_ = 0;
};

using LineCache = LineCacheOf<CachedLine>;

}  // namespace gpumem::model
