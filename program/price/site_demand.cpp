#include "program/price/site_demand.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/occupancy.hpp"
#include "program/price/atomic_turns.hpp"
#include "program/read/raw_words.hpp"
#include "program/read/shown_requests.hpp"

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
  const SectorSpread spread = fills_up(sums) || lies_dense(*sums.site) ? SectorSpread() : sums.spread;
  footprint.atoms = footprint.sectors * spread.atoms;
  footprint.partial_atoms = std::max(0.0, 2 * footprint.atoms - footprint.sectors);
  footprint.lines = footprint.sectors * spread.lines;
  footprint.line_pairs = footprint.sectors * spread.line_pairs;
  footprint.channels = access::atom_channels;
  // The work of atomics in L2 is a stage of its own: each sector counts once here.
  if (op_of(site) == Op::atomic) summary.cost.sectors_per_request = footprint.sectors / requests;
  return summary;
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

/// Adds stores to local memory. Sectors stored in part cost L2 more, once for each line of a request
/// (engine/model/demand.cpp).
void add_local_stores(model::Demand& demand, const SiteSums& sums, const model::Rates& rates) {
  if (sums.sectors == 0) return;  // not there
  const double parts = stores_parts(*sums.site) ? sums.lines : 0;
  demand.l1.store_lines += sums.lines;
  demand.l2.split_sectors += parts;
  demand.l2.store_sectors += sums.sectors - parts;
  // local_traffic.cpp found the sectors that L2 writes to memory, and how many of them it has to fetch first.
  const double fetched = sums.memory_sectors - static_cast<double>(sums.site->loaded_sectors);
  demand.dram.write_bytes += sums.memory_sectors * access::sector_bytes;
  demand.dram.read_bytes += fetched * access::sector_bytes;
  // The time that stores wait for the rest of their sector is added as split sectors.
  const double filled_s =
      fetched * sums.lines / sums.sectors * (1 / rates.l2.fill_lines_per_s + 1 / rates.l2.fill_line_pairs_per_s);
  demand.l2.split_sectors += rates.l2.filled_share * filled_s * rates.l2.split_sectors_per_s;
}

std::vector<AtomicSite> atomics_of(const std::vector<SiteSums>& sites) {
  std::vector<AtomicSite> atomics;
  for (const SiteSums& sums : sites) {
    if (!is_off_chip(*sums.site) || op_of(*sums.site) != Op::atomic) continue;
    atomics.push_back({.site = sums.site, .combined = sums.good, .adds_floats = sums.adds_floats});
  }
  return atomics;
}

/// Corrects the demand where sums are more exact than footprints: hits in L1, requests to L2, and atomics that meet.
void correct(model::Demand& demand, const std::vector<SiteSums>& sites, const LaunchBlocks& blocks,
             const model::Profile& profile) {
  const model::Rates& rates = profile.rates;
  // The sectors that L2 sends in the time that it takes for one request.
  const double sectors_of_request =
      rates.l2.read_requests_per_s > 0 ? rates.l2.load_sectors_per_s / rates.l2.read_requests_per_s : 1;
  demand.l1.load_lines = 0;
  demand.l2.load_sectors = 0;
  demand.footprint_bytes = 0;
  demand.atomic_turns = atomic_turns(atomics_of(sites), blocks, rates);
  for (const SiteSums& sums : sites) {
    const bool over_link = sums.site->space == inject::RawSpace::host && !profile.device.integrated;
    if (!is_off_chip(*sums.site) || over_link) continue;
    if (stores_locally(*sums.site)) {
      add_local_stores(demand, sums, rates);
      continue;
    }
    demand.footprint_bytes += std::max(sums.memory_sectors, sums.written_sectors) * access::sector_bytes;
    if (writes(*sums.site)) continue;
    if ((sums.site->flags & inject::raw_bulk_copy) == 0)
      demand.l1.load_lines += std::max(sums.l1_wavefronts, sums.lines / rates.l1.lines_at_a_time);
    demand.l2.load_sectors += std::max(sums.l2_sectors, sums.l2_requests * sectors_of_request);
  }
}

}  // namespace

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
    const ReadSite& known = sites_[i];
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
  const auto blocks = static_cast<double>(workload.blocks);
  const auto places = static_cast<double>(model::occupancy_of(workload, profile.device).of_device);
  correct(demand, all, {.all = blocks, .resident = std::min(blocks, places)}, profile);
  return demand;
}

}  // namespace gpumem::program
