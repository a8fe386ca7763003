#include "probes/model/traffic.hpp"

#include <algorithm>
#include <bit>
#include <cmath>
#include <vector>

#include "probes/access/lanes.hpp"
#include "probes/model/line_cache.hpp"
#include "probes/model/occupancy.hpp"
#include "probes/model/second_level.hpp"

namespace gpumem::model {

namespace {

using access::WarpRequest;

constexpr double Traffic::*all_members[] = {
    &Traffic::l1_wavefronts,    &Traffic::l1_store_passes,    &Traffic::meetings,
    &Traffic::l2_read_requests, &Traffic::l2_read_sectors,    &Traffic::l2_write_requests,
    &Traffic::l2_write_sectors, &Traffic::l2_split_sectors,   &Traffic::l2_shared_requests,
    &Traffic::fetched_lines,    &Traffic::fetched_line_pairs, &Traffic::fetched_bytes,
    &Traffic::written_lines,    &Traffic::written_line_pairs, &Traffic::written_bytes,
    &Traffic::filled_lines,     &Traffic::filled_line_pairs,  &Traffic::filled_bytes,
    &Traffic::mixed_lines,      &Traffic::mixed_groups,       &Traffic::pieced_sectors};

/// Lines that are played, one group of so many: which is a matter of its number's hash, so that no pattern of addresses
/// can hide from it (C. Waldspurger et al., Efficient MRC Construction with SHARDS, FAST 2015).
class Sample {
 public:
  explicit Sample(unsigned log2_rate) : shift_(64 - log2_rate), all_(log2_rate == 0) {}
  [[nodiscard]] bool has(std::uint64_t group) const { return all_ || mixed(group) >> shift_ == 0; }

