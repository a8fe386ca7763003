#include "program/price/tensor_stores.hpp"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstring>
#include <map>

#include "program/machine_code/block_counts.hpp"
#include "program/read/raw_words.hpp"
#include "program/watch/sites/tensor_map.hpp"

namespace gpumem::program {

namespace {

using TensorMap = std::array<std::uint32_t, inject::tensor_map_words>;

/// The addresses that a tensor lies at.
struct Extent {
  std::uint64_t begin = 0;
  std::uint64_t end = 0;
};

bool is_possible_map(const TensorMap& map) {
  constexpr std::uint64_t aligned_to = 16;  // as the driver asks for (CUDA Driver API, cuTensorMapEncodeTiled)
  constexpr unsigned most_rank = 5;
  const std::uint64_t begin = inject::tensor_begin(map);
  if (begin == 0 || begin % aligned_to != 0 || inject::tensor_rank(map) > most_rank || !inject::has_rows(map)) {
    return false;
  }
  const std::uint64_t bytes = inject::element_bytes(map);
  const std::uint64_t box_bytes = inject::box_size(map, 0) * bytes;
  if (box_bytes % aligned_to != 0 || inject::tensor_size(map, 0) > (std::uint64_t{1} << 31U)) return false;
  for (unsigned i = 1; i < inject::tensor_rank(map); ++i) {
    if (inject::tensor_size(map, i) > 1 && inject::stride_of(map, i) == 0) return false;
  }
  return true;
}

Extent extent_of(const TensorMap& map) {
  std::uint64_t bytes = inject::tensor_size(map, 0) * inject::element_bytes(map);
  for (unsigned i = 1; i < inject::tensor_rank(map); ++i) {
    bytes += (inject::tensor_size(map, i) - 1) * inject::stride_of(map, i);
  }
  return {inject::tensor_begin(map), inject::tensor_begin(map) + bytes};
}

/// Returns the tensor maps among the kernel's parameters, each once.
std::vector<TensorMap> maps_among(const LaunchConstants& constants) {
  constexpr std::uint64_t aligned_to = 64;  // CUDA Driver API, cuTensorMapEncodeTiled
  std::vector<TensorMap> maps;
  const std::string_view bytes = constants.parameters;
  for (std::size_t at = 0; at + sizeof(TensorMap) <= bytes.size(); ++at) {
    if ((constants.parameter_offset + at) % aligned_to != 0) continue;
    TensorMap map;
    std::memcpy(map.data(), bytes.data() + at, sizeof(map));
    if (is_possible_map(map) && std::ranges::find(maps, map) == maps.end()) maps.push_back(map);
  }
  return maps;
}

bool is_loaded(const TensorMap& map, const std::vector<inject::Site>& sites) {
  const Extent tensor = extent_of(map);
  const auto touches = [&](const inject::ShownRequest& request) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      const bool active = (request.active >> lane & 1U) != 0;
      if (active && request.address[lane] >= tensor.begin && request.address[lane] < tensor.end) return true;
    }
    return false;
  };
  return std::ranges::any_of(sites, [&](const inject::Site& site) {
    if (site.space != inject::RawSpace::global || site.op == inject::RawOp::store) return false;
    return std::any_of(site.request, site.request + site.shown, touches);
  });
}

/// The cost of storing each element of a tensor once.
struct TensorCost {
  double boxes = 0;
  double bytes = 0;
  double sectors = 0;
  double lines = 0;
};

/// Counts the blocks of `block_bytes` that the bytes touch.
std::uint64_t blocks_in(std::uint64_t begin, std::uint64_t bytes, std::uint64_t block_bytes) {
  return (begin + bytes - 1) / block_bytes - begin / block_bytes + 1;
}

/// Assumes that each row of the tensor is aligned like the first, and that each box of a row is stored by itself.
TensorCost cost_of(const TensorMap& map) {
  const std::uint64_t element = inject::element_bytes(map);
  const std::uint64_t row_bytes = inject::tensor_size(map, 0) * element;
  const std::uint64_t box_bytes = inject::box_size(map, 0) * element;
  TensorCost cost;
  for (std::uint64_t at = 0; at < row_bytes; at += box_bytes) {
    const std::uint64_t begin = inject::tensor_begin(map) + at;
    const std::uint64_t bytes = std::min(box_bytes, row_bytes - at);
    cost.boxes += 1;
    cost.bytes += static_cast<double>(bytes);
    cost.sectors += static_cast<double>(blocks_in(begin, bytes, access::sector_bytes));
    cost.lines += static_cast<double>(blocks_in(begin, bytes, access::line_bytes));
  }
  for (unsigned i = 1; i < inject::tensor_rank(map); ++i) {
    const auto rows = static_cast<double>(inject::tensor_size(map, i));
    cost.bytes *= rows;
    cost.sectors *= rows;
    cost.lines *= rows;
    cost.boxes *= std::ceil(rows / inject::box_count(map, i));
  }
  return cost;
}

