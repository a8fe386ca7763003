#pragma once
// L2 and the memory behind it, of a launch that is simulated.

#include <array>
#include <cstddef>
#include <cstdint>
#include <span>
#include <vector>

#include "engine/model/line_cache.hpp"
#include "engine/model/traffic.hpp"

namespace gpumem::model {

/// What one request asks of a line.
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

  /// Whether the group is among those remembered; it is from now on.
  bool has(std::uint64_t group);

 private:
  [[nodiscard]] std::size_t slot_of(std::uint64_t group) const;
  void forget(std::uint64_t group);

  static constexpr std::uint64_t nothing = ~std::uint64_t{0};
  std::vector<std::uint64_t> slots_;  ///< a hash table in which a group lies at its slot or soon behind
  std::vector<std::uint64_t> order_;  ///< a ring
  std::size_t next_ = 0;              ///< of the ring, the oldest
};

/// It is in parts where l2_near_share says so: each of the multiprocessors near it, for all that those read. Every line
/// has a home in one of the parts, which alone exchanges it with the memory.
class L2Cache {
 public:
  /// Of the lines that share their places up to `written_share` wait to be written to memory. `soon` is how many groups
  /// of lines may come between two lines of one, for memory to see them as one.
  L2Cache(std::size_t lines, unsigned parts, double written_share, std::size_t soon, Traffic& traffic);

  /// Has what is known of the lines of these requests come from this machine's memory, all at a time: to be read by a
  /// part, or to be written.
  void expect(std::span<const LineRequest> requests, unsigned part);
  void expect(std::span<const LineRequest> requests);
  void read(const LineRequest& request, unsigned sectors, unsigned part);
  /// The line in its home, for bytes to be written to: it counts as written from now on.
  CachedLine& to_write(const LineKey& key);

  [[nodiscard]] std::size_t lines() const;
  /// What is written at last.
  void flush();

 private:
  [[nodiscard]] unsigned home_of(const LineKey& line) const;
  CachedLine& insert(unsigned part, const LineKey& line);
  void fetch(unsigned home, const LineKey& key, unsigned lacking);
  void make_way(const CachedLine& line);
  /// Writes the line to memory and keeps it.
  void clean(unsigned home, CachedLine& line);
  /// Memory has it now, and the line still does.
  void forget_written(unsigned home, CachedLine& line);
  /// Whether there was anything to write.
  bool write_back(const CachedLine& line);

  std::vector<LineCache> parts_;  ///< what waits to be written to memory is marked in them
  std::size_t most_written_ = 1;  ///< lines of a set that may wait for that
  LastGroups fetched_pairs_;
  LastGroups written_pairs_;
  LastGroups mixed_groups_;
  Traffic* traffic_;
};

}  // namespace gpumem::model
