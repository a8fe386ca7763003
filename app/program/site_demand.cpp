#include "app/program/site_demand.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "app/program/raw_words.hpp"

namespace gpumem::app {

namespace {

using access::Op;

constexpr double sectors_per_line = access::line_bytes / double{access::sector_bytes};
constexpr double words_per_sector = access::sector_bytes / 4.0;

/// One site's sums, as they are or as they could be: sectors, lines, wavefronts of the whole launch.
struct SiteSums {
  const inject::Site* site = nullptr;
  SectorSpread spread = {};
  ScatteredRuns scattered = {};
  bool good = false;         ///< as it could be: the data side by side, the lanes too
  bool adds_floats = false;  ///< atomics of floating point
  double sectors = 0;
  double lines = 0;
  double wavefronts = 0;
  double l1_wavefronts = 0;  ///< of loads, in the banks of L1
  double l2_sectors = 0;
  double l2_requests = 0;
  double memory_sectors = 0;
  double written_sectors = 0;  ///< that memory gets of stores and atomics
};

bool writes(const inject::Site& site) { return op_of(site) != Op::load; }

/// Stores to what a thread has to itself: L1 passes them on, L2 holds them.
bool stores_locally(const inject::Site& site) { return site.space == inject::RawSpace::local && writes(site); }

/// Sectors that would hold the words that the site was the first to use.
double dense_sectors(const inject::Site& site) { return static_cast<double>(site.used_words) / words_per_sector; }

/// Of each site's sectors from memory, what would do if data lay side by side. A sector that one site brings and does
/// not use up may be used by others, so what those use without having brought it is taken off the waste.
std::vector<double> least_memory_sectors(const std::vector<inject::Site>& sites) {
  double wasted = 0;
  double used_of_others = 0;
  for (const inject::Site& site : sites) {
    const double beyond = static_cast<double>(site.memory_sectors) - dense_sectors(site);
    (beyond > 0 ? wasted : used_of_others) += std::abs(beyond);
  }
  const double share = wasted > 0 ? std::max(0.0, 1 - used_of_others / wasted) : 0;
  std::vector<double> least;
  for (const inject::Site& site : sites) {
    const auto brought = static_cast<double>(site.memory_sectors);
    least.push_back(brought - share * std::max(0.0, brought - dense_sectors(site)));
  }
  return least;
}

/// A store to what the launch has loaded brings nothing from memory, and writes all the same: the bytes that are new to
/// nobody, as far as loads have brought as much.
double stored_over_loaded(const inject::Site& site, double& loaded) {
  const auto brought = std::max(static_cast<double>(site.memory_sectors), dense_sectors(site));
  const double bytes = static_cast<double>(site.useful_bytes) - 4 * static_cast<double>(site.used_words);
  const double over =
      std::clamp(bytes / access::sector_bytes, 0.0, std::max(0.0, static_cast<double>(site.l2_sectors) - brought));
  const double taken = std::min(over, loaded);
  loaded -= taken;
  return taken;
}

void make_good(SiteSums& sums, double least_memory) {
  const inject::Site& site = *sums.site;
  sums.good = true;
  sums.spread = {};
  if (const auto& [runs, run_sectors] = sums.scattered; runs > 0) {
    const double alone = runs / run_sectors;  // of the sectors, those that begin a run
    sums.spread = {.atoms = std::max(sums.spread.atoms, alone),
                   .lines = std::max(sums.spread.lines, alone),
                   .line_pairs = std::max(sums.spread.line_pairs, alone)};
  }
  sums.wavefronts = std::min(sums.wavefronts, static_cast<double>(site.least_wavefronts));
  if (site.space == inject::RawSpace::local) {  // registers need none
    sums = {.site = &site, .good = true};
    return;
  }
  if (!is_off_chip(site) || sums.sectors == 0) return;
  const double over_loaded = sums.written_sectors - sums.memory_sectors;
  const auto requests = static_cast<double>(site.requests);
  const double least_sectors = std::max(static_cast<double>(site.least_sectors), sums.scattered.sectors * requests);
  const double sectors = std::min(sums.sectors, least_sectors);
  const double lines =
      std::max({requests, static_cast<double>(site.useful_bytes) / access::line_bytes, sums.scattered.runs * requests});
  sums.lines = std::min(sums.lines, lines);
  sums.l1_wavefronts = std::min(sums.l1_wavefronts, sums.lines);
  const double packed = sums.l2_sectors * sectors / sums.sectors;
  sums.l2_sectors = std::min(sums.l2_sectors, std::max({packed, dense_sectors(site), least_memory}));
  sums.sectors = sectors;
  sums.l2_requests = std::min(sums.l2_requests, sums.l2_sectors * sums.lines / std::max(sectors, 1.0));
  sums.memory_sectors = std::min(least_memory, sums.l2_sectors);
  if (writes(site)) sums.written_sectors = sums.memory_sectors + over_loaded;
}

/// By the requests shown: runs of sectors as long as a line or longer are taken to go on in the next request, shorter
/// ones to be all there is around them.
SectorSpread spread_of(const inject::Site& site) {
  SectorSpread spread;
  double sectors = 0;
  double atoms = 0;
  double lines = 0;
  double pairs = 0;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const access::BlockSet touched = access::blocks_touched(request_of(site, site.request[k]), access::sector_bytes);
    const std::set<std::uint64_t> all(touched.block, touched.block + touched.size);
    std::set<std::uint64_t> lone_atoms;
    std::set<std::uint64_t> lone_lines;
    std::set<std::uint64_t> lone_pairs;
    for (auto run = all.begin(); run != all.end();) {
      auto end = run;
      std::uint64_t length = 0;
      while (end != all.end() && *end == *run + length) ++end, ++length;
      const auto count = static_cast<double>(length);
      sectors += count;
      if (count >= sectors_per_line) {
        atoms += count / 2;
        lines += count / 4;
        pairs += count / 8;
      } else {
        for (auto sector = run; sector != end; ++sector) {
          lone_atoms.insert(*sector / 2);
          lone_lines.insert(*sector / 4);
          lone_pairs.insert(*sector / 8);
        }
      }
      run = end;
    }
    atoms += static_cast<double>(lone_atoms.size());
    lines += static_cast<double>(lone_lines.size());
    pairs += static_cast<double>(lone_pairs.size());
  }
  if (sectors > 0) spread = {.atoms = atoms / sectors, .lines = lines / sectors, .line_pairs = pairs / sectors};
  return spread;
}

/// Wavefronts that the site's loads take in the banks of L1, by the requests shown: lanes that go to different lines
/// meet only where their words lie in one bank.
double l1_wavefronts_of(const inject::Site& site) {
  double lines = 0;
  double wavefronts = 0;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const access::WarpRequest request = request_of(site, site.request[k]);
    lines += access::lines_per_request(request);
    wavefronts += access::shared_wavefronts(request, Op::load);
  }
  const auto all = static_cast<double>(site.lines);
  return lines > 0 ? all * wavefronts / lines : all;
}

