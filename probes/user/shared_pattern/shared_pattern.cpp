#include "probes/user/shared_pattern/shared_pattern.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <numeric>
#include <utility>

#include "engine/access/exact.hpp"
#include "engine/machine/compute_capability.hpp"
#include "engine/model/profile.hpp"
#include "engine/pattern/expression.hpp"
#include "probes/shared/words_probe.hpp"
#include "probes/user/shared_pattern/shared_kernels.cuh"

namespace gpumem::shared_pattern {

namespace {

/// Wavefronts per multiprocessor and launch: about a quarter of a millisecond, so that launching does not show.
constexpr std::uint64_t wavefronts_per_launch = std::uint64_t{1} << 19U;
/// Fewer, and looking up the addresses of a group would show.
constexpr std::uint64_t fewest_iterations = 64;

constexpr TypedParameter space_parameter{"space"};

std::vector<std::string> texts_of(std::string_view text, std::string_view option) {
  std::vector<std::string> texts;
  for (const std::string_view expression : pattern::expressions_of(text)) {
    const OwnOperation own = own_operation(expression);
    for (const pattern::Swept& swept : pattern::parse(own.expression, option, pattern::Names::of_tile)) {
      texts.push_back(own.name.empty() ? swept.text : fmt::format("{}: {}", own.name, swept.text));
    }
  }
  return texts;
}

Axis tile_number(const Number<>& parameter, const char* flag, const char* unit, const char* purpose) {
  constexpr std::uint64_t most = std::uint64_t{1} << 18U;  // elements of 1 byte in 227 KiB, rounded up
  return parameter(
      {.flag = flag, .unit = unit, .purpose = purpose, .defaults = "0", .maximum = most, .zero_follows = true});
}

std::vector<Axis> tile_axes() {
  Axis space = space_parameter({.flag = "space",
                                .purpose = "memory that the pattern is about: shared is a tile in each block",
                                .defaults = "shared",
                                .names = {"shared"},
                                .zero_follows = true});
  Axis columns = tile_number(axis::columns, "columns", "elements", "elements of a row of the tile");
  columns.defaults = "32";
  columns.minimum = 1;
  columns.zero_follows = false;
  return {
      axis::pattern({.flag = "pattern",
                     .purpose = "element of the block's tile that access i of n goes to: an expression of i, lane, "
                                "warp, thread, row (i / columns), column (i % columns) and pitch; {a..b} in it for a "
                                "sweep",
                     .defaults = "row * pitch + column, column * pitch + row",
                     .quick = "column * pitch + row",
                     .texts = [](std::string_view text) { return texts_of(text, "pattern"); },
                     .takes = "expressions"}),
      std::move(space),
      axis::swizzle({.flag = "swizzle",
                     .purpose = "permutation of the tile's elements: CuTe's Swizzle<B,M,S> as B,M,S, applied to the "
                                "element that the expression gives; a list compares: none,3,0,5,5,0,5",
                     .defaults = "none",
                     .texts = [](std::string_view text) { return swizzle_values(text); },
                     .takes = "none, B,M,S"}),
      tile_number(axis::rows, "rows", "rows",
                  "rows of the tile, which the accesses of a block cover once; 0: 1024 accesses that may go anywhere"),
      std::move(columns),
      tile_number(axis::pitch, "pitch", "elements",
                  "elements from the beginning of a row to that of the next; 0: those of a row, and --pad"),
      tile_number(axis::pad, "pad", "elements", "elements of padding at the end of each row, against bank conflicts"),
      axis::op({.flag = "op",
                .purpose = "operation: of words, or of matrices of 8 x 8 halves, whose rows of 16 bytes the expression "
                           "gives; own: the one that each pattern begins with, as in 'write: column * pitch + row'",
                .defaults = "read"}),
      axis::word_bytes({.flag = "word-bytes",
                        .unit = "bytes",
                        .purpose = "size of an element: what one lane loads or stores with one instruction",
                        .defaults = "4",
                        .numbers = {1, 2, 4, 8, 16}}),
      axis::matrices({.flag = "matrices",
                      .unit = "matrices",
                      .purpose = "matrices that one ldmatrix or stmatrix moves; 0: 4",
                      .defaults = "0",
                      .numbers = {0, 1, 2, 4},
                      .zero_follows = true}),
      axis::active({.flag = "active",
                    .purpose = "expression that is not 0 for the accesses that take part",
                    .defaults = "1",
                    .zero_follows = true,
                    .texts = [](std::string_view text) { return texts_of(text, "active"); },
                    .takes = "expressions"})};
}

std::uint64_t most_shared_bytes(const Device& device) {
  constexpr std::uint64_t everywhere = std::uint64_t{48} << 10U;  // without opting in, on every GPU
  return device.shared_bytes_per_block > 0 ? device.shared_bytes_per_block : everywhere;
}

void require_instruction(const TileCase& tile, const Device& device) {
  const TileInstruction instruction = instruction_of(tile);
  if (instruction.least_capability > 0) {
    require_compute_capability(device, instruction.least_capability, instruction.name);
  }
}

/// True if the tile is copied into from global memory: such a launch has a site there.
bool copies(const Workload& workload) {
  return workload.sites.size() > 1 && workload.sites[1].space == access::Space::global;
}

/// Cycles of a copy by cp.async: its wavefronts, and what it takes to find the source in L1. Measured on an H100 with
/// all numbers of wavefronts from 1 to 32 (docs/patterns.md); nothing was published.
double cycles_of_copy(unsigned wavefronts) { return wavefronts + (wavefronts > 2 ? 1.15 : 1.65); }

/// Cycles of a request, by itself.
double cycles_of(const Workload& workload, const access::WarpRequest& request) {
  const access::Site& site = workload.sites.front();
  if (copies(workload)) return cycles_of_copy(access::copy_wavefronts(request));
  const bool words = request.word_bytes == site.word_bytes;  // else rows of matrices, of which none is inactive
  return words ? access::shared_cycles(request, site.op) : access::matrix_wavefronts(request);
}

std::optional<double> predicted_cycles(const Workload& workload, const model::Prediction& /*prediction*/,
                                       const model::Profile& profile) {
  const access::Site& site = workload.sites.front();
  double cycles = 0;
  double requests = 0;
  for (const access::RequestKind& kind : site.kinds) {
    cycles += static_cast<double>(kind.count) * cycles_of(workload, site.request(kind.request));
    requests += static_cast<double>(kind.count);
  }
  return cycles / requests / profile.rates.shared.wavefronts_per_cycle;
}

/// Wavefronts that bank conflicts add to a request of the tile.
std::optional<double> conflict_wavefronts(const Workload& workload, const model::Prediction& /*prediction*/,
                                          const model::Profile& /*profile*/) {
  const access::Site& site = workload.sites.front();
  double least = 0;
  double requests = 0;
  for (const access::RequestKind& kind : site.kinds) {
    least += static_cast<double>(kind.count) * access::least_wavefronts(site.request(kind.request));
    requests += static_cast<double>(kind.count);
  }
  return site.summary->cost.wavefronts_per_request - least / requests;
}

/// The site of copies in global memory: the active lanes of a request read neighbouring words, the same in all
/// requests.
access::Site source_of(const TileLaunch& launch, const Workload& workload) {
  access::Site source;
  source.name = "source";
  source.op = access::Op::load;
  source.word_bytes = launch.tile.word_bytes;
  source.instructions = turns;
  source.requests = workload.sites.front().requests;
  source.kinds = workload.sites.front().kinds;
  source.extent_bytes = copied_bytes(launch);
  source.request = [block = launch.block](std::uint64_t k) {
    access::WarpRequest request = block->request(k % block->count());
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) request.address[lane] = lane * request.word_bytes;
    return request;
  };
  return source;
}

/// The site of the addresses that a group of requests begins with: 32 bytes a lane, in two words. It is told beside
/// that of copies alone, because other kernels access global memory nowhere else.
access::Site table_of(const TileLaunch& launch, const Workload& workload) {
  constexpr unsigned lane_bytes = turns * sizeof(std::uint32_t);
  access::Site table;
  table.name = "addresses";
  table.op = access::Op::load;
  table.word_bytes = sizeof(uint4);
  table.instructions = lane_bytes / table.word_bytes;
  table.requests = std::uint64_t{table.instructions} * workload.blocks * launch.groups * warps;
  table.extent_bytes = std::lcm(launch.block->count(), std::uint64_t{turns}) / turns * access::warp_lanes * lane_bytes;
  table.request = [](std::uint64_t k) {
    return warp_request(sizeof(uint4), [k](unsigned lane) { return lane * lane_bytes + k % 2 * sizeof(uint4); });
  };
  table.kinds = {{.request = 0, .count = table.requests / 2}, {.request = 1, .count = table.requests / 2}};
  return table;
}

}  // namespace

