#include "probes/model/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <deque>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "probes/access/lanes.hpp"
#include "probes/model/line_cache.hpp"
#include "probes/model/occupancy.hpp"

namespace gpumem::model {

namespace {

using access::WarpRequest;

constexpr double Traffic::*all_members[] = {
    &Traffic::l1_wavefronts,    &Traffic::l2_read_requests,  &Traffic::l2_read_sectors,    &Traffic::l2_write_requests,
    &Traffic::l2_write_sectors, &Traffic::l2_split_sectors,  &Traffic::fetched_lines,      &Traffic::fetched_line_pairs,
    &Traffic::fetched_bytes,    &Traffic::written_lines,     &Traffic::written_line_pairs, &Traffic::written_bytes,
    &Traffic::filled_lines,     &Traffic::filled_line_pairs, &Traffic::filled_bytes};

/// What one request asks of a line.
struct Piece {
  std::uint64_t line = 0;
  std::uint8_t sectors = 0;                               ///< a bit each
  std::array<std::uint32_t, sectors_of_line> bytes = {};  ///< of each sector, a bit each
};

/// The finalizer of MurmurHash3 (A. Appleby, public domain): patterns that multiply by a constant, as hashes of users
/// do, are not to meet the multiplication of this one.
constexpr std::uint64_t mixed(std::uint64_t number) {
  number = (number ^ number >> 33U) * 0xff51'afd7'ed55'8ccd;
  number = (number ^ number >> 33U) * 0xc4ce'b9fe'1a85'ec53;
  return number ^ number >> 33U;
}

/// Lines that are played, one pair of so many: which is a matter of its number's hash, so that no pattern of addresses
/// can hide from it (C. Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015).
class Sample {
 public:
  explicit Sample(unsigned log2_rate) : shift_(64 - log2_rate), all_(log2_rate == 0) {}
  [[nodiscard]] bool has(std::uint64_t pair) const { return all_ || mixed(pair) >> shift_ == 0; }

 private:
  unsigned shift_;
  bool all_;
};

/// The sampled lines of a request, in the array of that number.
void take_apart(const WarpRequest& request, const Sample& sample, std::uint64_t array, std::vector<Piece>& pieces) {
  pieces.clear();
  constexpr unsigned lines_of_array = 48;  // log2: 32 PiB
  std::uint64_t last_pair = ~std::uint64_t{0};
  bool has = false;
  for (std::uint32_t lanes = request.active; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t byte = request.address[std::countr_zero(lanes)];
    const std::uint64_t pair = byte / access::line_pair_bytes;
    if (pair != last_pair) {
      last_pair = pair;
      has = sample.has(pair);
    }
    if (!has) continue;
    const std::uint64_t line = byte / access::line_bytes | array << lines_of_array;
    auto piece = pieces.rbegin();
    while (piece != pieces.rend() && piece->line != line) ++piece;
    if (piece == pieces.rend()) {
      pieces.push_back({.line = line});
      piece = pieces.rbegin();
    }
    const auto sector = static_cast<unsigned>(byte % access::line_bytes / access::sector_bytes);
    piece->sectors = static_cast<std::uint8_t>(piece->sectors | 1U << sector);
    const auto within = static_cast<unsigned>(byte % access::sector_bytes);
    piece->bytes[sector] |= ((std::uint32_t{1} << request.word_bytes) - 1) << within;
  }
}

std::uint8_t atoms_of(unsigned sectors) {
  return static_cast<std::uint8_t>(((sectors & 3U) != 0 ? 3U : 0U) | ((sectors & 12U) != 0 ? 12U : 0U));
}

/// The last pairs of lines that something was done with.
class LastPairs {
 public:
  /// False if the pair is among the last `most`; else it is from now on.
  bool insert(std::uint64_t pair, std::size_t most) {
    if (!known_.insert(pair).second) return false;
    order_.push_back(pair);
    if (order_.size() > most) {
      known_.erase(order_.front());
      order_.pop_front();
    }
    return true;
  }

 private:
  std::unordered_set<std::uint64_t> known_;
  std::deque<std::uint64_t> order_;
};

/// L2 and the memory behind it. It is in parts where l2_near_share says so: each of the multiprocessors near it, for
/// all that those read. Every line has a home in one of the parts, which alone exchanges it with the memory.
class SecondLevel {
 public:
  SecondLevel(std::size_t lines, unsigned parts, std::size_t soon, Traffic& traffic)
      : parts_(parts, LineCache(std::max<std::size_t>(1, lines / parts))), soon_(soon), traffic_(&traffic) {}

