#include "program/read/shown_requests.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <set>

#include "program/read/raw_words.hpp"
#include "program/watch/sites/site_table.hpp"

namespace gpumem::program {

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

bool lies_dense(const inject::Site& site) {
  constexpr std::uint32_t enough = 4;
  constexpr double most = 0.7;
  constexpr double again = 1.5;
  if (site.shown < enough || site.requests == 0) return false;
  std::uint64_t lowest = ~std::uint64_t{0};
  std::uint64_t highest = 0;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    std::set<std::uint64_t> addresses;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) != 0) addresses.insert(site.request[k].address[lane]);
    }
    if (addresses.empty()) return false;
    const std::uint64_t bytes = *addresses.rbegin() - *addresses.begin() + site.word_bytes;
    if (bytes != addresses.size() * site.word_bytes) return false;
    lowest = std::min(lowest, *addresses.begin());
    highest = std::max(highest, *addresses.begin() + bytes);
  }
  // Requests are shown of one part of the multiprocessors, the last one after 4^k others (raw_format.hpp). If they go
  // on as they began, all of them go that much further.
  const double before = std::pow(4.0, site.shown - 2) * inject::sum_copies;
  const double gone = std::min(1.0, before / static_cast<double>(site.requests));
  const double extent = static_cast<double>(highest - lowest) / gone;
  const double touched = static_cast<double>(site.memory_sectors) * access::sector_bytes;
  return touched >= most * extent && touched <= again * std::max(extent, static_cast<double>(site.useful_bytes));
}

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

bool scatters(const inject::Site& site) {
  constexpr double apart = 0.75;  // of the lanes in sectors of their own: chance brings some together
  if (op_of(site) != access::Op::store || site.space != inject::RawSpace::global) return false;
  if (static_cast<double>(site.sectors) < apart * static_cast<double>(site.active_lanes)) return false;
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

double l1_wavefronts_of(const inject::Site& site) {
  double lines = 0;
  double wavefronts = 0;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const access::WarpRequest request = request_of(site, site.request[k]);
    lines += access::lines_per_request(request);
    wavefronts += access::shared_wavefronts(request, access::Op::load);
  }
  const auto all = static_cast<double>(site.lines);
  return lines > 0 ? all * wavefronts / lines : all;
}

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

}  // namespace gpumem::program