TileLaunch::TileLaunch(const Case& decided, const Device& device) : tile(decided) {
  require_instruction(tile, device);
  block = std::make_shared<const TileRequests>(requests_of(tile, most_shared_bytes(device)));
  const std::uint64_t count = block->count();
  const std::uint64_t common = std::gcd(count, std::uint64_t{requests_at_once});
  groups = static_cast<std::uint32_t>(count / common);
  const std::uint64_t wavefronts = requests_at_once / common * block->wavefronts;  // of all groups
  iterations = static_cast<std::uint32_t>(std::max(wavefronts_per_launch / wavefronts, fewest_iterations));
}

TileInstruction instruction_of(const TileCase& tile) {
  if (tile.copies()) return {"cp.async", 80};
  if (tile.matrices == 0) return {"a load or store", 0};
  return tile.stores() ? TileInstruction{"stmatrix", 90} : TileInstruction{"ldmatrix", 75};
}

std::uint64_t copied_bytes(const TileLaunch& launch) {
  return launch.tile.copies() ? std::uint64_t{access::warp_lanes} * launch.tile.word_bytes : 0;
}

std::uint64_t TileLaunch::rounds() const { return std::uint64_t{groups} * requests_at_once / block->count(); }

std::uint64_t TileLaunch::requests() const { return std::uint64_t{groups} * requests_at_once * iterations; }

