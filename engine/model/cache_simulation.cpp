#include "engine/model/cache_simulation.hpp"

#include <algorithm>
#include <bit>
#include <cmath>

#include "engine/base/interruption.hpp"
#include "engine/model/occupancy.hpp"

namespace gpumem::model {

using access::WarpRequest;

namespace {

constexpr std::uint64_t group_bytes = lines_of_group * access::line_bytes;

/// False if a lane that is not active has an address elsewhere.
bool in_one_group(const WarpRequest& request) {
  if ((request.address[0] ^ request.address[access::warp_lanes - 1]) >= group_bytes) return false;
  std::uint64_t differ = 0;
  for (const std::uint64_t address : request.address) differ |= address ^ request.address[0];
  return differ < group_bytes;
}

/// Written so that the compiler makes vector instructions of it.
[[gnu::always_inline]] inline std::uint32_t sampled_lanes(const WarpRequest& request, unsigned shift) {
  std::uint64_t hash[access::warp_lanes];
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
    hash[lane] = mixed_high(request.address[lane] / group_bytes) >> shift;
  }
  std::uint32_t lanes = 0;
  for (unsigned lane = 0; lane < access::warp_lanes; ++lane) lanes |= std::uint32_t{hash[lane] == 0} << lane;
  return lanes & request.active;
}

std::uint32_t sampled_lanes_plain(const WarpRequest& request, unsigned shift) { return sampled_lanes(request, shift); }

#ifdef __x86_64__
/// For processors since 2013.
[[gnu::target("avx2")]] std::uint32_t sampled_lanes_avx2(const WarpRequest& request, unsigned shift) {
  return sampled_lanes(request, shift);
}
#endif

}  // namespace

std::uint32_t Sample::lanes_of(const WarpRequest& request) const {
  if (log2_rate_ == 0) return request.active;
  const unsigned shift = 64 - log2_rate_;
  // Mostly lanes lie side by side, in one group of lines: one hash decides for all.
  if (in_one_group(request)) return mixed_high(request.address[0] / group_bytes) >> shift == 0 ? request.active : 0;
#ifdef __x86_64__
  static const auto sampled = __builtin_cpu_supports("avx2") ? sampled_lanes_avx2 : sampled_lanes_plain;
#else
  static const auto sampled = sampled_lanes_plain;
#endif
  return sampled(request, shift);
}

void LineRequests::take_apart(const WarpRequest& request, const Sample& sample, std::uint64_t array) {
  lines_.clear();
  constexpr unsigned lines_of_array = 48;  // log2: 32 PiB
  const std::uint32_t word = ~std::uint32_t{0} >> (access::sector_bytes - request.word_bytes);
  LineRequest* of_line = nullptr;
  for (std::uint32_t lanes = sample.lanes_of(request); lanes != 0; lanes &= lanes - 1) {
    const std::uint64_t byte = request.address[std::countr_zero(lanes)];
    const std::uint64_t line = byte / access::line_bytes | array << lines_of_array;
    if (of_line == nullptr || of_line->line.number != line) {
      const unsigned before = lines_.count();
      of_line = &line_requests_[lines_.place_of(line)];
      if (lines_.count() > before) *of_line = {.line = line};
    }
    const auto sector = static_cast<unsigned>(byte % access::line_bytes / access::sector_bytes);
    of_line->sectors = static_cast<std::uint8_t>(of_line->sectors | 1U << sector);
    of_line->bytes[sector] |= word << byte % access::sector_bytes;
  }
}

bool in_device_memory(const access::Site& site, const Device& device) {
  const access::Home home = access::row_of(site.space).home;
  return home == access::Home::device_memory || (home == access::Home::host_memory && device.integrated);
}

CacheSimulation::CacheSimulation(const Workload& workload, const Profile& profile, unsigned log2_rate)
    : workload_(workload),
      device_(profile.device),
      log2_rate_(log2_rate),
      sample_(log2_rate),
      parts_(profile.rates.l2.near_share < 1 ? 2 : 1),
      together_(occupancy_of(workload, profile.device).of_device),
      warps_(workload.warps_of_block()),
      l2_(static_cast<std::size_t>(profile.device.l2_bytes / access::line_bytes) >> log2_rate, parts_,
          profile.rates.l2.written_share, std::max<std::size_t>(8, (std::size_t{2048} >> log2_rate)), part_.traffic) {
  const auto lines =
      std::max<std::size_t>(2, static_cast<std::size_t>(profile.rates.l1.bytes) / access::line_bytes >> log2_rate);
  for (unsigned i = 0; i < device_.multiprocessors; ++i) l1_.emplace_back(lines);
  constexpr std::size_t near_bytes = std::size_t{1} << 19U;  // that stay in a core's second cache
  is_far_ = l2_.bytes() + l1_.size() * l1_.front().bytes() > near_bytes;
}

