#include "engine/model/l2_cache.hpp"

#include <algorithm>
#include <bit>

namespace gpumem::model {

namespace {

std::uint8_t atoms_of(unsigned sectors) {
  return static_cast<std::uint8_t>(((sectors & 3U) != 0 ? 3U : 0U) | ((sectors & 12U) != 0 ? 12U : 0U));
}

}  // namespace

LastGroups::LastGroups(std::size_t most) : slots_(4 * std::bit_ceil(most), nothing), order_(most, nothing) {}

std::size_t LastGroups::slot_of(std::uint64_t group) const {
  return (group * 0x9e37'79b9'7f4a'7c15) >> (64U - static_cast<unsigned>(std::countr_zero(slots_.size())));
}

bool LastGroups::has(std::uint64_t group) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t at = slot_of(group);
  for (; slots_[at] != nothing; at = (at + 1) & mask) {
    if (slots_[at] == group) return true;
  }
  slots_[at] = group;
  const std::uint64_t oldest = order_[next_];
  order_[next_] = group;
  next_ = next_ + 1 == order_.size() ? 0 : next_ + 1;
  if (oldest != nothing) forget(oldest);
  return false;
}

/// Groups that lie behind the removed one move up, unless that would put them before their own slot (Knuth, TAOCP 3,
/// 6.4, algorithm R).
void LastGroups::forget(std::uint64_t group) {
  const std::size_t mask = slots_.size() - 1;
  std::size_t hole = slot_of(group);
  while (slots_[hole] != group) hole = (hole + 1) & mask;
  for (std::size_t at = (hole + 1) & mask; slots_[at] != nothing; at = (at + 1) & mask) {
    if (((at - slot_of(slots_[at])) & mask) < ((at - hole) & mask)) continue;
    slots_[hole] = slots_[at];
    hole = at;
  }
  slots_[hole] = nothing;
}

L2Cache::L2Cache(std::size_t lines, unsigned parts, double written_share, std::size_t soon, Traffic& traffic)
    : fetched_pairs_(soon), written_pairs_(soon), mixed_groups_(soon), traffic_(&traffic) {
  parts_.reserve(parts);
  for (unsigned part = 0; part < parts; ++part) parts_.emplace_back(std::max<std::size_t>(1, lines / parts));
  const auto ways = static_cast<double>(parts_.front().ways());
  most_written_ = std::max<std::size_t>(1, static_cast<std::size_t>(written_share * ways));
}

void L2Cache::expect(std::span<const LineRequest> requests, unsigned part) {
  constexpr std::size_t few = 4;
  if (requests.size() < few) return;
  for (const LineRequest& request : requests) parts_[part].fetch_set(request.line);
  for (const LineRequest& request : requests) parts_[part].fetch_line(request.line);
}

void L2Cache::expect(std::span<const LineRequest> requests) {
  for (unsigned part = 0; part < parts_.size(); ++part) {
    if (parts_[part].used() > 0) expect(requests, part);
  }
}

void L2Cache::read(const LineRequest& request, unsigned sectors, unsigned part) {
  LineCache& near = parts_[part];
  CachedLine* line = near.find(request.line);
  const unsigned lacking = sectors & ~(line != nullptr ? line->valid : 0U);
  if (lacking == 0) return;
  const unsigned home = home_of(request.line);
  if (home != part) {
    if (line == nullptr) line = &insert(part, request.line);
    line->valid = static_cast<std::uint8_t>(line->valid | lacking);
    const CachedLine* there = parts_[home].find(request.line);
    if (there != nullptr && (lacking & ~there->valid) == 0) return;
    fetch(home, request.line, there != nullptr ? lacking & ~there->valid : lacking);
    return;
  }
  fetch(home, request.line, lacking);
}

CachedLine& L2Cache::to_write(const LineKey& key) {
  const unsigned home = home_of(key);
  for (unsigned part = 0; part < parts_.size(); ++part) {
    if (part == home || parts_[part].used() == 0) continue;
    if (CachedLine* copy = parts_[part].find(key)) copy->valid = 0;
  }
  LineCache& cache = parts_[home];
  CachedLine* line = cache.find(key);
  if (line == nullptr) line = &insert(home, key);
  if (!cache.is_marked(*line)) {
    if (CachedLine* oldest = cache.oldest_marked(key, most_written_)) clean(home, *oldest);
    cache.mark(*line, true);
  }
  return *line;
}

std::size_t L2Cache::lines() const {
  std::size_t sum = 0;
  for (const LineCache& part : parts_) sum += part.used();
  return sum;
}

void L2Cache::flush() {
  for (LineCache& part : parts_) {
    part.for_each([&](CachedLine& line) {
      make_way(line);
      line.written = {};
      part.mark(line, false);
    });
  }
}

unsigned L2Cache::home_of(const LineKey& line) const {
  return static_cast<unsigned>((line.hash >> 32U) % parts_.size());
}

CachedLine& L2Cache::insert(unsigned part, const LineKey& line) {
  CachedLine evicted;
  bool was_full = false;
  CachedLine& inserted = parts_[part].insert(line, evicted, was_full);
  if (was_full) make_way(evicted);
  return inserted;
}

/// Writes the line back. Memory takes a pair of lines at once, so the other line of the pair is written with it, and
/// stays in L2.
void L2Cache::make_way(const CachedLine& line) {
  if (!write_back(line)) return;
  const LineKey key(line.number ^ 1U);
  const unsigned home = home_of(key);
  CachedLine* other = parts_[home].find_unused(key);
  if (other != nullptr && write_back(*other)) forget_written(home, *other);
}

void L2Cache::clean(unsigned home, CachedLine& line) {
  make_way(line);
  forget_written(home, line);
}

void L2Cache::forget_written(unsigned home, CachedLine& line) {
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    if (line.written[sector] != 0) line.valid = static_cast<std::uint8_t>(line.valid | 1U << sector);
  }
  line.written = {};
  line.visits = 0;
  parts_[home].mark(line, false);
}