std::vector<std::uint32_t> TileLaunch::table() const {
  const std::uint64_t requests = std::lcm(block->count(), std::uint64_t{turns});
  std::vector<std::uint32_t> all(requests * access::warp_lanes);
  for (std::uint64_t k = 0; k < requests; ++k) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      // Lanes that give no row of a matrix have the address of one that does: its value does not matter.
      const unsigned given = tile.matrices > 0 ? lane % tile.request_lanes() : lane;
      all[(k / turns * access::warp_lanes + lane) * turns + k % turns] =
          block->bytes[k % block->count() * access::warp_lanes + given];
    }
  }
  return all;
}

Workload workload_of(const TileLaunch& launch, const Device& device) {
  Workload workload;
  workload.blocks = device.multiprocessors;
  workload.block_threads = block_threads;
  workload.shared_bytes_per_block = launch.block->tile_bytes;
  const auto add_site = [&](const char* name, access::Op op, unsigned word_bytes, std::uint64_t iterations,
                            std::uint64_t wavefronts) {
    access::Site site;
    site.name = name;
    site.space = access::Space::shared;
    site.op = op;
    site.word_bytes = word_bytes;
    site.instructions = turns;
    site.requests = workload.blocks * launch.rounds() * launch.block->count() * iterations;
    site.request = [block = launch.block](std::uint64_t k) { return block->request(k % block->count()); };
    for (std::uint64_t k = 0; k < launch.block->count(); ++k) {
      site.kinds.push_back({.request = k, .count = workload.blocks * launch.rounds() * iterations});
    }
    const access::Counts counts{.requests = launch.block->count(), .wavefronts = wavefronts};
    site.summary = access::SiteSummary{
        .cost = access::average(counts, counts.requests, access::costed(site.space, op), word_bytes), .footprint = {}};
    workload.sites.push_back(std::move(site));
  };
  const bool matrices = launch.tile.matrices > 0;
  constexpr unsigned bytes_of_lane = 4;  // of a matrix
  add_site("tile", launch.tile.stores() ? access::Op::store : access::Op::load,
           matrices ? bytes_of_lane * launch.tile.matrices : launch.tile.word_bytes, launch.iterations,
           launch.block->wavefronts);
  if (launch.tile.copies()) {
    workload.sites.push_back(source_of(launch, workload));
    workload.sites.push_back(table_of(launch, workload));
  }
  if (launch.tile.stores()) {
    std::uint64_t wavefronts = 0;
    for (std::uint64_t k = 0; k < launch.block->count(); ++k) {
      wavefronts += access::shared_wavefronts(launch.block->request(k), access::Op::load);
    }
    add_site("read back", access::Op::load, launch.tile.access_bytes(), 1, wavefronts);
  }
  const std::uint64_t bytes =
      workload.blocks * launch.rounds() * launch.iterations * launch.block->accesses * launch.tile.access_bytes();
  (launch.tile.stores() ? workload.useful_bytes_written : workload.useful_bytes_read) = bytes;
  return workload;
}

Probe tile_pattern_probe() {
  Probe probe;
  probe.name = "shared-pattern";
  probe.purpose = "any pattern of a tile in shared memory, as an expression";
  probe.family = Family::user;
  probe.variant_of = "pattern";
  probe.on_request = true;  // what it shows is about the user's tile
  probe.axes = tile_axes();
  probe.compared = axis::swizzle;
  probe.baseline = "none";
  probe.headline = shared::words_headline();
  probe.headline.predict = predicted_cycles;
  probe.metrics = {
      {.quantity = {"conflicts_per_request", "wavefronts that bank conflicts add to a request", Better::less},
       .predict = conflict_wavefronts,
       .essential = true},
      shared::rate_of_multiprocessor()};
  probe.validate = [](const Case& chosen) { static_cast<void>(TileCase(chosen)); };
  probe.size = [](std::span<Case> sweep, const Device& device) {
    for (const Case& tested : sweep) static_cast<void>(requests_of(TileCase(tested), most_shared_bytes(device)));
  };
  probe.conclude = conclude_tiles;
  probe.conflict_cure = conflict_cure;
  probe.bank_grid = bank_grid_of;
  return probe;
}

}  // namespace gpumem::shared_pattern
