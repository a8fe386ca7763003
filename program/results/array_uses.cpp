#include "program/results/array_uses.hpp"

#include <algorithm>

#include "engine/access/request.hpp"
#include "program/read/raw_words.hpp"

namespace gpumem::program {

namespace {

constexpr double nearly_all = 0.9;
constexpr double once = 1.35;               // requests that begin within a sector touch 5 where 4 would do
constexpr std::uint64_t gap_bytes = 16384;  // between unrolled copies of an access, a few blocks apart

double sector_bytes(std::uint64_t sectors) { return static_cast<double>(sectors) * access::sector_bytes; }

ArrayUse use_of(const inject::Site& site) {
  ArrayUse use{.lowest = ~std::uint64_t{0},
               .touched_bytes = sector_bytes(site.memory_sectors),
               .moved_bytes = sector_bytes(site.sectors),
               .useful_bytes = static_cast<double>(site.useful_bytes),
               .in_order = static_cast<double>(site.sectors) <= once * static_cast<double>(site.least_sectors)};
  for (std::uint32_t k = 0; k < site.shown; ++k) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if ((site.request[k].active >> lane & 1) == 0) continue;
      use.lowest = std::min(use.lowest, site.request[k].address[lane]);
      use.highest = std::max(use.highest, site.request[k].address[lane] + site.word_bytes);
    }
  }
  return use;
}

/// Puts together uses of one array.
std::vector<ArrayUse> put_together(std::vector<ArrayUse> uses) {
  std::ranges::sort(uses, {}, &ArrayUse::lowest);
  std::vector<ArrayUse> arrays;
  for (const ArrayUse& use : uses) {
    if (arrays.empty() || use.lowest > arrays.back().highest + gap_bytes) {
      arrays.push_back(use);
      continue;
    }
    ArrayUse& array = arrays.back();
    array.highest = std::max(array.highest, use.highest);
    array.touched_bytes += use.touched_bytes;
    array.moved_bytes += use.moved_bytes;
    array.useful_bytes += use.useful_bytes;
    array.in_order = array.in_order && use.in_order;
  }
  return arrays;
}

}  // namespace

bool ArrayUse::goes_once() const {
  return in_order && moved_bytes <= once * touched_bytes && useful_bytes >= touched_bytes / once;
}

ArrayUses array_uses(const std::vector<inject::Site>& sites) {
  ArrayUses uses;
  for (const inject::Site& site : sites) {
    const bool is_load = site.op == inject::RawOp::load;
    const auto useful = static_cast<double>(site.useful_bytes);
    if (site.op == inject::RawOp::atomic || (site.flags & inject::raw_not_counted) != 0) uses.is_plain = false;
    if (site.space == inject::RawSpace::shared) {
      (is_load ? uses.shared_loaded_bytes : uses.shared_stored_bytes) += useful;
    } else if (site.space == inject::RawSpace::global && site.op != inject::RawOp::atomic) {
      (is_load ? uses.loaded_bytes : uses.stored_bytes) += useful;
      if (site.shown == 0) uses.is_plain = false;
      if (site.shown > 0) (is_load ? uses.loads : uses.stores).push_back(use_of(site));
    } else if (!is_local(site)) {
      uses.is_plain = false;
    }
  }
  uses.loads = put_together(std::move(uses.loads));
  uses.stores = put_together(std::move(uses.stores));
  return uses;
}

bool lies_in(const ArrayUse& use, const ArrayUse& array) {
  const std::uint64_t from = std::min(use.lowest, array.lowest);
  const std::uint64_t to = std::max(use.highest, array.highest);
  return static_cast<double>(to - from) <= array.touched_bytes;
}

std::uint64_t whole_bytes(double bytes) {
  constexpr double most = 1e18;
  return static_cast<std::uint64_t>(std::min(bytes, most));
}

bool covers(const ArrayUse& use, const ArrayUse& array) {
  return lies_in(use, array) && use.touched_bytes >= nearly_all * array.touched_bytes;
}

}  // namespace gpumem::program