/// Whether requests one after another fill the sectors that each of them touches a part of: what lies around is then
/// touched as well.
bool fills_up(const SiteSums& sums) {
  constexpr double nearly_all = 0.9;
  return sums.sectors >= 2 * sums.memory_sectors && dense_sectors(*sums.site) >= nearly_all * sums.memory_sectors;
}

/// Of the sectors that stores were the first to touch, those that they leave incomplete. What one leaves another may
/// complete, as each member of a structure has a store of its own.
double incomplete_share_of(const std::vector<inject::Site>& sites) {
  // Of a sector that lacks words, two at least, as far as can be told from the mean.
  constexpr double lacking = 2;
  double sectors = 0;
  double words = 0;
  for (const inject::Site& site : sites) {
    if (!is_off_chip(site) || op_of(site) != Op::store) continue;
    sectors += static_cast<double>(site.memory_sectors);
    words += static_cast<double>(site.used_words);
  }
  if (sectors == 0) return 0;
  return std::clamp((words_per_sector * sectors - words) / lacking / sectors, 0.0, 1.0);
}

access::SiteSummary summary_of(const SiteSums& sums, double incomplete_share) {
  const inject::Site& site = *sums.site;
  const auto requests = static_cast<double>(site.requests);
  access::SiteSummary summary;
  summary.cost = {.sectors_per_request = sums.sectors / requests,
                  .lines_per_request = sums.lines / requests,
                  .wavefronts_per_request = sums.wavefronts / requests,
                  .addresses_per_request = 0,
                  .efficiency = sums.sectors > 0
                                    ? static_cast<double>(site.useful_bytes) / (sums.sectors * access::sector_bytes)
                                    : 0};
  access::Footprint& footprint = summary.footprint;
  footprint.sectors = writes(site) ? sums.written_sectors : sums.memory_sectors;
  if (writes(site) && !sums.good) {
    const double unknown = sums.memory_sectors - static_cast<double>(site.loaded_sectors);
    footprint.partial_sectors = std::max(0.0, op_of(site) == Op::atomic ? unknown : unknown * incomplete_share);
  }
  const SectorSpread spread = fills_up(sums) ? SectorSpread() : sums.spread;
  footprint.atoms = footprint.sectors * spread.atoms;
  footprint.partial_atoms = std::max(0.0, 2 * footprint.atoms - footprint.sectors);
  footprint.lines = footprint.sectors * spread.lines;
  footprint.line_pairs = footprint.sectors * spread.line_pairs;
  footprint.channels = access::atom_channels;
  // What atomics take of L2 is a stage of its own.
  if (op_of(site) == Op::atomic) summary.cost.sectors_per_request = footprint.sectors / requests;
  return summary;
}

