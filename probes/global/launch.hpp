#pragma once
// The host code that the global-memory probes share: their axes, the launch of a case, and sizing.

#include <cstdint>
#include <functional>
#include <span>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/access/periodic.hpp"
#include "engine/access/site.hpp"
#include "engine/model/rates.hpp"
#include "probes/global/kernels.cuh"
#include "probes/probe.hpp"

namespace gpumem::global {

enum class Op { read, write, copy };

/// The parameters of the axes below, by their names in reports.
namespace axis {
inline constexpr Choice<Op> op{"op", {"read", "write", "copy"}};
inline constexpr Number<std::uint32_t> word_bytes{"word_bytes", &word_phrase};
inline constexpr Number<std::uint32_t> elements_per_thread{"elements_per_thread"};
inline constexpr Number<std::uint32_t> block_threads{"block_threads"};
inline constexpr Size buffer_bytes{"buffer_bytes"};
}  // namespace axis

[[nodiscard]] std::string_view doing(const Case& chosen);  ///< "reading", "writing" or "copying", by its op
/// See Probe::conclude. For probes whose first axis is swept alone.
[[nodiscard]] Conclusion conclude_accesses(std::span<const Outcome> outcomes);

/// Accesses `first`, `first` + 1 and so on of a launch.
struct AccessRun {
  std::uint64_t first = 0;
  unsigned count = 0;
};

/// A case of a global probe in numbers.
struct Launch {
  Op op = Op::copy;
  std::uint32_t word_bytes = 4;
  std::uint64_t count = 0;  ///< elements each array's accesses go through: buffer_bytes / word_bytes
  Tile tile{256, 1};