 private:
  unsigned shift_;
  bool all_;
};

/// The sampled lines of a request, in the array of that number.
void take_apart(const WarpRequest& request, const Sample& sample, std::uint64_t array, std::vector<Piece>& pieces) {
  pieces.clear();
  constexpr unsigned lines_of_array = 48;  // log2: 32 PiB
  std::uint64_t last_group = ~std::uint64_t{0};
  bool has = false;
  for (std::uint32_t lanes = request.active; lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t byte = request.address[std::countr_zero(lanes)];
    const std::uint64_t group = byte / (lines_of_group * access::line_bytes);
    if (group != last_group) {
      last_group = group;
      has = sample.has(group);
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
        log2_rate_(log2_rate),
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
    double load_requests = 0;   ///< whose passes through L1 were counted
    double store_requests = 0;  ///< the same
    double waves = 0;           ///< of resident blocks
    double pieced_lines = 0;    ///< that wait for other blocks to complete them, summed over the waves
    double weights = 0;         ///< of stores
    double unevenness = 0;      ///< see Traffic, times these

    void add(const Part& other) {
      traffic.add(other.traffic);
      lookups += other.lookups;
      load_requests += other.load_requests;
      store_requests += other.store_requests;
      waves += other.waves;
      pieced_lines += other.pieced_lines;
      weights += other.weights;
      unevenness += other.unevenness;
    }
  };

  /// The whole launch, `again` after another one of its kind.
  Part all(bool again) {
    if (again) {
      play(0, workload_.blocks);
      for (LineCache& cache : first_) cache.clear();  // L1s do not outlive a launch
    }
    begin();
    play(0, workload_.blocks);
    if (!again) second_.flush();
    return played();
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
      sum.add(played());
    }
    return sum;
  }

 private:
  void begin() {
    part_ = {};
    traffic_ = {};
  }
  [[nodiscard]] Part played() const {
    Part part = part_;
    part.traffic = traffic_;
    return part;
  }

  /// Blocks [first, end), as many at a time as are resident together.
  void play(std::uint64_t first, std::uint64_t end) {
    end = std::min(end, workload_.blocks);
    for (; first < end; first += together_) {
      ++wave_;
      part_.waves += 1;
      std::uint64_t array = 0;
      for (const access::Site& site : workload_.sites) {
        if (!in_device_memory(site, device_)) continue;
        const std::uint64_t last = std::min(first + together_, end);
        site.op == access::Op::load ? play_loads(site, array, first, last) : play_stores(site, array, first, last);
        ++array;
      }
    }
  }

  /// A warp asks for all that it loads at once, and many do so at the same time: what its next turn comes back to is
  /// still in L1 if these leave room for it.
  void play_loads(const access::Site& site, std::uint64_t array, std::uint64_t first, std::uint64_t end) {
    constexpr std::uint64_t at_once = 32;
    for (std::uint64_t warp = 0; warp < warps_; warp += at_once) {
      for (std::uint64_t block = first; block < end; ++block) {
        for (unsigned turn = 0; turn < site.instructions; ++turn) {
          fill(site, block, turn, warp, std::min(at_once, warps_ - warp));
          if (turn == 0 && warp == 0) count_passes(site, batch_[block % batch_.size()]);
          const auto multiprocessor = static_cast<unsigned>(block % device_.multiprocessors);
          for (const WarpRequest& request : batch_) {
            take_apart(request, sample_, array, pieces_);
            part_.lookups += static_cast<double>(pieces_.size());
            for (const Piece& piece : pieces_) load(site, piece, multiprocessor);
          }
        }
      }
    }
  }

  void play_stores(const access::Site& site, std::uint64_t array, std::uint64_t first, std::uint64_t end) {
    for (unsigned turn = 0; turn < site.instructions; ++turn) {
      play_turn(site, array, turn, first, end);
    }
  }

  void fill(const access::Site& site, std::uint64_t block, unsigned turn, std::uint64_t warp, std::uint64_t warps) {
    batch_.resize(warps);
    for (WarpRequest& request : batch_) {
      request.active = 0;
      request.word_bytes = site.word_bytes;
    }
    site.fill((block * site.instructions + turn) * warps_ + warp, batch_);
  }

  /// One turn of stores of blocks that are resident together.
  void play_turn(const access::Site& site, std::uint64_t array, unsigned turn, std::uint64_t block, std::uint64_t end) {
    ++turn_;
    squares_ = 0;
    weights_ = 0;
    lines_ = 0;
    for (; block < end; ++block) {
      fill(site, block, turn, 0, warps_);
      ++block_turn_;
      count_passes(site, batch_[block % batch_.size()]);
      for (const WarpRequest& request : batch_) {
        take_apart(request, sample_, array, pieces_);
        part_.lookups += static_cast<double>(pieces_.size());
        for (const Piece& piece : pieces_) store(piece);
      }
    }
    traffic_.meetings += std::sqrt(std::ldexp(squares_, -static_cast<int>(log2_rate_)));
    if (weights_ > 0) part_.unevenness += lines_ * squares_ / weights_;
    part_.weights += weights_;
  }

  /// Global loads pass through the banks that shared memory lies in, by the same rule. Of stores L1 takes a line at a
  /// time, 128 bytes of words together.
  void count_passes(const access::Site& site, const WarpRequest& request) {
    if (request.active == 0) return;
    if (site.op == access::Op::load) {
      part_.load_requests += 1;
      traffic_.l1_wavefronts += access::wavefronts_of(request, access::Op::load, scratch_);
      return;
    }
    part_.store_requests += 1;
    const unsigned together = std::min(access::warp_lanes, access::line_bytes / request.word_bytes);
    for (unsigned first = 0; first < access::warp_lanes; first += together) {
      WarpRequest pass = request;
      pass.active &= ~std::uint32_t{0} >> (access::warp_lanes - together) << first;
      traffic_.l1_store_passes += access::cost_of(access::lanes_of(pass), pass.word_bytes, scratch_).lines;
    }
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

  void store(const Piece& piece) {
    CachedLine& line = second_.to_write(piece.line);
    if (line.block_turn != block_turn_) {
      leave_to_others(line);
      line.block_turn = block_turn_;
      ++line.visits;
      line.stored = 0;
    }
    if (line.stored != 0) traffic_.l2_shared_requests += 1;
    const unsigned again = piece.sectors & line.stored;
    line.stored |= piece.sectors;
    for (unsigned sector = 0; sector < sectors_of_line; ++sector) line.written[sector] |= piece.bytes[sector];
    traffic_.l2_write_requests += 1;
    traffic_.l2_split_sectors += std::popcount(again);
    traffic_.l2_write_sectors += std::popcount(piece.sectors & ~again);
    if (line.turn != turn_) {
      line.turn = turn_;
      line.stores_in_turn = 0;
      lines_ += 1;
    }
    // What a store keeps others of its line waiting for hardly depends on how much of the line it writes.
    const double weight = (3.0 + std::popcount(piece.sectors)) / 4;
    squares_ += weight * (2 * line.stores_in_turn + weight);
    line.stores_in_turn += weight;
    weights_ += weight;
  }

  /// Another block goes on with a line.
  void leave_to_others(CachedLine& line) {
    for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
      const bool known = (line.valid >> sector & 1U) != 0 || line.written[sector] == ~std::uint32_t{0};
      if ((line.stored >> sector & 1U) == 0 || known) continue;
      line.pieces |= static_cast<std::uint8_t>(1U << sector);
      if (line.wave == wave_) continue;
      line.wave = wave_;
      part_.pieced_lines += 1;
    }
  }

  const Workload& workload_;
  const Device& device_;
  unsigned log2_rate_;
  Sample sample_;
  unsigned parts_;
  std::uint64_t together_;  ///< blocks that are resident at once
  std::uint64_t warps_;
  Traffic traffic_;
  SecondLevel second_;
  std::vector<LineCache> first_;
  std::vector<WarpRequest> batch_;
  std::vector<Piece> pieces_;
  access::DistinctNumbers scratch_;
  Part part_;  ///< but for its traffic
  std::uint32_t wave_ = 0;
  std::uint32_t turn_ = 0;        ///< of all resident blocks
  std::uint32_t block_turn_ = 0;  ///< of one block
  double squares_ = 0;            ///< of how often each line was stored in this turn
  double weights_ = 0;            ///< all of these
  double lines_ = 0;              ///< stored in this turn
};

/// Lines that warps next to each other store to in all their turns, on average of a few blocks.
double lines_of_warps(const Workload& workload, const access::Site& site) {
  constexpr std::uint64_t looked_at = 8;
  constexpr std::uint64_t neighbours = 8;
  const std::uint64_t warps = (workload.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  std::vector<WarpRequest> requests(std::min(warps, neighbours));
  std::vector<std::uint64_t> lines;
  double sum = 0;
  const std::uint64_t blocks = std::min(looked_at, workload.blocks);
  for (std::uint64_t k = 0; k < blocks; ++k) {
    const std::uint64_t block = k * workload.blocks / blocks;
    lines.clear();
    for (unsigned turn = 0; turn < site.instructions; ++turn) {
      for (WarpRequest& request : requests) request = {.word_bytes = site.word_bytes};
      site.fill((block * site.instructions + turn) * warps, requests);
      for (const WarpRequest& request : requests) {
        for (std::uint32_t lanes = request.active; lanes != 0; lanes &= lanes - 1) {
          lines.push_back(request.address[std::countr_zero(lanes)] / access::line_bytes);
        }
      }
    }
    std::ranges::sort(lines);
    lines.erase(std::ranges::unique(lines).begin(), lines.end());
    sum += static_cast<double>(lines.size());
  }
  return sum / static_cast<double>(blocks);
}

constexpr double sampled_lookups = 1U << 22U;  // that are played soon

/// Enough lines to know the launch by, few enough to be done soon.
unsigned log2_rate_of(double lines, double lookups) {
  constexpr double sampled_lines = 1U << 17U;
  constexpr double fewest_lines = 1U << 14U;  // of which some may be asked for far more than others
  constexpr unsigned most = 6;
  const double wanted = std::max(lines / sampled_lines, std::min(lookups / sampled_lookups, lines / fewest_lines));
  return std::min(most, static_cast<unsigned>(std::bit_width(static_cast<std::uint64_t>(wanted))));
}

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
  double stores = 0;
  for (const access::Site& site : workload.sites) {
    if (!in_device_memory(site, profile.device)) continue;
    (site.op == access::Op::load ? loads : stores) += static_cast<double>(site.requests);
    if (!site.fill || !site.summary) return std::nullopt;
    lines += site.summary->footprint.lines;
    bytes += site.summary->footprint.sectors * access::sector_bytes;
    lookups += static_cast<double>(site.requests) * site.summary->cost.lines_per_request;
  }
  if (lookups == 0) return std::nullopt;
  constexpr std::uint64_t short_launch = std::uint64_t{1} << 25U;  // accesses of a site
  constexpr double much = 4;
  const unsigned log2_rate = log2_rate_of(lines, lookups);
  const bool is_long = workload.blocks * workload.block_threads * workload.sites.front().instructions >= short_launch ||
                       std::ldexp(lookups, -static_cast<int>(log2_rate)) > 2 * sampled_lookups;
  std::optional<Play::Part> part;
  if (is_long) part = Play(workload, profile, log2_rate).parts();
  if (!part) part = Play(workload, profile, log2_rate).all(bytes < much * static_cast<double>(profile.device.l2_bytes));
  if (part->lookups == 0) return std::nullopt;
  Traffic traffic = part->traffic.times(lookups / part->lookups);
  if (part->load_requests > 0) traffic.l1_wavefronts = part->traffic.l1_wavefronts * loads / part->load_requests;
  if (part->store_requests > 0) traffic.l1_store_passes = part->traffic.l1_store_passes * stores / part->store_requests;
  for (const access::Site& site : workload.sites) {
    if (site.op == access::Op::store && in_device_memory(site, profile.device))
      traffic.stored_lines_of_warps = lines_of_warps(workload, site);
  }
  if (part->weights > 0) traffic.meeting_unevenness = part->unevenness / part->weights;
  traffic.pieced_lines = std::ldexp(part->pieced_lines / part->waves, static_cast<int>(log2_rate));
  return traffic;
}

}  // namespace gpumem::model
