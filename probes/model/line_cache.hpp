#pragma once
// A cache of lines that are fetched by the sector, for playing launches through.

#include <array>
#include <cstddef>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "probes/access/request.hpp"

namespace gpumem::model {

inline constexpr unsigned sectors_of_line = access::line_bytes / access::sector_bytes;

struct CachedLine {
  std::uint64_t number = 0;
  std::uint8_t valid = 0;                                   ///< a bit for each sector that has been read
  std::array<std::uint32_t, sectors_of_line> written = {};  ///< a bit for each byte that memory does not have yet
};

/// What is least recently used makes way.
class LineCache {
 public:
  explicit LineCache(std::size_t lines) : slots_(lines) { places_.reserve(lines); }

  /// The line, if it is there; it is the most recently used one then.
  [[nodiscard]] CachedLine* find(std::uint64_t number);
  /// Makes place for a line that is not there, which begins empty. `evicted` gets what was there, where something was:
  /// then true is returned.
  CachedLine& insert(std::uint64_t number, CachedLine& evicted, bool& was_full);

  [[nodiscard]] std::size_t used() const { return used_; }
  [[nodiscard]] std::size_t size() const { return slots_.size(); }

  template <class Visit>
  void for_each(const Visit& visit) {
    for (std::size_t i = 0; i < used_; ++i) visit(slots_[i].line);
  }

 private:
  static constexpr std::uint32_t none = ~std::uint32_t{0};
  struct Slot {
    CachedLine line;
    std::uint32_t newer = none;
    std::uint32_t older = none;
  };
  void unlink(std::uint32_t at);
  void make_newest(std::uint32_t at);

  std::vector<Slot> slots_;
  std::unordered_map<std::uint64_t, std::uint32_t> places_;
  std::size_t used_ = 0;
  std::uint32_t newest_ = none;
  std::uint32_t oldest_ = none;
};

}  // namespace gpumem::model
