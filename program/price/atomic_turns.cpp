#include "program/price/atomic_turns.hpp"

#include <algorithm>
#include <cmath>
#include <map>
#include <set>
#include <utility>

#include "engine/access/request.hpp"
#include "program/read/raw_words.hpp"
#include "program/read/shown_requests.hpp"

namespace gpumem::program {

namespace {

/// The atomics of sites that go to the same array, as far as the requests shown tell. Unrolled copies of one atomic do.
struct AtomicArray {
  std::set<std::uint64_t> lines;             ///< shown
  std::map<std::uint64_t, double> requests;  ///< of those shown, that update a word, by its address
  double shown_requests = 0;
  double shown = 0;  ///< how often a line
  double moves = 0;  ///< of those, how often another than the one before
  double turns = 0;
  double sectors = 0;  ///< that nobody had stored to before
  double lanes = 0;    ///< in all
  bool adds_floats = false;

  [[nodiscard]] std::uint64_t first_line() const { return lines.empty() ? 0 : *lines.begin(); }
  /// Returns true if `other` begins within this array. It must not begin before this one.
  [[nodiscard]] bool reaches(const AtomicArray& other) const {
    return !lines.empty() && !other.lines.empty() && *other.lines.begin() <= *lines.rbegin();
  }
  void add(AtomicArray other) {
    lines.merge(other.lines);
    for (const auto& [address, count] : other.requests) requests[address] += count;
    shown_requests += other.shown_requests;
    shown += other.shown;
    moves += other.moves;
    turns += other.turns;
    sectors += other.sectors;
    lanes += other.lanes;
    adds_floats = adds_floats || other.adds_floats;
  }
};

AtomicArray atomic_array(const AtomicSite& atomic, const LaunchBlocks& blocks) {
  const inject::Site& site = *atomic.site;
  AtomicArray array;
  array.sectors = static_cast<double>(site.memory_sectors);
  array.lanes = static_cast<double>(site.active_lanes);
  array.adds_floats = atomic.adds_floats;
  std::set<std::uint64_t> before;
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    const access::BlockSet touched = access::blocks_touched(request_of(site, site.request[k]), access::line_bytes);
    std::set<std::uint64_t> lines(touched.block, touched.block + touched.size);
    array.lines.insert(lines.begin(), lines.end());
    array.shown += static_cast<double>(touched.size);
    if (lines != before) array.moves += static_cast<double>(touched.size);
    before = std::move(lines);
    std::set<std::uint64_t> words;
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1U) != 0) words.insert(site.request[k].address[lane]);
    }
    for (const std::uint64_t word : words) ++array.requests[word];
    ++array.shown_requests;
  }
  // The requests shown are spread over the launch. If all of them go to the lines of the first, all blocks do, though
  // many of them take themselves for the first in a sector.
  constexpr double several = 6;
  const auto lines = static_cast<double>(array.lines.size());
  if (array.shown_requests >= several && array.moves <= lines) {
    array.sectors = std::min(array.sectors, lines * sectors_per_line);
  }
  array.turns = static_cast<double>(site.sectors) * turns_per_sector(site);
  if (atomic.combined) {
    // Each block has added up before it updates a word. If its own requests meet, a block could also go on with the
    // work of other blocks. Then no more blocks update a word than are resident.
    const double words =
        (requests_meet(site, blocks.all) ? blocks.resident : blocks.all) * std::max(array.sectors, 1.0);
    array.lanes *= std::min(1.0, words / std::max(array.turns, 1.0));
    array.turns = std::min(array.turns, words);
  }
  return array;
}

/// The arrays of the sites. Sites whose lines overlap share one.
std::vector<AtomicArray> arrays_of(const std::vector<AtomicSite>& sites, const LaunchBlocks& blocks) {
  std::vector<AtomicArray> all;
  for (const AtomicSite& site : sites) all.push_back(atomic_array(site, blocks));
  std::ranges::stable_sort(all, {}, &AtomicArray::first_line);
  std::vector<AtomicArray> arrays;
  for (AtomicArray& array : all) {
    if (!arrays.empty() && arrays.back().reaches(array)) {
      arrays.back().add(std::move(array));
    } else {
      arrays.push_back(std::move(array));
    }
  }
  return arrays;
}

