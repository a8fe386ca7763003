#include "probes/model/second_level.hpp"

#include <algorithm>
#include <bit>

namespace gpumem::model {

namespace {

std::uint8_t atoms_of(unsigned sectors) {
  return static_cast<std::uint8_t>(((sectors & 3U) != 0 ? 3U : 0U) | ((sectors & 12U) != 0 ? 12U : 0U));
}

bool has_written(const CachedLine& line) {
  return (line.written[0] | line.written[1] | line.written[2] | line.written[3]) != 0;
}

/// Memory has it now, and the line still does.
void forget_written(CachedLine& line) {
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    if (line.written[sector] != 0) line.valid = static_cast<std::uint8_t>(line.valid | 1U << sector);
  }
  line.written = {};
  line.visits = 0;
}

/// Of the lines that share their places those that wait to be written to memory: more are not kept waiting
/// (docs/patterns.md).
constexpr double written_share = 0.7;

}  // namespace

bool LastGroups::has(std::uint64_t group, std::size_t most) {
  if (!known_.insert(group).second) return true;
  order_.push_back(group);
  if (order_.size() > most) {
    known_.erase(order_.front());
    order_.pop_front();
  }
  return false;
}

SecondLevel::SecondLevel(std::size_t lines, unsigned parts, std::size_t soon, Traffic& traffic)
    : parts_(parts, LineCache(std::max<std::size_t>(1, lines / parts))), soon_(soon), traffic_(&traffic) {}

void SecondLevel::read(const Piece& piece, unsigned sectors, unsigned part) {
  LineCache& near = parts_[part];
  CachedLine* line = near.find(piece.line);
  const unsigned lacking = sectors & ~(line != nullptr ? line->valid : 0U);
  if (lacking == 0) return;
  const unsigned home = home_of(piece.line);
  if (home != part) {
    if (line == nullptr) line = &insert(part, piece.line);
    line->valid = static_cast<std::uint8_t>(line->valid | lacking);
    const CachedLine* there = parts_[home].find(piece.line);
    if (there != nullptr && (lacking & ~there->valid) == 0) return;
    fetch(home, piece.line, there != nullptr ? lacking & ~there->valid : lacking);
    return;
  }
  fetch(home, piece.line, lacking);
}

CachedLine& SecondLevel::to_write(std::uint64_t number) {
  const unsigned home = home_of(number);
  for (unsigned part = 0; part < parts_.size(); ++part) {
    if (part == home) continue;
    if (CachedLine* copy = parts_[part].find(number)) copy->valid = 0;
  }
  LineCache& cache = parts_[home];
  CachedLine* line = cache.find(number);
  if (line == nullptr) line = &insert(home, number);
  if (!has_written(*line)) {
    const auto most =
        std::max<std::size_t>(1, static_cast<std::size_t>(written_share * static_cast<double>(cache.ways())));
    if (CachedLine* oldest = cache.oldest_of(number, most, has_written)) clean(*oldest);
  }
  return *line;
}

std::size_t SecondLevel::lines() const {
  std::size_t sum = 0;
  for (const LineCache& part : parts_) sum += part.used();
  return sum;
}

void SecondLevel::flush() {
  for (LineCache& part : parts_) {
    part.for_each([&](CachedLine& line) {
      make_way(line);
      line.written = {};
    });
  }
}

unsigned SecondLevel::home_of(std::uint64_t line) const {
  return static_cast<unsigned>((mixed(line) >> 32U) % parts_.size());
}

CachedLine& SecondLevel::insert(unsigned part, std::uint64_t number) {
  CachedLine evicted;
  bool was_full = false;
  CachedLine& line = parts_[part].insert(number, evicted, was_full);
  if (was_full) make_way(evicted);
  return line;
}

/// What memory takes at once, the other line of the pair, is written with it, and stays.
void SecondLevel::make_way(const CachedLine& line) {
  if (!write_back(line)) return;
  CachedLine* other = parts_[home_of(line.number ^ 1U)].find_unused(line.number ^ 1U);
  if (other != nullptr && write_back(*other)) forget_written(*other);
}

void SecondLevel::clean(CachedLine& line) {
  make_way(line);
  forget_written(line);
}

void SecondLevel::fetch(unsigned home, std::uint64_t number, unsigned lacking) {
  CachedLine* line = parts_[home].find(number);
  if (line == nullptr) line = &insert(home, number);
  const unsigned fetched = atoms_of(lacking) & ~unsigned{line->valid};
  line->valid = static_cast<std::uint8_t>(line->valid | fetched);
  traffic_->fetched_bytes += access::dram_atom_bytes / 2.0 * std::popcount(fetched);
  traffic_->fetched_lines += 1;
  if (!fetched_pairs_.has(number / 2, soon_)) traffic_->fetched_line_pairs += 1;
}

bool SecondLevel::write_back(const CachedLine& line) {
  unsigned sectors = 0;
  unsigned filled = 0;
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    const std::uint32_t bytes = line.written[sector];
    if (bytes == 0) continue;
    ++sectors;
    if (bytes != ~std::uint32_t{0} && (line.valid >> sector & 1U) == 0) {
      ++filled;
    } else {
      traffic_->pieced_sectors += line.pieces >> sector & 1U;
    }
  }
  if (sectors == 0) return false;
  const double pair = written_pairs_.has(line.number / 2, soon_) ? 0 : 1;
  traffic_->written_bytes += access::sector_bytes * static_cast<double>(sectors);
  traffic_->filled_bytes += access::sector_bytes * static_cast<double>(filled);
  if (filled > 0 && filled < sectors) {
    traffic_->mixed_lines += 1;
    if (!mixed_groups_.has(line.number / lines_of_group, soon_)) traffic_->mixed_groups += 1;
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