  void read(const Piece& piece, unsigned sectors, unsigned part) {
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

  void write(const Piece& piece, unsigned through) {
    const unsigned home = home_of(piece.line);
    for (unsigned part = 0; part < parts_.size(); ++part) {
      if (part == home) continue;
      if (CachedLine* copy = parts_[part].find(piece.line)) {
        copy->valid = 0;
      } else if (part == through) {
        insert(part, piece.line);  // it takes a place there too: stores at random find as much in L2 as loads do
      }
    }
    CachedLine* line = parts_[home].find(piece.line);
    if (line == nullptr) line = &insert(home, piece.line);
    for (unsigned sector = 0; sector < sectors_of_line; ++sector) line->written[sector] |= piece.bytes[sector];
  }

  [[nodiscard]] std::size_t lines() const {
    std::size_t sum = 0;
    for (const LineCache& part : parts_) sum += part.used();
    return sum;
  }

  /// What is written at last.
  void flush() {
    for (LineCache& part : parts_) part.for_each([&](const CachedLine& line) { write_back(line); });
  }

 private:
  [[nodiscard]] unsigned home_of(std::uint64_t line) const {
    return static_cast<unsigned>((mixed(line) >> 7U) % parts_.size());
  }

  CachedLine& insert(unsigned part, std::uint64_t number) {
    CachedLine evicted;
    bool was_full = false;
    CachedLine& line = parts_[part].insert(number, evicted, was_full);
    if (was_full) write_back(evicted);
    return line;
  }

  void fetch(unsigned home, std::uint64_t number, unsigned lacking) {
    CachedLine* line = parts_[home].find(number);
    if (line == nullptr) line = &insert(home, number);
    const unsigned fetched = atoms_of(lacking) & ~unsigned{line->valid};
    line->valid = static_cast<std::uint8_t>(line->valid | fetched);
    traffic_->fetched_bytes += access::dram_atom_bytes / 2.0 * std::popcount(fetched);
    traffic_->fetched_lines += 1;
    if (!recent(fetched_pairs_, number / 2)) traffic_->fetched_line_pairs += 1;
  }

  void write_back(const CachedLine& line) {
    unsigned sectors = 0;
    unsigned filled = 0;
    for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
      const std::uint32_t bytes = line.written[sector];
      if (bytes == 0) continue;
      ++sectors;
      if (bytes != ~std::uint32_t{0} && (line.valid >> sector & 1U) == 0) ++filled;
    }
    if (sectors == 0) return;
    const double pair = recent(written_pairs_, line.number / 2) ? 0 : 1;
    traffic_->written_bytes += access::sector_bytes * static_cast<double>(sectors);
    traffic_->filled_bytes += access::sector_bytes * static_cast<double>(filled);
    (filled > 0 ? traffic_->filled_lines : traffic_->written_lines) += 1;
    (filled > 0 ? traffic_->filled_line_pairs : traffic_->written_line_pairs) += pair;
  }

  /// Whether the pair was among the last, and that it is now.
  bool recent(LastPairs& pairs, std::uint64_t pair) const { return !pairs.insert(pair, soon_); }

  std::vector<LineCache> parts_;
  std::size_t soon_;
  LastPairs fetched_pairs_;
  LastPairs written_pairs_;
  Traffic* traffic_;
};

bool in_device_memory(const access::Site& site, const Device& device) {
  const access::Home home = access::row_of(site.space).home;
  return home == access::Home::device_memory || (home == access::Home::host_memory && device.integrated);
}

/// A launch being played.
class Play {
 public:
  Play(const Workload& workload, const Profile& profile, unsigned log2_rate)
      : workload_(workload),
        device_(profile.device),
        sample_(log2_rate),
        parts_(profile.rates.l2_near_share < 1 ? 2 : 1),
        together_(std::uint64_t{occupancy_of(workload, profile.device).blocks} * profile.device.multiprocessors),
        warps_((workload.block_threads + access::warp_lanes - 1) / access::warp_lanes),
        second_(static_cast<std::size_t>(profile.device.l2_bytes / access::line_bytes) >> log2_rate, parts_,
                std::max<std::size_t>(8, (std::size_t{2048} >> log2_rate)), traffic_) {
    const auto lines =
        std::max<std::size_t>(2, static_cast<std::size_t>(profile.rates.l1_bytes) / access::line_bytes >> log2_rate);
    for (unsigned i = 0; i < device_.multiprocessors; ++i) first_.emplace_back(lines);
  }

