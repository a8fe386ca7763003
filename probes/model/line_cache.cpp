#include "probes/model/line_cache.hpp"

#include <algorithm>

namespace gpumem::model {

namespace {

constexpr std::size_t most_ways = 32;

}  // namespace

LineCache::LineCache(std::size_t lines)
    : sets_((lines + most_ways - 1) / most_ways),
      ways_((lines + sets_ - 1) / sets_),
      lines_(ways_ * sets_),
      numbers_(ways_ * sets_),
      used_at_(ways_ * sets_) {}

std::size_t LineCache::set_of(std::uint64_t number) const {
  // A hash scaled down to the number of sets (D. Lemire, Fast Random Integer Generation in an Interval, 2019).
  return static_cast<std::size_t>((mixed(number) & 0xffff'ffff) * sets_ >> 32U);
}

/// As many as there are, where it is not there.
std::size_t LineCache::place_of(std::uint64_t number) const {
  const std::size_t first = set_of(number) * ways_;
  for (std::size_t i = first; i < first + ways_; ++i) {
    if (numbers_[i] == number && used_at_[i] != 0) return i;
  }
  return lines_.size();
}

CachedLine* LineCache::find(std::uint64_t number) {
  const std::size_t place = place_of(number);
  if (place == lines_.size()) return nullptr;
  used_at_[place] = ++now_;
  return &lines_[place];
}

CachedLine* LineCache::find_unused(std::uint64_t number) {
  const std::size_t place = place_of(number);
  return place == lines_.size() ? nullptr : &lines_[place];
}

CachedLine& LineCache::insert(std::uint64_t number, CachedLine& evicted, bool& was_full) {
  const auto first = used_at_.begin() + static_cast<std::ptrdiff_t>(set_of(number) * ways_);
  const auto oldest = std::min_element(first, first + static_cast<std::ptrdiff_t>(ways_));
  const auto at = static_cast<std::size_t>(oldest - used_at_.begin());
  was_full = *oldest != 0;
  if (was_full) {
    evicted = lines_[at];
  } else {
    ++used_;
  }
  *oldest = ++now_;
  numbers_[at] = number;
  lines_[at] = CachedLine{.number = number};
  return lines_[at];
}

void LineCache::clear() {
  std::ranges::fill(used_at_, 0);
  used_ = 0;
}

}  // namespace gpumem::model