/// Loads and stores in a row of a thread: instructions, for each may wait behind the one before. Those of long kernels
/// are not all under way at once.
unsigned turns_of(const std::vector<inject::Site>& sites) {
  constexpr std::ptrdiff_t most = 8;
  const auto count = [&](bool stores) {
    return std::ranges::count_if(sites,
                                 [&](const inject::Site& site) { return is_off_chip(site) && writes(site) == stores; });
  };
  return static_cast<unsigned>(std::clamp<std::ptrdiff_t>(std::max(count(false), count(true)), 1, most));
}

SiteSums sums_of(const inject::Site& site) {
  SiteSums sums{.site = &site};
  if (is_off_chip(site)) {
    sums.sectors = static_cast<double>(site.sectors);
    sums.lines = static_cast<double>(site.lines);
    sums.l2_sectors = static_cast<double>(site.l2_sectors);
    sums.l2_requests = static_cast<double>(site.l2_requests);
    sums.memory_sectors = static_cast<double>(site.memory_sectors);
  } else {
    sums.wavefronts = static_cast<double>(site.wavefronts);
  }
  return sums;
}

/// Turns that an atomic takes in each sector that it touches: different words of a sector are updated in one, lanes
/// that meet at a word one after another. By the requests shown.
double turns_per_sector(const inject::Site& site) {
  std::uint64_t sectors = 0;
  std::uint64_t turns = 0;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    std::map<std::uint64_t, unsigned> lanes_of;  // by address
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) != 0) ++lanes_of[site.request[k].address[lane]];
    }
    std::map<std::uint64_t, unsigned> turns_of;  // by sector
    for (const auto& [address, lanes] : lanes_of) {
      unsigned& most = turns_of[address / access::sector_bytes];
      most = std::max(most, lanes);
    }
    sectors += turns_of.size();
    for (const auto& [sector, most] : turns_of) turns += most;
  }
  return sectors > 0 ? static_cast<double>(turns) / static_cast<double>(sectors) : lanes_per_word(site);
}

/// Atomics of sites that go to the same array, as far as the requests shown tell: unrolled copies of one do.
struct AtomicArray {
  std::set<std::uint64_t> lines;             ///< shown
  std::map<std::uint64_t, double> requests;  ///< of those shown, that update a word, by its address
  double shown_requests = 0;
  double shown = 0;  ///< how often a line
  double turns = 0;
  double sectors = 0;  ///< that nobody had stored to before
  double lanes = 0;    ///< in all
  bool adds_floats = false;

