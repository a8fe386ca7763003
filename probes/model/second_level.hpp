#pragma once
// L2 and the memory behind it, of a launch that is played.

#include <array>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <unordered_set>
#include <vector>

#include "probes/model/line_cache.hpp"
#include "probes/model/traffic.hpp"

namespace gpumem::model {

/// What one request asks of a line.
struct Piece {
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;                               ///< a bit each
  std::array<std::uint32_t, sectors_of_line> bytes = {};  ///< of each sector, a bit each
};

/// The last groups of lines that something was done with.
class LastGroups {
 public:
  /// Whether the group was among the last `most`; it is from now on.
  bool has(std::uint64_t group, std::size_t most);

 private:
  std::unordered_set<std::uint64_t> known_;
  std::deque<std::uint64_t> order_;
};

/// It is in parts where l2_near_share says so: each of the multiprocessors near it, for all that those read. Every line
/// has a home in one of the parts, which alone exchanges it with the memory.
class SecondLevel {
 public:
  /// `soon` is how many groups of lines may come between two lines of one, for memory to see them as one.
  SecondLevel(std::size_t lines, unsigned parts, std::size_t soon, Traffic& traffic);

  void read(const Piece& piece, unsigned sectors, unsigned part);
  /// The line in its home, for bytes to be written to.
  CachedLine& to_write(std::uint64_t number);

  [[nodiscard]] std::size_t lines() const;
  /// What is written at last.
  void flush();

 private:
  [[nodiscard]] unsigned home_of(std::uint64_t line) const;
  CachedLine& insert(unsigned part, std::uint64_t number);
  void fetch(unsigned home, std::uint64_t number, unsigned lacking);
  void make_way(const CachedLine& line);
  /// Writes the line to memory and keeps it.
  void clean(CachedLine& line);
  /// Whether there was anything to write.
  bool write_back(const CachedLine& line);

  std::vector<LineCache> parts_;
  std::size_t soon_;
  LastGroups fetched_pairs_;
  LastGroups written_pairs_;
  LastGroups mixed_groups_;
  Traffic* traffic_;
};

}  // namespace gpumem::model