void L2Cache::fetch(unsigned home, const LineKey& key, unsigned lacking) {
  CachedLine* line = parts_[home].find(key);
  if (line == nullptr) line = &insert(home, key);
  const unsigned fetched = atoms_of(lacking) & ~unsigned{line->valid};
  line->valid = static_cast<std::uint8_t>(line->valid | fetched);
  traffic_->fetched_bytes += access::dram_atom_bytes / 2.0 * number_of_sectors(fetched);
  traffic_->fetched_lines += 1;
  if (!fetched_pairs_.has(key.number / 2)) traffic_->fetched_line_pairs += 1;
}

bool L2Cache::write_back(const CachedLine& line) {
  unsigned sectors = 0;
  unsigned filled = 0;
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    const std::uint32_t bytes = line.written[sector];
    if (bytes == 0) continue;
    ++sectors;
    if (bytes != ~std::uint32_t{0} && (line.valid >> sector & 1U) == 0) {
      ++filled;
    } else {
      traffic_->incomplete_sectors += line.left_incomplete >> sector & 1U;
    }
  }
  if (sectors == 0) return false;
  const double pair = written_pairs_.has(line.number / 2) ? 0 : 1;
  traffic_->written_bytes += access::sector_bytes * static_cast<double>(sectors);
  traffic_->filled_bytes += access::sector_bytes * static_cast<double>(filled);
  if (filled > 0 && filled < sectors) {
    traffic_->mixed_lines += 1;
    if (!mixed_groups_.has(line.number / lines_of_group)) traffic_->mixed_groups += 1;
  }
  if (filled < sectors) {
    traffic_->written_lines += 1;
    traffic_->written_line_pairs += pair;
    return true;
  }
  // Sectors that came at different times are written, and fetched before, at different times.
  const unsigned times = std::clamp(line.visits, 1U, filled);
  traffic_->filled_lines += times;
  traffic_->filled_line_pairs += pair + times - 1;
  return true;
}

}  // namespace gpumem::model