  [[nodiscard]] bool overlaps(const AtomicArray& other) const {
    return !lines.empty() && !other.lines.empty() && *lines.begin() <= *other.lines.rbegin() &&
           *other.lines.begin() <= *lines.rbegin();
  }
  void add(AtomicArray other) {
    lines.merge(other.lines);
    for (const auto& [address, count] : other.requests) requests[address] += count;
    shown_requests += other.shown_requests;
    shown += other.shown;
    turns += other.turns;
    sectors += other.sectors;
    lanes += other.lanes;
    adds_floats = adds_floats || other.adds_floats;
  }
};

AtomicArray atomic_array(const SiteSums& sums, double blocks) {
  const inject::Site& site = *sums.site;
  AtomicArray array;
  array.sectors = static_cast<double>(site.memory_sectors);
  array.lanes = static_cast<double>(site.active_lanes);
  array.adds_floats = sums.adds_floats;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const access::BlockSet touched = access::blocks_touched(request_of(site, site.request[k]), access::line_bytes);
    array.lines.insert(touched.block, touched.block + touched.size);
    array.shown += static_cast<double>(touched.size);
    std::set<std::uint64_t> words;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) != 0) words.insert(site.request[k].address[lane]);
    }
    for (const std::uint64_t word : words) ++array.requests[word];
    ++array.shown_requests;
  }
  array.turns = static_cast<double>(site.sectors) * turns_per_sector(site);
  if (sums.good) {  // each block has added up before it updates a word
    const double words = blocks * std::max(array.sectors, 1.0);
    array.lanes *= std::min(1.0, words / std::max(array.turns, 1.0));
    array.turns = std::min(array.turns, words);
  }
  return array;
}

/// Of how many things some were drawn, if so many draws gave so many different ones: d = n (1 - exp(-draws / n)).
double number_drawn_from(double different, double draws) {
  constexpr double many = 1e6;
  double least = different;
  double most = many * std::max(different, 1.0);
  while (most > 1.01 * least) {
    const double middle = std::sqrt(least * most);
    (middle * -std::expm1(-draws / middle) < different ? least : most) = middle;
  }
  return least;
}

/// Lines that the array has. Where the launch itself has set it to zero, its atomics are not the first there. Where
/// blocks come to a sector at once, each takes itself for the first: requests to lines at random tell better, if they
/// come to each more than once.
double lines_of(const AtomicArray& array) {
  constexpr double some = 4;
  constexpr double often = 2;
  const auto different = static_cast<double>(array.lines.size());
  const double drawn = array.lines.empty() ? 1 : number_drawn_from(different, array.shown);
  const bool at_random = array.shown > some * array.shown_requests;
  if (at_random && array.shown > often * different) return drawn;
  return std::max(array.sectors / sectors_per_line, drawn);
}

/// Of the array's updates, those of the word that has most of them: by the requests shown, or if no word is in many of
/// these, as if all words had as many.
double updates_of_hottest(const AtomicArray& array) {
  constexpr double many = 0.5;
  double updated = 0;  // words, in all requests shown
  double most = 0;
  for (const auto& [address, count] : array.requests) {
    updated += count;
    most = std::max(most, count);
  }
  if (updated == 0) return 0;
  if (array.shown_requests > 1 && most > many * array.shown_requests) return array.lanes * most / updated;
  return array.lanes / number_drawn_from(static_cast<double>(array.requests.size()), updated);
}

/// Slices of L2 that the array's lines lie in.
double slices_of(const AtomicArray& array, const model::Rates& rates) {
  constexpr double halves = 2;  // of L2, over which few lines spread already, but for neighbours
  const double lines = lines_of(array);
  const double slices = std::max(lines / rates.atomic_slice_lines, std::min(lines / 2, halves));
  return std::clamp(slices, 1.0, rates.atomic_slices);
}