void CacheSimulation::Part::add(const Part& other) {
  traffic.add(other.traffic);
  lookups += other.lookups;
  load_requests += other.load_requests;
  store_requests += other.store_requests;
  waves += other.waves;
  incomplete_lines += other.incomplete_lines;
  weights += other.weights;
  unevenness += other.unevenness;
}

CacheSimulation::Part CacheSimulation::all(bool again) {
  if (again) {
    simulate(0, workload_.blocks);
    for (LineCacheOf<ReadLine>& cache : l1_) cache.clear();  // L1s do not outlive a launch
  }
  part_ = {};
  simulate(0, workload_.blocks);
  if (!again) l2_.flush();
  return part_;
}

std::optional<CacheSimulation::Part> CacheSimulation::parts(double lines) {
  const auto full = 0.9 * static_cast<double>(l2_.capacity());
  Part sum;
  for (const std::uint64_t first : {std::uint64_t{0}, workload_.blocks / 2 / together_ * together_}) {
    std::uint64_t block = first;
    for (bool fills = true; fills; block += together_) {
      if (block >= workload_.blocks) return std::nullopt;
      const std::size_t before = l2_.lines();
      simulate(block, block + together_);
      fills = l2_.lines() > before + before / 100;
    }
    const std::uint64_t end = std::min(block + std::max(block - first, together_), workload_.blocks);
    if (end < block + together_) return std::nullopt;
    part_ = {};
    simulate(block, end);
    sum.add(part_);
    const auto held = static_cast<double>(l2_.lines());
    if (held >= std::ldexp(lines, -static_cast<int>(log2_rate_)) && held < full) break;
  }
  return sum;
}

/// Blocks [first, end), as many at a time as are resident together.
void CacheSimulation::simulate(std::uint64_t first, std::uint64_t end) {
  end = std::min(end, workload_.blocks);
  for (; first < end; first += together_) {
    ++wave_;
    part_.waves += 1;
    std::uint64_t array = 0;
    for (const access::Site& site : workload_.sites) {
      if (!in_device_memory(site, device_)) continue;
      const std::uint64_t last = std::min(first + together_, end);
      site.op == access::Op::load ? simulate_loads(site, array, first, last)
                                  : simulate_stores(site, array, first, last);
      ++array;
    }
  }
}

/// A warp asks for all that it loads at once, and many do so at the same time: what its next turn comes back to is
/// still in L1 if these leave room for it.
void CacheSimulation::simulate_loads(const access::Site& site, std::uint64_t array, std::uint64_t first,
                                     std::uint64_t end) {
  constexpr std::uint64_t at_once = 32;
  for (std::uint64_t warp = 0; warp < warps_; warp += at_once) {
    for (std::uint64_t block = first; block < end; ++block) {
      for (unsigned turn = 0; turn < site.instructions; ++turn) {
        fill(site, block, turn, warp, std::min(at_once, warps_ - warp));
        if (turn == 0 && warp == 0) count_passes(site, batch_[block % batch_.size()]);
        const auto multiprocessor = static_cast<unsigned>(block % device_.multiprocessors);
        for (const WarpRequest& request : batch_) {
          line_requests_.take_apart(request, sample_, array);
          part_.lookups += static_cast<double>(line_requests_.all().size());
          if (is_far_) expect(site, multiprocessor);
          for (const LineRequest& of_line : line_requests_.all()) load(site, of_line, multiprocessor);
        }
      }
    }
  }
}

void CacheSimulation::simulate_stores(const access::Site& site, std::uint64_t array, std::uint64_t first,
                                      std::uint64_t end) {
  for (unsigned turn = 0; turn < site.instructions; ++turn) {
    simulate_turn(site, array, turn, first, end);
  }
}

void CacheSimulation::fill(const access::Site& site, std::uint64_t block, unsigned turn, std::uint64_t warp,
                           std::uint64_t warps) {
  stop_if_requested();
  batch_.resize(warps);
  for (WarpRequest& request : batch_) {
    request.active = 0;
    request.word_bytes = site.word_bytes;
  }
  site.fill((block * site.instructions + turn) * warps_ + warp, batch_);
}