  /// Traffic of the launch, or of parts of a long one: of `lookups` lines in L1.
  struct Part {
    Traffic traffic;
    double lookups = 0;
    double load_requests = 0;  ///< whose passes through L1 were counted
    double stored = 0;         ///< sectors, at the place played last
    double squares = 0;        ///< of how often each was stored, summed
  };

  /// The whole launch, `again` after another one of its kind.
  Part all(bool again) {
    if (again) {
      play(0, workload_.blocks);
      for (LineCache& cache : first_) cache = LineCache(cache.size());  // L1s do not outlive a launch
    }
    begin();
    play(0, workload_.blocks);
    if (!again) second_.flush();
    return {.traffic = traffic_,
            .lookups = lookups_,
            .load_requests = load_requests_,
            .stored = stored_sectors_,
            .squares = squares_};
  }

  /// What goes on at two places of it: each time from when L2 has filled up or holds all that is asked for, for as long
  /// as that took. What comes back later than that finds nothing any more. Nothing where the launch is too short.
  std::optional<Part> parts() {
    Part sum;
    for (const std::uint64_t first : {std::uint64_t{0}, workload_.blocks / 2 / together_ * together_}) {
      std::uint64_t block = first;
      for (bool fills = true; fills; block += together_) {
        if (block >= workload_.blocks) return std::nullopt;
        const std::size_t before = second_.lines();
        play(block, block + together_);
        fills = second_.lines() > before + before / 100;
      }
      const std::uint64_t end = std::min(block + std::max(block - first, together_), workload_.blocks);
      if (end < block + together_) return std::nullopt;
      begin();
      play(block, end);
      sum.traffic.add(traffic_);
      sum.lookups += lookups_;
      sum.load_requests += load_requests_;
      sum.stored = stored_sectors_;
      sum.squares = squares_;
    }
    return sum;
  }

 private:
  void begin() {
    traffic_ = {};
    lookups_ = 0;
    load_requests_ = 0;
    writes_.clear();
    squares_ = 0;
    stored_sectors_ = 0;
  }

  /// Blocks [first, end), as many at a time as are resident together.
  void play(std::uint64_t first, std::uint64_t end) {
    end = std::min(end, workload_.blocks);
    for (; first < end; first += together_) {
      std::uint64_t array = 0;
      for (const access::Site& site : workload_.sites) {
        if (!in_device_memory(site, device_)) continue;
        for (unsigned turn = 0; turn < site.instructions; ++turn) {
          play(site, array, turn, first, std::min(first + together_, end));
        }
        ++array;
      }
    }
  }

  /// One turn of blocks that are resident together.
  void play(const access::Site& site, std::uint64_t array, unsigned turn, std::uint64_t block, std::uint64_t end) {
    batch_.resize(warps_);
    for (; block < end; ++block) {
      const std::uint64_t first = (block * site.instructions + turn) * warps_;
      for (WarpRequest& request : batch_) {
        request.active = 0;
        request.word_bytes = site.word_bytes;
      }
      site.fill(first, batch_);
      const auto multiprocessor = static_cast<unsigned>(block % device_.multiprocessors);
      stored_.clear();
      if (site.op == access::Op::load) count_wavefronts(batch_[block % batch_.size()]);
      for (const WarpRequest& request : batch_) {
        take_apart(request, sample_, array, pieces_);
        lookups_ += static_cast<double>(pieces_.size());
        for (const Piece& piece : pieces_) {
          site.op == access::Op::load ? load(site, piece, multiprocessor) : store(piece, multiprocessor);
        }
      }
    }
  }

  /// Global loads pass through the banks that shared memory lies in, by the same rule.
  void count_wavefronts(const WarpRequest& request) {
    if (request.active == 0) return;
    load_requests_ += 1;
    traffic_.l1_wavefronts += access::wavefronts_of(request, access::Op::load, scratch_);
  }

