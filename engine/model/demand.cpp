#include "engine/model/demand.hpp"

#include <algorithm>
#include <cmath>

#include "engine/model/store_merging.hpp"

namespace gpumem::model {

namespace {

using access::Home;
using access::Op;

/// Returns the home of a site's accesses. On a device that shares the host's memory, host memory is device memory.
Home home_of(const access::Site& site, const Device& device) {
  const Home home = row_of(site.space).home;
  return home == Home::host_memory && device.integrated ? Home::device_memory : home;
}

/// True if the site asks this GPU for sectors from beyond its multiprocessor. False for accesses without a rule, whose
/// demand is not known, and for atomics: L2 executes them, so they are neither loads nor stores of sectors.
bool asks_for_sectors(const access::Site& site) {
  const Home home = row_of(site.space).home;
  return site.op != Op::atomic && home != Home::on_chip && home != Home::peer_memory &&
         costed(site.space, site.op).sectors;
}

/// True if warps use less than half of each sector that they touch.
bool is_sparse(const access::SiteCost& cost) { return cost.efficiency < 0.5; }

/// Returns the share of sectors, among those that stores of neighbouring warps write in two parts, whose parts are not
/// combined on the way. Parts are combined if they come close in time. The more stores a thread issues in a row, the
/// later its neighbour's turn comes, and warps that wait for loads have drifted apart anyway (docs/method/model.md).
/// Behind loads, warps that store less than half of each sector are no neighbours in time: in a transpose that stores
/// columns, all parts arrive on their own.
double uncombined_share(const Demand& demand, const access::Site& store, const access::SiteCost& cost,
                        const Rates& rates) {
  if (demand.loads) return is_sparse(cost) ? 1 : rates.uncombined.behind_loads_share;
  const double in_a_row = store.instructions;
  return in_a_row * in_a_row / (in_a_row * in_a_row + rates.uncombined.half_stores * rates.uncombined.half_stores);
}

/// Share of the sectors that a launch's stores leave incomplete.
double incomplete_share(const access::Footprint& footprint) {
  return footprint.sectors == 0 ? 0 : footprint.partial_sectors / footprint.sectors;
}

void add_link_load(Demand& demand, const access::Site& site, const access::SiteSummary& summary) {
  const auto& [cost, footprint] = summary;
  demand.link.load_lines += footprint.lines;
  demand.link.load_atoms += footprint.atoms;
  demand.link.load_sectors += footprint.sectors;
  demand.link.load_split_lines +=
      std::max(0.0, static_cast<double>(site.requests) * cost.lines_per_request - footprint.lines);
}

void add_link_store(Demand& demand, const access::Site& site, const access::SiteSummary& summary, const Rates& rates) {
  const auto& [cost, footprint] = summary;
  const auto requests = static_cast<double>(site.requests);
  const double incomplete = incomplete_share(footprint);
  // A write over the link enables the bytes of an aligned 8-byte block one by one (PCI Express Base Specification,
  // "First/Last DW Byte Enables Rules"), so smaller words of a block travel together.
  constexpr double block_bytes = 8;
  const double in_words =
      requests * cost.sectors_per_request * cost.efficiency * access::sector_bytes / site.word_bytes;
  const double blocks = requests * cost.sectors_per_request * access::sector_bytes / block_bytes;
  const double words = site.word_bytes < block_bytes ? std::min(in_words, blocks) : in_words;
  const double alone = footprint.partial_atoms * incomplete;
  const double split_lines = std::max(0.0, requests * cost.lines_per_request - footprint.lines);
  demand.link.store_sectors += footprint.sectors;
  demand.link.write_bytes += (footprint.sectors - footprint.partial_sectors) * access::sector_bytes;
  demand.link.split_writes += split_lines * (1 - incomplete) * uncombined_share(demand, site, cost, rates);
  demand.link.partial_writes += std::max(0.0, words * incomplete - alone);
  demand.link.lone_writes += alone;
  demand.link.lone_idle_writes += alone * (1 - static_cast<double>(footprint.channels) / access::atom_channels);
}

void add_load(Demand& demand, const access::Site& site, const access::SiteSummary& summary) {
  const auto& [cost, footprint] = summary;
  const auto requests = static_cast<double>(site.requests);
  demand.l1.load_lines += requests * cost.lines_per_request;
  demand.l1.load_bytes += requests * cost.sectors_per_request * cost.efficiency * access::sector_bytes;
  // Sectors that neighbouring warps share come from L1 the second time, so L2 sees the footprint, not the requests.
  demand.l2.load_sectors +=
      site.kept_in_l1 ? footprint.sectors * static_cast<double>(site.fetches) / static_cast<double>(site.feeds)
                      : requests * cost.sectors_per_request;
  demand.l2.first_sectors += footprint.sectors;
  demand.l2.load_lines += footprint.lines;
  demand.l2.load_line_pairs += footprint.line_pairs;
  demand.dram.read_bytes += footprint.atoms * access::dram_atom_bytes;
}

/// Adds sectors that arrive in L2 again, if they are not combined on the way. Whole sectors cost as much as the first
/// time, parts cost more. If warps store less than half of each sector, a request's sectors of one line arrive
/// together: only the first of them costs more than a whole one (docs/method/model.md).
void add_again(Demand& demand, const access::SiteCost& cost, double sectors, double uncombined) {
  if (cost.efficiency >= 1) {
    demand.l2.store_sectors += sectors;
    return;
  }
  const double together = is_sparse(cost) ? std::max(1.0, cost.sectors_per_request / cost.lines_per_request) : 1;
  const double parts = sectors * uncombined / together;
  demand.l2.split_sectors += parts;
  demand.l2.store_sectors += sectors * uncombined - parts;
}

void add_store(Demand& demand, const access::Site& site, const access::SiteSummary& summary, const Rates& rates) {
  const auto& [cost, footprint] = summary;
  // L1 writes through. Sectors shared by requests are written again, unless L1 still holds the other's part.
  // A sector that the launch never completes has to be filled from DRAM.
  const double touched = static_cast<double>(site.requests) * cost.sectors_per_request;
  demand.l1.store_lines += static_cast<double>(site.requests) * cost.lines_per_request;
  const double incomplete = incomplete_share(footprint);
  demand.l2.store_sectors += footprint.sectors;
  add_again(demand, cost, std::max(0.0, touched - footprint.sectors), uncombined_share(demand, site, cost, rates));
  demand.l2.store_lines += footprint.lines * (1 - incomplete);
  demand.l2.store_line_pairs += footprint.line_pairs * (1 - incomplete);
  demand.l2.fill_lines += footprint.lines * incomplete;
  demand.l2.fill_line_pairs += footprint.line_pairs * incomplete;
  demand.dram.read_bytes += footprint.partial_sectors * access::sector_bytes;
  demand.dram.write_bytes += footprint.sectors * access::sector_bytes;
}

/// True if the demand on each level is known without simulating the launch. This takes two things: requests share
/// little, and only with requests near to them; and the memory touched is so much larger or smaller than L2 that the
/// data left by the launch before does not matter.
bool is_plain(const Workload& workload, const std::vector<access::SiteSummary>& sites, const Device& device) {
  constexpr double hardly = 1.02;
  constexpr double little = 1.5;  // of a pattern that goes on steadily, neighbours share it
  constexpr double rare = 0.002;  // sectors that are not as all the others
  double bytes = 0;
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const access::Site& site = workload.sites[i];
    if (!asks_for_sectors(site) || home_of(site, device) != Home::device_memory) continue;
    const double touched = static_cast<double>(site.requests) * sites[i].cost.sectors_per_request;
    const double lines = static_cast<double>(site.requests) * sites[i].cost.lines_per_request;
    const bool is_steady = site.growth_bytes && sites[i].cost.efficiency > 0.5;
    if (touched > (is_steady ? little : hardly) * sites[i].footprint.sectors) return false;
    if (!site.growth_bytes && lines > hardly * sites[i].footprint.lines) return false;
    const double incomplete = incomplete_share(sites[i].footprint);
    if (site.op == Op::store && incomplete > rare && incomplete < 1 - rare) return false;
    bytes += sites[i].footprint.sectors * access::sector_bytes;
  }
  const auto l2 = static_cast<double>(device.l2_bytes);
  return bytes < l2 / 4 || bytes > 4 * l2;
}

/// The uncombined_share of a launch that was simulated. A neighbour's part of a sector comes later if a store, or
/// neighbouring warps together, go to more lines, if a thread issues more stores in a row, and if it takes longer to
/// work out their addresses (docs/patterns.md).
double uncombined_share(const Workload& workload, const Demand& demand, const access::Site& store,
                        const access::SiteCost& cost, double lines, const Rates& rates) {
  const double cycles = workload.address_cycles ? workload.address_cycles(rates) / static_cast<double>(store.evaluated)
                                                : rates.uncombined.plain_cycles;
  const double later =
      lines / rates.uncombined.half_lines * store.instructions *
      std::pow(cycles / rates.uncombined.usual_cycles, rates.uncombined.cycles_exponent) *
      (1 + std::pow(cost.lines_per_request / rates.uncombined.many_lines, rates.uncombined.lines_exponent));
  const double odds =
      std::pow(demand.loads ? rates.uncombined.loads_factor * later : later, rates.uncombined.odds_exponent);
  return std::isinf(odds) ? 1 : odds / (1 + odds);
}

/// Returns the sectors that L2 writes to memory before all blocks have stored their parts of them, and fetches again
/// for the rest. Their number grows with the lines that wait for such blocks, and with the share of stores of single
/// sectors.
double early_sectors(const Demand& demand, const Traffic& traffic, const Profile& profile) {
  const double held = profile.rates.l2.held_share * static_cast<double>(profile.device.l2_bytes) / access::line_bytes;
  const double sectors = std::max(1.0, demand.l2.store_sectors + demand.l2.split_sectors);
  const double single = std::min(1.0, demand.l2.write_requests / sectors);
  return traffic.incomplete_sectors * std::min(1.0, traffic.incomplete_lines / held) * single * single;
}

/// Replaces the demand on device memory by that of the simulated launch.
void replace(Demand& demand, const Traffic& traffic, double uncombined, const Profile& profile) {
  // L1 looks up several lines that it holds at a time, as far as their words lie in different banks.
  demand.l1.load_lines = std::max(traffic.l1_wavefronts, demand.l1.load_lines / profile.rates.l1.lines_at_a_time);
  demand.l1.store_lines = traffic.l1_store_passes;
  demand.l2.read_requests = traffic.l2_read_requests;
  demand.l2.write_requests = std::max(0.0, traffic.l2_write_requests - traffic.l2_shared_requests * (1 - uncombined));
  if (traffic.l2_write_requests > 0) {
    demand.l2.collision_unevenness = traffic.collision_unevenness;
    demand.l2.store_collisions = traffic.store_collisions * demand.l2.write_requests / traffic.l2_write_requests;
  }
  demand.l2.contended_s =
      traffic.contended_stores * contended_cycles /
      (static_cast<double>(profile.device.sm_clock_hz) * std::max(1U, profile.device.multiprocessors));
  demand.l2.load_sectors = traffic.l2_read_sectors;
  demand.l2.first_sectors = std::min(traffic.l2_read_sectors, traffic.fetched_bytes / access::sector_bytes);
  demand.l2.store_sectors = traffic.l2_write_sectors;
  demand.l2.split_sectors = traffic.l2_split_sectors * uncombined;
  const double early = early_sectors(demand, traffic, profile);
  demand.l2.load_lines = traffic.fetched_lines;
  demand.l2.load_line_pairs = traffic.fetched_line_pairs;
  demand.l2.store_lines = traffic.written_lines;
  demand.l2.store_line_pairs = traffic.written_line_pairs;
  demand.l2.fill_lines = traffic.filled_lines + early;
  demand.l2.fill_line_pairs = traffic.filled_line_pairs + early;
  demand.l2.mixed_lines = traffic.mixed_lines;
  demand.l2.mixed_groups = traffic.mixed_groups;
  demand.dram.read_bytes = traffic.fetched_bytes + traffic.filled_bytes + early * access::sector_bytes;
  demand.dram.write_bytes = traffic.written_bytes + early * access::sector_bytes;
  demand.simulated = true;
}

}  // namespace

