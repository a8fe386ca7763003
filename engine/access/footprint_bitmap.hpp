#pragma once
// Marks the words of a window of memory that a launch touches, a bit each, for footprints of launches that touch much.

#include <array>
#include <cstdint>
#include <memory>
#include <span>

#include "engine/access/lanes.hpp"
#include "engine/access/site.hpp"

namespace gpumem::access {

/// A part of memory that a map covers, and how finely.
struct Window {
  std::uint64_t first_byte = 0;  ///< a multiple of `window_bytes`
  std::uint64_t bytes = 0;       ///< a multiple of `window_bytes`
  unsigned granule_bytes = 1;    ///< 1, 2, 4, 8, 16 or 32: the memory that a bit stands for
  [[nodiscard]] std::uint64_t map_bytes() const { return bytes / granule_bytes / 8; }
  [[nodiscard]] std::uint64_t end() const { return first_byte + bytes; }
};

/// Windows are whole multiples of these 64 sectors, which are whole atoms, lines, pairs of lines, and whole rounds of
/// the channels.
inline constexpr std::uint64_t window_bytes = std::uint64_t{64} * sector_bytes;

/// Blocks that are touched, see Footprint.
struct BlockCounts {
  std::uint64_t sectors = 0;
  std::uint64_t partial_sectors = 0;
  std::uint64_t atoms = 0;
  std::uint64_t partial_atoms = 0;
  std::uint64_t lines = 0;
  std::uint64_t line_pairs = 0;
  std::uint32_t channels = 0;  ///< a bit each

  void add(const BlockCounts& other);
  [[nodiscard]] Footprint footprint() const;
};

/// One thread's map: no other thread may mark it at the same time. Parts of the map without marks take no memory.
class FootprintBitmap {
 public:
  /// Throws a usage error if there is no memory for it.
  explicit FootprintBitmap(const Window& window);

  /// Marks the words of `word_bytes` at the lanes' addresses, as far as they are in the window. Marks every granule
  /// that they touch, so choose granules that words consist of.
  void mark(const Lanes& lanes, unsigned word_bytes);

  /// Marks the granule at a byte of the window and `steps` - 1 more, each `step_bytes` further on. A step is a power of
  /// two granules, at most 64. None may be beyond the window.
  void mark_steps(std::uint64_t byte, std::uint64_t step_bytes, std::uint64_t steps);

  /// Makes the last marks, which bits() may lack until then.
  void settle();

  [[nodiscard]] const Window& window() const { return window_; }
  [[nodiscard]] const std::uint64_t* bits() const { return bits_.get(); }
  /// For marks that others make: a bit for each granule, from the lowest of the first word on.
  [[nodiscard]] std::uint64_t* bits() { return bits_.get(); }

 private:
  struct Free {
    void operator()(std::uint64_t* bits) const;
  };

  /// Marks that wait until their part of the map has come into the core's cache.
  struct Waiting {
    std::uint64_t at = 0;
    std::uint64_t marks = 0;
  };
  static constexpr unsigned most_waiting = 128;

  void mark_words(const Lanes& lanes);
  void mark_later(std::uint64_t at, std::uint64_t marks);
  void mark_range(std::uint64_t first_granule, std::uint64_t end_granule);

  Window window_;
  unsigned shift_ = 0;  ///< log2 of the granule
  std::unique_ptr<std::uint64_t, Free> bits_;
  std::array<Waiting, most_waiting> waiting_ = {};
  unsigned next_ = 0;  ///< the one that waits longest
};

/// The blocks in bytes [first_byte, end_byte) of the window that any of the maps, which are of the same window, has a
/// mark in, all settled. Both bounds are multiples of `window_bytes` from the beginning of memory, as the window's are.
[[nodiscard]] BlockCounts count(std::span<const FootprintBitmap> maps, std::uint64_t first_byte,
                                std::uint64_t end_byte);

/// The same of a part of the window, by so many threads; 0: as many as there are processors.
[[nodiscard]] BlockCounts count_all(std::span<const FootprintBitmap> maps, const Window& part, unsigned threads);

}  // namespace gpumem::access