  [[nodiscard]] std::uint64_t blocks() const { return (count + tile.elements() - 1) / tile.elements(); }
  [[nodiscard]] std::uint64_t threads() const { return blocks() * tile.block_threads; }
  [[nodiscard]] std::uint64_t requests() const;  ///< warp requests of one access site
  /// The accesses of a request that are issued, from its first lane on, numbered as in access::Site::fill.
  [[nodiscard]] AccessRun accesses_of(std::uint64_t request) const;
  [[nodiscard]] measure::ContentParts parts() const { return measure::ContentParts::of(word_bytes); }
  /// 32-bit words that hold so many elements.
  [[nodiscard]] std::uint64_t words_of(std::uint64_t elements) const {
    return (elements * word_bytes + sizeof(std::uint32_t) - 1) / sizeof(std::uint32_t);
  }
  [[nodiscard]] bool loads() const { return op != Op::write; }
  [[nodiscard]] bool stores() const { return op != Op::read; }
  /// Bytes of the checksums that a read leaves, one per thread.
  [[nodiscard]] std::uint64_t checksum_bytes() const { return stores() ? 0 : threads() * sizeof(std::uint32_t); }
};

/// The pattern of one element after another, on the host: access i goes to element i.
struct EveryElement {
  constexpr std::uint64_t operator()(std::uint64_t i) const { return i; }
  [[nodiscard]] constexpr bool active(std::uint64_t) const { return true; }
};

/// The words for what a check compares: in the output of a launch, and outside its pattern.
[[nodiscard]] const char* checked_parts(const Launch& launch);
[[nodiscard]] const char* stray_parts(const Launch& launch);

[[nodiscard]] Launch launch_of(const Case& decided);
/// The launch of a case whose tile is yet to be decided: with one element per thread.
[[nodiscard]] Launch untiled_launch_of(const Case& sized);

/// The axes that say what the kernel does and in which words, for probes that share the kernels.
[[nodiscard]] Axis op_axis();
[[nodiscard]] Axis word_bytes_axis();
/// Axes for the elements per thread, the threads per block, and the size of the data.
[[nodiscard]] Axis elements_per_thread_axis();
[[nodiscard]] Axis block_threads_axis();
[[nodiscard]] Axis buffer_axis();
/// `swept`, then the axes all global probes share: op, word-bytes, elements-per-thread, block-threads, buffer.
[[nodiscard]] std::vector<Axis> axes(Axis swept);

/// Returns true if buffer_bytes is a number already, not "auto" or a share of a device's memory ("90%").
[[nodiscard]] bool has_buffer(const Case& chosen);

/// Throws an error about a missing capability if the GPU, or the kernels of this program for a GPU that is there, do
/// not have the launch's words. Words of 32 bytes take compute capability 10.0 (CUDA C++ Programming Guide, "256-bit
/// loads").
void require_words(const Launch& launch, const Device& device);

/// Throws a usage error unless buffer_bytes is a multiple of a word, or of word_bytes.
void require_whole_words(const Case& chosen, std::uint64_t word);
void validate(const Case& chosen);

/// Device memory a launch needs when its arrays span `extent_elements`.
[[nodiscard]] std::uint64_t allocated_bytes(const Launch& launch, std::uint64_t extent_elements);

/// Decides an `auto` buffer_bytes: the same useful bytes for a whole sweep. They are 16 times the L2, so that the data
/// that a launch leaves in the cache are of no use to the next. They are less if the sweep's largest case would not fit
/// in half of the free memory. A share of the free memory is decided too: as the useful bytes, in whole MiB, with which
/// all arrays of the sweep's largest case together take no more than the share. `needed_bytes` is the device memory of
/// a case whose buffer_bytes is decided; other values may be auto. Throws a usage error for a share that is too small,
/// and as the probe's `validate` does for the bytes that a share comes to.
void size(std::span<Case> sweep, const Device& device, const std::function<std::uint64_t(const Case&)>& needed_bytes,
          std::uint64_t largest_buffer = ~std::uint64_t{0});

/// The period of a pattern: for every i, access i + accesses takes part if access i does, and its element is
/// growth_elements further on.
struct PatternPeriod {
  std::uint64_t accesses = 1;
  std::int64_t growth_elements = 0;
};

/// The same for the requests of a site, as far as no access in them is beyond the last.
[[nodiscard]] access::Period period_of(const Launch& launch, const PatternPeriod& pattern);

/// Sets the period of a site, which is then counted exactly.
void set_period(access::Site& site, const access::Period& period);

/// Scheduler cycles in which a compiled kernel works out and issues an access of 1 or 2 bytes, by its operation. They
/// are the same for both sizes, because the instructions are. A wider word hides them behind its bytes. Found with
/// bytes in 8 elements per thread (configs/reference/h100/words.json).
struct NarrowCycles {
  double read;
  double write;  ///< with the random content that is stored
  double copy;
};
inline constexpr NarrowCycles pattern_cycles{.read = 17.4, .write = 30.5, .copy = 34.4};
/// The same for kernels that work out their place once for all elements of a thread.
inline constexpr NarrowCycles placed_cycles{.read = 16.3, .write = 29.8, .copy = 24.3};

/// Returns what Workload::address_cycles is for a launch; null for words of 4 bytes and more.
[[nodiscard]] std::function<double(const model::Rates&)> narrow_cycles(const Launch& launch, const NarrowCycles& each);

/// Describes one launch, all but the name of its kernel: sites in `space`, useful bytes and grid. A pattern that has a
/// member period() is counted exactly.
template <class Pattern>
[[nodiscard]] Workload workload_of(const Launch& launch, const Pattern& pattern, access::Space space);

/// The warp request k of a site, see access::Site::request.
template <class Pattern>
[[nodiscard]] access::WarpRequest request(const Launch& launch, const Pattern& pattern, std::uint64_t k) {
  const std::uint64_t warps = (launch.tile.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  const std::uint64_t block = k / (warps * launch.tile.elements_per_thread);
  const auto turn = static_cast<std::uint32_t>(k / warps % launch.tile.elements_per_thread);
  access::WarpRequest request;
  request.word_bytes = launch.word_bytes;
  for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
    const auto thread = static_cast<std::uint32_t>(k % warps * access::warp_lanes + lane);
    if (thread >= launch.tile.block_threads) break;
    const std::uint64_t i = launch.tile.element(block, thread, turn);
    if (i >= launch.count || !pattern.active(i)) continue;
    request.address[lane] = pattern(i) * launch.word_bytes;
    request.active |= std::uint32_t{1} << lane;
  }
  return request;
}

template <class Pattern>
Workload workload_of(const Launch& launch, const Pattern& pattern, access::Space space) {
  Workload workload;
  const auto add_site = [&](const char* name, access::Op op) {
    access::Site site{.name = name,
                      .space = space,
                      .op = op,
                      .word_bytes = launch.word_bytes,
                      .instructions = launch.tile.elements_per_thread,
                      .requests = launch.requests(),
                      .extent_bytes = pattern.extent(launch.count) * launch.word_bytes,
                      .request = [=](std::uint64_t k) { return request(launch, pattern, k); }};
    if constexpr (requires { pattern.period(); }) set_period(site, period_of(launch, pattern.period()));
    workload.sites.push_back(std::move(site));
  };
  const std::uint64_t useful = pattern.useful(launch.count) * launch.word_bytes;
  if (launch.loads()) {
    add_site("source", access::Op::load);
    workload.useful_bytes_read = useful;
  }
  if (launch.stores()) {
    add_site("target", access::Op::store);
    workload.useful_bytes_written = useful;
  }
  workload.blocks = launch.blocks();
  workload.block_threads = launch.tile.block_threads;
  workload.address_cycles = narrow_cycles(launch, pattern_cycles);
  return workload;
}

}  // namespace gpumem::global