/// Turns of atomics in L2, in the slice that has most of them, or at the word.
double atomic_turns(const std::vector<SiteSums>& sites, double blocks, const model::Rates& rates) {
  std::vector<AtomicArray> arrays;
  for (const SiteSums& sums : sites) {
    if (!is_off_chip(*sums.site) || op_of(*sums.site) != Op::atomic) continue;
    AtomicArray array = atomic_array(sums, blocks);
    std::erase_if(arrays, [&](const AtomicArray& other) {
      const bool same = array.overlaps(other);
      if (same) array.add(other);
      return same;
    });
    arrays.push_back(std::move(array));
  }
  // A word of floats takes the next addend only when it has the sum.
  const double float_turns = rates.atomic_turn_cycles > 0 ? rates.atomic_float_cycles / rates.atomic_turn_cycles : 0;
  double longest = 0;
  double all = 0;
  for (const AtomicArray& array : arrays) {
    longest = std::max(longest, array.turns / slices_of(array, rates));
    if (array.adds_floats) longest = std::max(longest, updates_of_hottest(array) * float_turns);
    all += array.turns;
  }
  return std::max(longest, all / rates.atomic_slices);
}

/// Sectors of which a part is stored cost L2 more, once for each line of a request (engine/model/demand.cpp).
void add_local_stores(model::Demand& demand, const SiteSums& sums) {
  const bool in_parts = 2 * static_cast<double>(sums.site->useful_bytes) < sums.sectors * access::sector_bytes;
  const double parts = in_parts ? sums.lines : 0;
  demand.l1_store_lines += sums.lines;
  demand.l2_split_sectors += parts;
  demand.l2_store_sectors += sums.sectors - parts;
}

/// The sums know better than footprints what L1 served and L2 was asked for, and that atomics meet.
void correct(model::Demand& demand, const std::vector<SiteSums>& sites, double blocks, const model::Profile& profile) {
  const model::Rates& rates = profile.rates;
  // That L2 sends in the time that a request takes it.
  const double sectors_of_request =
      rates.l2_read_requests_per_s > 0 ? rates.l2_load_sectors_per_s / rates.l2_read_requests_per_s : 1;
  demand.l1_load_lines = 0;
  demand.l2_load_sectors = 0;
  demand.footprint_bytes = 0;
  demand.atomic_turns = atomic_turns(sites, blocks, rates);
  for (const SiteSums& sums : sites) {
    const bool over_link = sums.site->space == inject::RawSpace::host && !profile.device.integrated;
    if (!is_off_chip(*sums.site) || over_link) continue;
    if (stores_locally(*sums.site)) {
      add_local_stores(demand, sums);
      continue;
    }
    demand.footprint_bytes += std::max(sums.memory_sectors, sums.written_sectors) * access::sector_bytes;
    if (writes(*sums.site)) continue;
    demand.l1_load_lines += std::max(sums.l1_wavefronts, sums.lines / rates.l1_lines_at_a_time);
    demand.l2_load_sectors += std::max(sums.l2_sectors, sums.l2_requests * sectors_of_request);
  }
}

}  // namespace

ScatteredRuns scattered_runs(const inject::Site& site) {
  constexpr double short_run = 2;  // words; one alone may be brought to others
  ScatteredRuns sum;
  double words = 0;
  bool irregular = false;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    std::set<std::uint64_t> addresses;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) != 0) addresses.insert(site.request[k].address[lane]);
    }
    words += static_cast<double>(addresses.size());
    std::set<std::uint64_t> distances;
    std::uint64_t last_begin = 0;
    for (auto begin = addresses.begin(); begin != addresses.end();) {
      auto end = begin;
      std::uint64_t bytes = 0;
      while (end != addresses.end() && *end == *begin + bytes) ++end, bytes += site.word_bytes;
      if (begin != addresses.begin()) distances.insert(*begin - last_begin);
      last_begin = *begin;
      ++sum.runs;
      sum.sectors += std::ceil(static_cast<double>(bytes) / access::sector_bytes);
      begin = end;
    }
    irregular = irregular || distances.size() > 1;
  }
  if (!irregular || words < short_run * sum.runs) return {};
  return {sum.runs / site.shown, sum.sectors / site.shown};
}

