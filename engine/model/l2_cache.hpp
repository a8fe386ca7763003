#pragma once
// L2 and the memory behind it, for launches that are simulated.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/line_cache.hpp"
#include "engine/model/traffic.hpp"

namespace gpumem::model {

/// The part of a line that one request asks for.
struct LineRequest {
  LineKey line;
  std::uint8_t sectors = 0;                               ///< a bit each
  std::array<std::uint32_t, sectors_of_line> bytes = {};  ///< of each sector, a bit each
};

/// The last groups of lines that something was done with.
class LastGroups {
 public:
  /// Remembers the last `most`, at least one.
  explicit LastGroups(std::size_t most);

  /// True if the group is among those remembered. Remembers it from now on.
  bool has(std::uint64_t group);

 private:
  [[nodiscard]] std::size_t slot_of(std::uint64_t group) const;
  void forget(std::uint64_t group);

  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  std::vector<std::uint64_t> slots_;  ///< a hash table in which a group lies at its slot or soon behind
  std::vector<std::uint64_t> order_;  ///< a ring
  std::size_t next_ = 0;              ///< of the ring, the oldest
};

/// L2, in two parts if l2_near_share is below 1. Each part serves all reads of the multiprocessors near it. Every line
/// has a home in one of the parts, which alone exchanges the line with memory.
class L2Cache {
 public:
  /// Up to the share `written_share` of a set's lines wait to be written to memory. Memory sees the lines of a group as
  /// one access if at most `soon` other groups come between them.
  L2Cache(std::size_t lines, unsigned parts, double written_share, std::size_t soon, Traffic& traffic);

  /// Prefetches the state of these requests' lines from this machine's memory, all at a time, before a part reads them
  /// or they are written.
  void expect(std::span<const LineRequest> requests, unsigned part);
  void expect(std::span<const LineRequest> requests);
  void read(const LineRequest& request, unsigned sectors, unsigned part);
  /// The line in its home, for bytes to be written to: it counts as written from now on.
  CachedLine& to_write(const LineKey& key);

  [[nodiscard]] std::size_t lines() const;
  [[nodiscard]] std::size_t capacity() const { return parts_.size() * parts_.front().size(); }  ///< in lines
  [[nodiscard]] std::size_t bytes() const { return parts_.size() * parts_.front().bytes(); }    ///< of this machine's
  /// Writes all lines to memory that still wait for it.
  void flush();

 private:
  [[nodiscard]] unsigned home_of(const LineKey& line) const;
  CachedLine& insert(unsigned part, const LineKey& line);
  void fetch(unsigned home, const LineKey& key, unsigned lacking);
  void make_way(const CachedLine& line);
  /// Writes the line to memory and keeps it.
  void clean(unsigned home, CachedLine& line);
  /// Marks the line as written to memory; it keeps its bytes.
  void forget_written(unsigned home, CachedLine& line);
  /// Writes the line to memory; returns true if there was anything to write.
  bool write_back(const CachedLine& line);

  std::vector<LineCache> parts_;  ///< what waits to be written to memory is marked in them
  std::size_t most_written_ = 1;  ///< lines of a set that may wait for that
  LastGroups fetched_pairs_;
  LastGroups written_pairs_;
  LastGroups mixed_groups_;
  Traffic* traffic_;
};

}  // namespace gpumem::model
