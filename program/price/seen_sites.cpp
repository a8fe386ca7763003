#include "program/price/seen_sites.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <string>
#include <tuple>

#include "program/read/raw_words.hpp"
#include "program/read/shown_requests.hpp"
#include "report/record/site_sums.hpp"

namespace gpumem::program {

namespace {

using access::Op;

constexpr double words_per_sector = access::sector_bytes / 4.0;

/// One site's sums, as they are or as they could be: sectors, lines, wavefronts of the whole launch.
struct SiteSums {
  const inject::Site* site = nullptr;
  SectorSpread spread = {};
  ScatteredRuns scattered = {};
  bool good = false;         ///< as it could be: data and lanes side by side
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

/// Returns true for stores to local memory: L1 passes them on, L2 holds them.
bool stores_locally(const inject::Site& site) { return is_local(site) && writes(site); }

/// Returns the sectors that would hold the words that the site was the first to use.
double dense_sectors(const inject::Site& site) { return static_cast<double>(site.used_words) / words_per_sector; }

/// Returns the fewest sectors that each site needs from memory, if its data lay side by side. A sector that one site
/// brings and uses in part may be used by others: the words that they use without having brought them are taken off the
/// waste.
std::vector<double> least_memory_sectors(const std::vector<inject::Site>& sites) {
  double wasted = 0;
  double used_of_others = 0;
  for (const inject::Site& site : sites) {
    if (is_local(site)) continue;
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

/// Returns the sectors stored that this launch had already loaded: they are written back, not fetched. Takes them off
/// `loaded`, the sectors that loads brought.
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
  if (is_local(site)) {  // registers need none
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

/// True if successive requests together fill the sectors that each of them touches in part. Neighbouring sectors are
/// then touched as well.
bool fills_up(const SiteSums& sums) {
  constexpr double filled = 0.9;  // of the sectors: the last requests of a run leave some open
  return sums.sectors >= 2 * sums.memory_sectors && dense_sectors(*sums.site) >= filled * sums.memory_sectors;
}

/// Returns the share of incomplete sectors among those that stores were the first to touch. All stores are added up,
/// because one may complete what another leaves: each member of a structure has a store of its own.
double incomplete_share_of(const std::vector<inject::Site>& sites) {
  // An incomplete sector is assumed to lack at least two words; the sums tell only the mean.
  constexpr double lacking = 2;
  double sectors = 0;
  double words = 0;
  for (const inject::Site& site : sites) {
    if (!is_off_chip(site) || is_local(site) || op_of(site) != Op::store) continue;
    sectors += static_cast<double>(site.memory_sectors);
    words += static_cast<double>(site.used_words);
  }
  if (sectors == 0) return 0;
  return std::clamp((words_per_sector * sectors - words) / lacking / sectors, 0.0, 1.0);
}

/// Returns the row of a site beyond the multiprocessors. `incomplete_share` is of the sectors stored.
report::SiteWork work_of(const SiteSums& sums, double incomplete_share) {
  const inject::Site& site = *sums.site;
  report::SiteWork work{.space = space_of(site),
                        .op = op_of(site),
                        .word_bytes = site.word_bytes,
                        .past_l1 = (site.flags & inject::raw_bulk_copy) != 0,
                        .requests = static_cast<double>(site.requests),
                        .useful_bytes = static_cast<double>(site.useful_bytes),
                        .sectors = sums.sectors,
                        .lines = sums.lines,
                        .memory_sectors = sums.memory_sectors};
  if (stores_locally(site)) {
    // local_traffic.cpp found the sectors that L2 writes to memory, and how many of them it has to fetch first.
    work.written_sectors = sums.memory_sectors;
    work.partial_sectors = sums.memory_sectors - static_cast<double>(site.loaded_sectors);
    return work;
  }
  double in_memory = sums.memory_sectors;
  if (writes(site)) {
    in_memory = work.written_sectors = sums.written_sectors;
    const double unknown = sums.memory_sectors - static_cast<double>(site.loaded_sectors);
    if (!sums.good)
      work.partial_sectors = std::max(0.0, op_of(site) == Op::atomic ? unknown : unknown * incomplete_share);
  } else {
    work.l1_wavefronts = sums.l1_wavefronts;
    work.l2_sectors = sums.l2_sectors;
    work.l2_requests = sums.l2_requests;
  }
  const SectorSpread spread = fills_up(sums) || lies_dense(site) ? SectorSpread() : sums.spread;
  work.atoms = in_memory * spread.atoms;
  work.memory_lines = in_memory * spread.lines;
  work.memory_line_pairs = in_memory * spread.line_pairs;
  return work;
}

/// Returns the number of load or of store instructions, whichever is greater: each may wait behind the one before. The
/// number is limited, because in long kernels not all are under way at once.
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

std::vector<AtomicSite> atomics_of(const std::vector<SiteSums>& sites) {
  std::vector<AtomicSite> atomics;
  for (const SiteSums& sums : sites) {
    if (!is_off_chip(*sums.site) || op_of(*sums.site) != Op::atomic) continue;
    atomics.push_back({.site = sums.site, .combined = sums.good, .adds_floats = sums.adds_floats});
  }
  return atomics;
}

/// Returns how far a row is from each limit where demand_of() changes from one rule to another, in steps.
auto steps_of(const report::SiteWork& site) {
  constexpr double steps = 4;  // of a factor of two
  const auto ratio = [](double one, double other) {
    if (one <= 0 || other <= 0) return one > 0 ? 1000.0 : -1000.0;
    return std::round(steps * std::log2(one / other));
  };
  const double efficiency = site.useful_bytes / (site.sectors * access::sector_bytes);
  const double used = efficiency >= 1 ? 2 : efficiency < 0.5 ? 0 : 1;
  return std::tuple(site.space, site.op, site.word_bytes, site.past_l1, used, ratio(site.l1_wavefronts, site.lines),
                    ratio(site.l2_sectors, site.l2_requests), ratio(site.partial_sectors, site.written_sectors),
                    ratio(site.sectors, site.lines), ratio(site.sectors, site.written_sectors));
}

std::vector<report::SiteWork> added_up(const std::vector<report::SiteWork>& sites) {
  std::vector<report::SiteWork> rows;
  std::map<decltype(steps_of({})), std::size_t> known;
  for (const report::SiteWork& site : sites) {
    const auto [place, is_new] = known.try_emplace(steps_of(site), rows.size());
    if (is_new) {
      rows.push_back(site);
      continue;
    }
    for (const auto& [name, value] : report::site_sums) rows[place->second].*value += site.*value;
  }
  return rows;
}

void to_six_digits(double& value) {
  constexpr int digits = 6;
  value = std::stod(fmt::format("{:.{}g}", value, digits));
}

}  // namespace

inject::Site as_loads(inject::Site site) {
  site.op = inject::RawOp::load;
  site.loaded_sectors = 0;
  return site;
}

SeenSites::SeenSites(const std::vector<inject::Site>& sites, const std::vector<MachineInstruction>& code)
    : turns_(turns_of(sites)), incomplete_share_(incomplete_share_of(sites)) {
  const std::vector<double> least_memory = least_memory_sectors(sites);
  double loaded = 0;
  for (const inject::Site& site : sites) {
    if (is_off_chip(site) && !is_local(site) && !writes(site)) loaded += static_cast<double>(site.memory_sectors);
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

void SeenSites::add_to(report::LaunchWork& work, const std::vector<bool>& good, const LaunchBlocks& blocks) const {
  std::vector<SiteSums> all;
  for (std::size_t i = 0; i < sites_.size(); ++i) {
    const ReadSite& known = sites_[i];
    const bool is_good = !good.empty() && good[i];
    SiteSums sums = sums_of(*known.site);
    sums.spread = known.spread;
    sums.adds_floats = known.adds_floats;
    sums.l1_wavefronts = known.l1_wavefronts;
    sums.scattered = known.scattered;
    if (writes(*sums.site)) sums.written_sectors = sums.memory_sectors + known.over_loaded;
    if (is_good && known.gathered) {
      SiteSums loads = sums_of(*known.gathered);
      loads.spread = known.spread;
      loads.l1_wavefronts = l1_wavefronts_of(*known.gathered);
      all.push_back(loads);
    }
    if (is_good) make_good(sums, known.least_memory);
    all.push_back(sums);
  }
  work.turns = turns_;
  work.sites.clear();
  for (const SiteSums& sums : all) {
    if (sums.site->space == inject::RawSpace::shared) work.shared_wavefronts += sums.wavefronts;
    if (is_off_chip(*sums.site) && sums.sectors > 0) work.sites.push_back(work_of(sums, incomplete_share_));
  }
  work.atomics = atomic_work(atomics_of(all), blocks);
}

report::LaunchWork compact(report::LaunchWork work) {
  work.sites = added_up(work.sites);
  for (report::SiteWork& site : work.sites) {
    for (const auto& [name, value] : report::site_sums) to_six_digits(site.*value);
  }
  for (report::AtomicWork& atomic : work.atomics) {
    for (double* value : {&atomic.turns, &atomic.lines, &atomic.hottest_updates}) to_six_digits(*value);
  }
  to_six_digits(work.shared_wavefronts);
  to_six_digits(work.local_threads_share);
  if (!work.path) return work;
  for (double& cycles : work.path->busy_cycles) to_six_digits(cycles);
  to_six_digits(work.path->float_cycles);
  for (Chain* chain : {&work.path->chains.mean, &work.path->chains.busiest, &work.path->chains.longest}) {
    to_six_digits(chain->waits);
    to_six_digits(chain->cycles);
  }
  return work;
}

}  // namespace gpumem::program
