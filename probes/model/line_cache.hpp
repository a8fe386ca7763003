#pragma once
// A cache of lines that are fetched by the sector, for playing launches through.

#include <array>
#include <cstddef>
#include <cstdint>
#include <vector>

#include "probes/access/request.hpp"

namespace gpumem::model {

inline constexpr unsigned sectors_of_line = access::line_bytes / access::sector_bytes;

/// The finalizer of MurmurHash3 (A. Appleby, public domain): patterns that multiply by a constant, as hashes of users
/// do, are not to meet the multiplication of this one.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 33U) * 0xff51'afd7'ed55'8ccd;
  number = (number ^ number >> 33U) * 0xc4ce'b9fe'1a85'ec53;
  return number ^ number >> 33U;
}

struct CachedLine {
  std::uint64_t number = 0;
  std::array<std::uint32_t, sectors_of_line> written = {};  ///< a bit for each byte that memory does not have yet
  std::uint8_t valid = 0;                                   ///< a bit for each sector that has been read
  // Of stores, as who plays the launch counts them:
  std::uint8_t stored = 0;       ///< a bit for each sector that the last block stored
  std::uint8_t pieces = 0;       ///< a bit for each sector that a block left to others to complete
  std::uint32_t visits = 0;      ///< times that another block began to store to it
  std::uint32_t block_turn = 0;  ///< in which it was stored last, by that block
  std::uint32_t turn = 0;        ///< the same, of all resident blocks
  std::uint32_t wave = 0;        ///< of these, in which a block left something to others
  double stores_in_turn = 0;
};

/// In sets, as caches are; of a set the least recently used line makes way.
class LineCache {
 public:
  /// Of `lines` or a few more, so that all sets are alike.
  explicit LineCache(std::size_t lines);

  /// The line, if it is there; it is the most recently used one then.
  [[nodiscard]] CachedLine* find(std::uint64_t number);
  /// The same, but it makes way as soon as if it had not been looked for.
  [[nodiscard]] CachedLine* find_unused(std::uint64_t number);
  /// Makes place for a line that is not there, which begins empty. `evicted` gets what was there, where something was:
  /// then `was_full` is true.
  CachedLine& insert(std::uint64_t number, CachedLine& evicted, bool& was_full);

  /// Of the lines that share the places of `number`, the least recently used one of those that `wanted` is true of, if
  /// these are at least `many`.
  template <class Wanted>
  [[nodiscard]] CachedLine* oldest_of(std::uint64_t number, std::size_t many, const Wanted& wanted) {
    const std::size_t first = set_of(number) * ways_;
    std::size_t found = 0;
    std::size_t oldest = first;
    for (std::size_t i = first; i < first + ways_; ++i) {
      if (used_at_[i] == 0 || !wanted(lines_[i])) continue;
      if (found++ == 0 || used_at_[i] < used_at_[oldest]) oldest = i;
    }
    return found >= many ? &lines_[oldest] : nullptr;
  }

  void clear();
  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t size() const { return lines_.size(); }
  [[nodiscard]] std::size_t ways() const { return ways_; }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < lines_.size(); ++i) {
      if (used_at_[i] != 0) visit(lines_[i]);
    }
  }

 private:
  [[nodiscard]] std::size_t set_of(std::uint64_t number) const;
  [[nodiscard]] std::size_t place_of(std::uint64_t number) const;

  std::size_t sets_;
  std::size_t ways_;
  std::vector<CachedLine> lines_;       ///< set by set
  std::vector<std::uint64_t> numbers_;  ///< of these
  std::vector<std::uint64_t> used_at_;  ///< when each was used last; 0 is empty
  std::uint64_t now_ = 0;
  std::size_t used_ = 0;
};

}  // namespace gpumem::model