/// One turn of stores of blocks that are resident together.
void CacheSimulation::simulate_turn(const access::Site& site, std::uint64_t array, unsigned turn, std::uint64_t block,
                                    std::uint64_t end) {
  ++turn_;
  squares_ = 0;
  weights_ = 0;
  lines_ = 0;
  for (; block < end; ++block) {
    fill(site, block, turn, 0, warps_);
    ++block_turn_;
    count_passes(site, batch_[block % batch_.size()]);
    for (const WarpRequest& request : batch_) {
      line_requests_.take_apart(request, sample_, array);
      part_.lookups += static_cast<double>(line_requests_.all().size());
      if (is_far_) l2_.expect(line_requests_.all());
      for (const LineRequest& of_line : line_requests_.all()) store(of_line);
    }
  }
  part_.traffic.store_collisions += std::sqrt(std::ldexp(squares_, -static_cast<int>(log2_rate_)));
  if (weights_ > 0) part_.unevenness += lines_ * squares_ / weights_;
  part_.weights += weights_;
}

/// Global loads pass through the banks that shared memory lies in, by the same rule. L1 takes 128 bytes of a store's
/// words together, and passes them on one line at a time.
void CacheSimulation::count_passes(const access::Site& site, const WarpRequest& request) {
  if (request.active == 0) return;
  if (site.op == access::Op::load) {
    part_.load_requests += 1;
    part_.traffic.l1_wavefronts += access::wavefronts_of(request, access::Op::load, scratch_);
    return;
  }
  part_.store_requests += 1;
  const unsigned together = std::min(access::warp_lanes, access::line_bytes / request.word_bytes);
  for (unsigned first = 0; first < access::warp_lanes; first += together) {
    WarpRequest pass = request;
    pass.active &= ~std::uint32_t{0} >> (access::warp_lanes - together) << first;
    part_.traffic.l1_store_passes += access::cost_of(access::lanes_of(pass), pass.word_bytes, scratch_).lines;
  }
}

/// The caches are larger than those of a core: what the requests ask for has to come from this machine's memory.
void CacheSimulation::expect(const access::Site& site, unsigned multiprocessor) {
  if (site.kept_in_l1) {
    for (const LineRequest& request : line_requests_.all()) l1_[multiprocessor].fetch_set(request.line);
    for (const LineRequest& request : line_requests_.all()) l1_[multiprocessor].fetch_line(request.line);
  }
  l2_.expect(line_requests_.all(), multiprocessor % parts_);
}

void CacheSimulation::load(const access::Site& site, const LineRequest& request, unsigned multiprocessor) {
  unsigned lacking = request.sectors;
  if (site.kept_in_l1) {
    LineCacheOf<ReadLine>& cache = l1_[multiprocessor];
    ReadLine* line = cache.find(request.line);
    if (line == nullptr) {
      ReadLine evicted;
      bool was_full = false;
      line = &cache.insert(request.line, evicted, was_full);
    }
    lacking &= ~unsigned{line->valid};
    line->valid = static_cast<std::uint8_t>(line->valid | request.sectors);
  }
  if (lacking == 0) return;
  part_.traffic.l2_read_requests += 1;
  part_.traffic.l2_read_sectors += number_of_sectors(lacking);
  l2_.read(request, lacking, multiprocessor % parts_);
}

void CacheSimulation::store(const LineRequest& request) {
  CachedLine& line = l2_.to_write(request.line);
  if (line.block_turn != block_turn_) {
    leave_to_others(line);
    line.block_turn = block_turn_;
    ++line.visits;
    line.stored = 0;
  }
  if (line.stored != 0) part_.traffic.l2_shared_requests += 1;
  const unsigned again = request.sectors & line.stored;
  line.stored |= request.sectors;
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) line.written[sector] |= request.bytes[sector];
  part_.traffic.l2_write_requests += 1;
  part_.traffic.l2_split_sectors += number_of_sectors(again);
  part_.traffic.l2_write_sectors += number_of_sectors(request.sectors & ~again);
  if (line.turn != turn_) {
    line.turn = turn_;
    line.stores_in_turn = 0;
    lines_ += 1;
  }
  // The time that a store keeps others to its line waiting hardly depends on how much of the line it writes.
  const double weight = (3.0 + number_of_sectors(request.sectors)) / 4;
  squares_ += weight * (2 * line.stores_in_turn + weight);
  line.stores_in_turn += weight;
  weights_ += weight;
}

/// Another block goes on with a line.
void CacheSimulation::leave_to_others(CachedLine& line) {
  for (unsigned sector = 0; sector < sectors_of_line; ++sector) {
    const bool known = (line.valid >> sector & 1U) != 0 || line.written[sector] == ~std::uint32_t{0};
    if ((line.stored >> sector & 1U) == 0 || known) continue;
    line.left_incomplete |= static_cast<std::uint8_t>(1U << sector);
    if (line.wave == wave_) continue;
    line.wave = wave_;
    part_.incomplete_lines += 1;
  }
}

}  // namespace gpumem::model