  void load(const access::Site& site, const Piece& piece, unsigned multiprocessor) {
    unsigned lacking = piece.sectors;
    if (site.kept_in_l1) {
      LineCache& cache = first_[multiprocessor];
      CachedLine* line = cache.find(piece.line);
      if (line == nullptr) {
        CachedLine evicted;
        bool was_full = false;
        line = &cache.insert(piece.line, evicted, was_full);
      }
      lacking &= ~unsigned{line->valid};
      line->valid = static_cast<std::uint8_t>(line->valid | piece.sectors);
    }
    if (lacking == 0) return;
    traffic_.l2_read_requests += 1;
    traffic_.l2_read_sectors += std::popcount(lacking);
    second_.read(piece, lacking, multiprocessor % parts_);
  }

  void store(const Piece& piece, unsigned multiprocessor) {
    traffic_.l2_write_requests += 1;
    unsigned again = 0;
    const auto same = std::ranges::find(stored_, piece.line, &Piece::line);
    if (same != stored_.end()) {
      again = piece.sectors & same->sectors;
      same->sectors |= piece.sectors;
    } else {
      stored_.push_back(piece);
    }
    traffic_.l2_split_sectors += std::popcount(again);
    traffic_.l2_write_sectors += std::popcount(piece.sectors & ~again);
    second_.write(piece, multiprocessor % parts_);
    auto& writes = writes_[piece.line];
    for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
      if ((piece.sectors >> sector & 1U) == 0) continue;
      squares_ += 2.0 * writes[sector]++ + 1;
      stored_sectors_ += 1;
    }
  }

  const Workload& workload_;
  const Device& device_;
  Sample sample_;
  unsigned parts_;
  std::uint64_t together_;  ///< blocks that are resident at once
  std::uint64_t warps_;
  Traffic traffic_;
  SecondLevel second_;
  std::vector<LineCache> first_;
  std::vector<WarpRequest> batch_;
  std::vector<Piece> pieces_;
  std::vector<Piece> stored_;                                                             ///< by the block in this turn
  std::unordered_map<std::uint64_t, std::array<std::uint32_t, sectors_of_line>> writes_;  ///< of lines
  access::DistinctNumbers scratch_;
  double lookups_ = 0;
  double load_requests_ = 0;
  double stored_sectors_ = 0;
  double squares_ = 0;  ///< of how often each sector was stored, summed
};

}  // namespace

void Traffic::add(const Traffic& other) {
  for (const auto member : all_members) this->*member += other.*member;
}

Traffic Traffic::times(double factor) const {
  Traffic product = *this;
  for (const auto member : all_members) product.*member *= factor;
  return product;
}

std::optional<Traffic> traffic_of(const Workload& workload, const Profile& profile) {
  double lines = 0;
  double lookups = 0;
  double bytes = 0;
  double loads = 0;
  for (const access::Site& site : workload.sites) {
    if (!in_device_memory(site, profile.device)) continue;
    if (site.op == access::Op::load) loads += static_cast<double>(site.requests);
    if (!site.fill || !site.summary) return std::nullopt;
    lines += site.summary->footprint.lines;
    bytes += site.summary->footprint.sectors * access::sector_bytes;
    lookups += static_cast<double>(site.requests) * site.summary->cost.lines_per_request;
  }
  if (lookups == 0) return std::nullopt;
  constexpr double sampled_lines = 1U << 17U;
  constexpr std::uint64_t short_launch = std::uint64_t{1} << 25U;  // accesses of a site
  constexpr double much = 4;
  const unsigned log2_rate =
      std::min(6U, static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(lines / sampled_lines))));
  Play play(workload, profile, log2_rate);
  const bool is_long = workload.blocks * workload.block_threads * workload.sites.front().instructions > short_launch;
  std::optional<Play::Part> part = is_long ? play.parts() : std::nullopt;
  if (!part) part = Play(workload, profile, log2_rate).all(bytes < much * static_cast<double>(profile.device.l2_bytes));
  if (part->lookups == 0) return std::nullopt;
  const double scale = lookups / part->lookups;
  Traffic traffic = part->traffic.times(scale);
  if (part->load_requests > 0) traffic.l1_wavefronts = part->traffic.l1_wavefronts * loads / part->load_requests;
  // As many equally busy sectors would meet as often (the inverse of Simpson's index), those beside the sample
  // included.
  const double sectors =
      part->squares > 0 ? std::ldexp(part->stored * part->stored / part->squares, static_cast<int>(log2_rate)) : 0;
  constexpr double few = 1000;  // docs/patterns.md
  if (sectors > 0)
    traffic.rewritten_sectors = (traffic.l2_write_sectors + traffic.l2_split_sectors) / (1 + sectors / few);
  return traffic;
}

}  // namespace gpumem::model