/// The first words of the tensor, as an injected library shows those of a copy.
inject::ShownRequest first_words(const TensorMap& map) {
  constexpr std::uint64_t word = 16;
  const std::uint64_t row_bytes =
      std::min<std::uint64_t>(inject::box_size(map, 0), inject::tensor_size(map, 0)) * inject::element_bytes(map);
  inject::ShownRequest shown;
  for (unsigned lane = 0; lane < access::warp_lanes && lane * word < row_bytes; ++lane) {
    shown.address[lane] = inject::tensor_begin(map) + lane * word;
    shown.active |= 1U << lane;
  }
  return shown;
}

/// Returns the instructions that store boxes, and the most times that warps can have executed each. Empty if the launch
/// also ran tensor loads or reductions that are not counted.
std::map<std::size_t, double> stores_of(const LaunchSums& launch, unsigned major) {
  std::vector<MachineInstruction> code = instructions_of(launch.code, major);
  const bool has_stores = std::ranges::find(code, Hidden::tensor_store, &MachineInstruction::hidden) != code.end();
  if (!has_stores) return {};
  ConstantBranches constant = constant_branches(launch.code, code, major, launch.constants);
  const BlockCounts counts(std::move(code), launch.sites, warps_of(launch), std::move(constant), UnseenWays::most);
  std::map<std::size_t, double> stores;
  for (const BasicBlock& block : counts.blocks()) {
    if (block.times == 0) continue;
    for (std::size_t i = block.begin; i < block.end; ++i) {
      const Hidden hidden = counts.code()[i].hidden;
      if (hidden == Hidden::tensor_store) stores[i] = block.times;
      const bool may_load = hidden == Hidden::tensor_load || hidden == Hidden::tensor_reduction;
      if (may_load && !counts.seen().contains(i)) return {};
    }
  }
  return stores;
}

}  // namespace

std::vector<inject::Site> tensor_stores(const LaunchSums& launch, unsigned major) {
  const std::map<std::size_t, double> stores = stores_of(launch, major);
  if (stores.empty()) return {};
  std::vector<TensorMap> maps = maps_among(launch.constants);
  std::erase_if(maps, [&](const TensorMap& map) { return is_loaded(map, launch.sites); });
  if (maps.empty()) return {};
  TensorCost cost;
  for (const TensorMap& map : maps) {
    const TensorCost of_map = cost_of(map);
    cost = {cost.boxes + of_map.boxes, cost.bytes + of_map.bytes, cost.sectors + of_map.sectors,
            cost.lines + of_map.lines};
  }
  double times = 0;
  for (const auto& [index, most] : stores) times += most;
  const double stored_share = std::min(1.0, times / cost.boxes);
  std::vector<inject::Site> sites;
  for (const auto& [index, most] : stores) {
    const double share = stored_share * most / times;
    const auto of_all = [&](double sum) { return static_cast<std::uint64_t>(std::llround(share * sum)); };
    inject::Site site{.pc = index * instruction_bytes, .op = inject::RawOp::store, .word_bytes = 16};
    site.flags = inject::raw_bulk_copy | inject::raw_assumed;
    site.requests = std::max<std::uint64_t>(1, of_all(cost.boxes));
    site.active_lanes = site.requests;
    site.useful_bytes = of_all(cost.bytes);
    site.sectors = of_all(cost.sectors);
    site.least_sectors = of_all(cost.bytes / access::sector_bytes);
    site.lines = of_all(cost.lines);
    site.l2_sectors = site.sectors;
    site.memory_sectors = site.sectors;
    site.used_words = site.useful_bytes / 4;
    site.l2_requests = site.lines;
    site.request[site.shown++] = first_words(maps.front());
    sites.push_back(site);
  }
  return sites;
}

}  // namespace gpumem::program