/// Whether lanes store to sectors of their own, at distances that differ.
bool scatters(const inject::Site& site) {
  constexpr double nearly_all = 0.75;
  if (op_of(site) != Op::store || site.space != inject::RawSpace::global) return false;
  if (static_cast<double>(site.sectors) < nearly_all * static_cast<double>(site.active_lanes)) return false;
  std::set<std::uint64_t> distances;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    std::optional<std::uint64_t> last;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) == 0) continue;
      const std::uint64_t address = site.request[k].address[lane];
      if (last) distances.insert(address - *last);
      last = address;
    }
  }
  constexpr unsigned regular = 4;  // as rows of a matrix, and of the next one, are apart
  return distances.size() > regular * std::size_t{site.shown};
}

inject::Site as_loads(inject::Site site) {
  site.op = inject::RawOp::load;
  site.loaded_sectors = 0;
  return site;
}

SiteDemand::SiteDemand(const std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code)
    : turns_(turns_of(sites)), incomplete_share_(incomplete_share_of(sites)) {
  const std::vector<double> least_memory = least_memory_sectors(sites);
  double loaded = 0;
  for (const inject::Site& site : sites) {
    if (is_off_chip(site) && !writes(site)) loaded += static_cast<double>(site.memory_sectors);
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const bool off_chip = is_off_chip(sites[i]);
    const std::size_t index = sites[i].pc / instruction_bytes;
    sites_.push_back({.site = &sites[i],
                      .gathered = scatters(sites[i]) ? std::optional(as_loads(sites[i])) : std::nullopt,
                      .adds_floats = index < code.size() && code[index].adds_floats,
                      .least_memory = least_memory[i],
                      .l1_wavefronts = off_chip && !writes(sites[i]) ? l1_wavefronts_of(sites[i]) : 0,
                      .over_loaded = off_chip && writes(sites[i]) ? stored_over_loaded(sites[i], loaded) : 0,
                      .spread = off_chip ? spread_of(sites[i]) : SectorSpread(),
                      .scattered = off_chip ? scattered_runs(sites[i]) : ScatteredRuns()});
  }
}

model::Demand SiteDemand::demand(const std::vector<bool>& good, Workload workload,
                                 const model::Profile& profile) const {
  std::vector<SiteSums> all;
  std::vector<access::SiteSummary> summaries;
  const auto add = [&](const SiteSums& sums) {
    all.push_back(sums);
    if (is_off_chip(*sums.site) && sums.sectors == 0) return;  // not there
    if (stores_locally(*sums.site)) return;                    // see correct()
    access::Site site;
    site.space = space_of(*sums.site);
    site.op = writes(*sums.site) ? Op::store : Op::load;
    site.word_bytes = sums.site->word_bytes;
    site.instructions = turns_;
    site.requests = sums.site->requests;
    workload.sites.push_back(site);
    summaries.push_back(summary_of(sums, incomplete_share_));
  };
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const Known& known = sites_[i];
    SiteSums sums = sums_of(*known.site);
    sums.spread = known.spread;
    sums.adds_floats = known.adds_floats;
    sums.l1_wavefronts = known.l1_wavefronts;
    sums.scattered = known.scattered;
    if (writes(*sums.site)) sums.written_sectors = sums.memory_sectors + known.over_loaded;
    if (good[i] && known.gathered) {
      SiteSums loads = sums_of(*known.gathered);
      loads.spread = known.spread;
      loads.l1_wavefronts = l1_wavefronts_of(*known.gathered);
      add(loads);
    }
    if (good[i]) make_good(sums, known.least_memory);
    add(sums);
  }
  model::Demand demand = model::demand_of(workload, summaries, profile);
  correct(demand, all, static_cast<double>(workload.blocks), profile);
  return demand;
}

}  // namespace gpumem::app