std::vector<access::SiteSummary> summarise(const Workload& workload) {
  std::vector<access::SiteSummary> summaries;
  for (const access::Site& site : workload.sites) summaries.push_back(access::summarise(site));
  return summaries;
}

std::optional<Traffic> needed_traffic(const Workload& workload, const std::vector<access::SiteSummary>& sites,
                                      const Profile& profile, unsigned log2_fewer_lines) {
  if (!workload.modelled() || is_plain(workload, sites, profile.device)) return std::nullopt;
  return traffic_of(workload, profile, log2_fewer_lines);
}

Demand demand_of(const Workload& workload, const std::vector<access::SiteSummary>& sites, const Profile& profile,
                 unsigned log2_fewer_lines) {
  return demand_with(needed_traffic(workload, sites, profile, log2_fewer_lines), workload, sites, profile);
}

Demand demand_with(const std::optional<Traffic>& traffic, const Workload& workload,
                   const std::vector<access::SiteSummary>& sites, const Profile& profile) {
  const Device& device = profile.device;
  Demand demand;
  for (const access::Site& site : workload.sites) {
    if (!asks_for_sectors(site)) continue;
    (site.op == Op::load ? demand.loads : demand.stores) = true;
    demand.over_link = demand.over_link || home_of(site, device) == Home::host_memory;
    demand.turns = std::max(demand.turns, static_cast<double>(site.instructions));
  }
  for (std::size_t i = 0; i < sites.size(); ++i) {
    const access::Site& site = workload.sites[i];
    const bool load = site.op == Op::load;
    if (costed(site.space, site.op).wavefronts) {
      demand.shared_wavefronts += static_cast<double>(site.requests) * sites[i].cost.wavefronts_per_request;
    }
    if (!asks_for_sectors(site)) continue;
    if (home_of(site, device) == Home::host_memory) {
      load ? add_link_load(demand, site, sites[i]) : add_link_store(demand, site, sites[i], profile.rates);
    } else {
      demand.footprint_bytes += sites[i].footprint.sectors * access::sector_bytes;
      load ? add_load(demand, site, sites[i]) : add_store(demand, site, sites[i], profile.rates);
    }
  }
  if (!traffic) return demand;
  const auto store = std::ranges::find(workload.sites, Op::store, &access::Site::op);
  double uncombined = 0;
  if (store != workload.sites.end()) {
    const auto place = static_cast<std::size_t>(store - workload.sites.begin());
    uncombined =
        uncombined_share(workload, demand, *store, sites[place].cost, traffic->stored_lines_of_warps, profile.rates);
  }
  replace(demand, *traffic, uncombined, profile);
  return demand;
}

}  // namespace gpumem::model