/// Returns the n for which `draws` draws from n things give `different` different ones: n (1 - exp(-draws / n)).
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

/// Estimates the lines of the array. The sectors that its atomics were first to store to are not enough: none are
/// counted if the launch itself has set the array to zero, and too many if blocks come to a sector at once, as each
/// takes itself for the first. Requests to random lines tell better, if they come to each line more than once.
double lines_of(const AtomicArray& array) {
  constexpr double lines_per_request = 4;  // lanes side by side come to fewer
  constexpr double often = 2;
  const auto different = static_cast<double>(array.lines.size());
  const double drawn = array.lines.empty() ? 1 : number_drawn_from(different, array.shown);
  const bool at_random = array.shown > lines_per_request * array.shown_requests;
  if (at_random && array.shown > often * different) return drawn;
  const double told = std::max(array.sectors / sectors_per_line, drawn);
  // Requests that leave lines and come back to them go round in an array little larger than the part shown.
  constexpr double back = 1.5;
  if (array.moves < back * different || array.moves <= 1) return told;
  const auto span = static_cast<double>(*array.lines.rbegin() - *array.lines.begin() + 1);
  return std::min(told, span * (array.moves + 1) / (array.moves - 1));
}

/// The updates of the word that has most of them. If one word is in more than half of the requests shown, it has its
/// share of the array's updates. Otherwise all words are taken to have equally many.
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

/// The slices of L2 that so many lines lie in.
double slices_of(double lines, const model::Rates& rates) {
  constexpr double halves = 2;  // of L2, over which few lines spread already, but for neighbours
  const double slices = std::max(lines / rates.atomics.slice_lines, std::min(lines / 2, halves));
  return std::clamp(slices, 1.0, rates.atomics.slices);
}

}  // namespace

bool requests_meet(const inject::Site& site, double blocks) {
  if (op_of(site) != access::Op::atomic || !is_off_chip(site)) return false;
  constexpr double lanes_at_word = 1.5;
  constexpr double few_lanes = 2;
  constexpr double often = 32;
  const auto requests = static_cast<double>(site.requests);
  const auto different = static_cast<double>(std::max(site.memory_sectors, std::uint64_t{1}));
  const bool come_back = static_cast<double>(site.sectors) >= 2 * blocks * different;
  const bool warps_alike = static_cast<double>(site.active_lanes) <= few_lanes * requests && requests >= 2 * blocks &&
                           requests > often * different;
  return lanes_per_word(site) >= lanes_at_word || come_back || warps_alike;
}

std::vector<report::AtomicWork> atomic_work(const std::vector<AtomicSite>& sites, const LaunchBlocks& blocks) {
  std::vector<report::AtomicWork> work;
  for (const AtomicArray& array : arrays_of(sites, blocks)) {
    work.push_back({.turns = array.turns,
                    .lines = lines_of(array),
                    .hottest_updates = array.adds_floats ? updates_of_hottest(array) : 0});
  }
  return work;
}

double atomic_turns(const std::vector<report::AtomicWork>& arrays, const model::Rates& rates) {
  // The sum of floats at a word has to be complete before the next addend.
  const double float_turns = rates.atomics.turn_cycles > 0 ? rates.atomics.float_cycles / rates.atomics.turn_cycles : 0;
  double longest = 0;
  double all = 0;
  for (const report::AtomicWork& array : arrays) {
    longest = std::max({longest, array.turns / slices_of(array.lines, rates), array.hottest_updates * float_turns});
    all += array.turns;
  }
  return std::max(longest, all / rates.atomics.slices);
}

}  // namespace gpumem::program
