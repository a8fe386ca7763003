#include "probes/model/line_cache.hpp"

namespace gpumem::model {

void LineCache::unlink(std::uint32_t at) {
  const Slot& slot = slots_[at];
  (slot.newer == none ? newest_ : slots_[slot.newer].older) = slot.older;
  (slot.older == none ? oldest_ : slots_[slot.older].newer) = slot.newer;
}

void LineCache::make_newest(std::uint32_t at) {
  slots_[at].newer = none;
  slots_[at].older = newest_;
  if (newest_ != none) slots_[newest_].newer = at;
  newest_ = at;
  if (oldest_ == none) oldest_ = at;
}

CachedLine* LineCache::find(std::uint64_t number) {
  const auto found = places_.find(number);
  if (found == places_.end()) return nullptr;
  const std::uint32_t at = found->second;
  if (at != newest_) {
    unlink(at);
    make_newest(at);
  }
  return &slots_[at].line;
}

CachedLine& LineCache::insert(std::uint64_t number, CachedLine& evicted, bool& was_full) {
  was_full = used_ == slots_.size();
  std::uint32_t at = static_cast<std::uint32_t>(used_);
  if (was_full) {
    at = oldest_;
    evicted = slots_[at].line;
    places_.erase(evicted.number);
    unlink(at);
  } else {
    ++used_;
  }
  slots_[at].line = CachedLine{.number = number};
  places_.emplace(number, at);
  make_newest(at);
  return slots_[at].line;
}

}  // namespace gpumem::model
