#include "program/watch/sites/sampling.hpp"

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "program/watch/callers/arrays.hpp"
#include "program/watch/devices.hpp"
#include "program/watch/driver.hpp"
#include "program/watch/output.hpp"
#include "program/watch/sites/fetched_sites.hpp"
#include "program/watch/sites/patching.hpp"
#include "program/watch/sites/repeat_rule.hpp"
#include "program/watch/thread_state.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

constexpr std::uint64_t line_bytes = 128;
constexpr std::uint64_t kib = 1024;

/// Local memory per thread that patches take at most. The driver sets it aside for every thread that a GPU can hold.
constexpr std::uint64_t patch_local_bytes = kib;

/// L1 and shared memory of a multiprocessor together (CUDA C++ Programming Guide, "Compute Capabilities").
std::uint64_t l1_and_shared_bytes(const DeviceEvent& device) {
  const std::uint32_t capability = device.compute_capability_major * 10 + device.compute_capability_minor;
  if (capability == 75) return 96 * kib;
  if (capability == 80 || capability == 87) return 192 * kib;
  if (capability == 90 || capability == 100 || capability == 103) return 256 * kib;
  return 128 * kib;
}

// Memory of the sanitizer's own would not show in the program's, but copies of it take milliseconds.
template <class Element>
bool allocate(Element*& memory, std::size_t count) {
  CUdeviceptr address = 0;
  if (!fine(driver().cuMemAlloc(&address, count * sizeof(Element)), "memory on the GPU")) return false;
  memory = reinterpret_cast<Element*>(address);  // NOLINT(performance-no-int-to-ptr): as the driver has it
  return true;
}

bool clear(void* memory, std::size_t bytes, CUstream stream) {
  return fine(driver().cuMemsetD8Async(reinterpret_cast<CUdeviceptr>(memory), 0, bytes, stream), "clearing memory");
}

/// Bytes that a sample takes: the tables, and local memory for the patch in every thread.
std::uint64_t wanted_bytes(const DeviceEvent& device) {
  return sizeof(SiteTable) + device.l2_bytes / 4 + most_counted_warps * sizeof(std::uint32_t) +
         std::uint64_t{device.multiprocessors} * device.threads_per_multiprocessor * patch_local_bytes;
}

template <class Element>
void release(Element*& memory) {
  if (memory != nullptr) static_cast<void>(driver().cuMemFree(reinterpret_cast<CUdeviceptr>(memory)));
  memory = nullptr;
}

void release_memory(SampleTables& tables) {
  release(tables.table);
  release(tables.l1);
  release(tables.l2);
  release(tables.l2_words);
  release(tables.warp_loads);
}

SampleTables make_tables(const Sanitizer& sanitizer, CUcontext context) {
  SampleTables tables;
  const DeviceEvent& device = watch().devices.event(watch().devices.current());
  if (!add_patches(sanitizer, context, device)) {
    tables.failed = Unseen::failed;
    return tables;
  }
  tables.multiprocessors = device.multiprocessors;
  const std::uint64_t l1_lines = l1_and_shared_bytes(device) / line_bytes;
  tables.l1_sets = static_cast<std::uint32_t>(l1_lines / cache_ways);
  tables.l2_sets =
      static_cast<std::uint32_t>(std::max(device.l2_bytes, std::uint64_t{256} * kib) / line_bytes / cache_ways);
  const std::size_t l2_lines = std::size_t{tables.l2_sets} * cache_ways;
  if (!allocate(tables.table, 1) || !allocate(tables.l1, l1_lines * device.multiprocessors) ||
      !allocate(tables.l2, l2_lines) || !allocate(tables.l2_words, 2 * l2_lines) ||
      !allocate(tables.warp_loads, most_counted_warps)) {
    release_memory(tables);
    tables.failed = Unseen::no_memory;
    return tables;
  }
  tables.copy = std::make_unique<SiteTable>();
  tables.ready = true;
  return tables;
}

/// Sets of L1 that the shared memory of the blocks on a multiprocessor leaves free.
std::uint32_t l1_sets_of(const SampleTables& tables, const Sample& sample) {
  constexpr std::uint64_t reserved_bytes = kib;  // of each block, by the system (since compute capability 8.0)
  int blocks = 0;
  if (driver().cuOccupancyMaxActiveBlocksPerMultiprocessor(&blocks, sample.kernel->function,
                                                           static_cast<int>(sample.block_threads),
                                                           sample.dynamic_shared_bytes) != CUDA_SUCCESS ||
      blocks < 0) {
    blocks = 1;
  }
  const std::uint64_t each = std::uint64_t{sample.kernel->static_shared_bytes} + sample.dynamic_shared_bytes;
  const std::uint64_t shared = static_cast<std::uint64_t>(blocks) * (each + reserved_bytes);
  const std::uint64_t all = std::uint64_t{tables.l1_sets} * cache_ways * line_bytes;
  const std::uint64_t least = all / 8;
  return static_cast<std::uint32_t>(std::max(all > shared ? all - shared : 0, least) / line_bytes / cache_ways);
}

/// Warps of the launch whose loads are counted one by one: all, or 0 if there are too many.
std::uint32_t counted_warps(const Sample& sample) {
  if (sample.blocks > most_counted_warps / sample.warps_per_block()) return 0;
  return static_cast<std::uint32_t>(sample.blocks * sample.warps_per_block());
}

/// Returns the nanoseconds that a launch may take of what watching may still take, so that others get something too.
std::uint64_t launch_budget_ns() {
  constexpr double share = 8;
  constexpr double least_ns = 1e6;
  return static_cast<std::uint64_t>(std::max(least_ns, watch().overhead.left_ns() / share));
}

bool clear_tables(SampleTables& tables, const Sample& sample) {
  const std::size_t l2_lines = std::size_t{tables.l2_sets} * cache_ways;
  const std::size_t l1_lines = std::size_t{tables.l1_sets} * cache_ways * tables.multiprocessors;
  SiteTable& head = *tables.copy;
  head.l1_sets = l1_sets_of(tables, sample);
  head.l2_sets = tables.l2_sets;
  head.lost_sites = 0;
  head.l1 = tables.l1;
  head.l2 = tables.l2;
  head.l2_words = tables.l2_words;
  head.warp_loads = tables.warp_loads;
  head.counted_warps = counted_warps(sample);
  head.keeps_ranges = sample.repeatable && sample.kernel->traits.accesses.all_are_told ? 1 : 0;
  const bool tried = sample.divisible && sample.kernel->traits.independent && sample.kernel->traits.loops;
  head.part = tried && sample.blocks >= many_blocks ? LaunchPart{.end_block = 1}
                                                    // which tells whether there is time to look at one
                                                    : first_part(0, sample.blocks, tried, launch_budget_ns());
  return clear(tables.table, sizeof(SiteTable), sample.stream) &&
         clear(tables.l1, l1_lines * sizeof(CacheTag), sample.stream) &&
         clear(tables.l2, l2_lines * sizeof(CacheTag), sample.stream) &&
         clear(tables.warp_loads, std::max(head.counted_warps, 1U) * sizeof(std::uint32_t), sample.stream) &&
         fine(driver().cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(tables.table), &head, offsetof(SiteTable, key),
                                         sample.stream),
              "a copy to the GPU");
}

}  // namespace

Unseen Sampler::begin(const Sample& sample, std::vector<std::byte> parameters) {
  SampleTables& tables = contexts_[sample.context];
  if (!tables.room.has(wanted_bytes(watch().devices.event(watch().devices.current())))) return Unseen::no_memory;
  if (!tables.ready && tables.failed == Unseen::none) tables = make_tables(sanitizer_, sample.context);
  if (!tables.ready) return tables.failed;
  if (!clear_tables(tables, sample)) return Unseen::failed;
  CUmodule module = sample.kernel->module;
  if (tables.copy->part.looks == 0 ? !patch_blocks(sanitizer_, module)
                                   : !patch_accesses(sanitizer_, module, sample.divisible)) {
    return Unseen::failed;
  }
  parameters_ = std::move(parameters);
  this_thread.sampled = {.tables = &tables, .was_launched = false, .launched_ns = now_ns()};
  return Unseen::none;
}

void Sampler::attach_table(const Sanitizer_LaunchData& launch) {
  SampledLaunch& sampled = this_thread.sampled;
  if (sampled.tables == nullptr) return;
  sampled.was_launched = sanitizer_.sanitizerSetLaunchCallbackData(launch.hLaunch, launch.function, launch.hStream,
                                                                   sampled.tables->table) == SANITIZER_SUCCESS;
}

void Sampler::drop(const Sample& sample) {
  this_thread.sampled.tables = nullptr;
  static_cast<void>(unpatch(sanitizer_, sample.kernel->module));
}

void Sampler::release_tables(CUcontext context) {
  SampleTables& tables = contexts_[context];
  release_memory(tables);
  tables.ready = false;
  tables.failed = Unseen::no_memory;
}

namespace {

bool set_part(const SampleTables& tables, const Sample& sample, const LaunchPart& part) {
  return fine(driver().cuMemcpyHtoDAsync(reinterpret_cast<CUdeviceptr>(&tables.table->part), &part, sizeof(part),
                                         sample.stream),
              "a copy to the GPU");
}

/// The part as the launch has left it.
bool fetch_part(const SampleTables& tables, const Sample& sample, LaunchPart& part) {
  return fine(driver().cuMemcpyDtoHAsync(&part, reinterpret_cast<CUdeviceptr>(&tables.table->part), sizeof(part),
                                         sample.stream),
              "a copy from the GPU") &&
         fine(driver().cuStreamSynchronize(sample.stream), "the launch");
}

/// A launch that is looked at part by part.
struct Parts {
  std::uint64_t ended = 0;  ///< blocks that have run
  CUresult result = CUDA_SUCCESS;
  bool seen = false;
  double would_take_ns = 0;  ///< what looking at it takes, where that was too long
};

/// Launches the part and waits until its blocks have run.
bool run_part(const SampleTables& tables, const Sample& sample, LaunchPart& part, Parts& parts, const Relaunch& again) {
  if (!set_part(tables, sample, part)) return false;
  this_thread.sampled.launched_ns = now_ns();
  parts.result = again.launch();
  if (parts.result != CUDA_SUCCESS || !fetch_part(tables, sample, part)) return false;
  parts.ended = end_of(part);
  return true;
}

/// Comes after the first block, which runs unseen. Runs the first part that is looked at, if there is time for it.
/// False: there is none, or it failed.
bool begin_looking(const Sanitizer& sanitizer, const SampleTables& tables, const Sample& sample, LaunchPart& part,
                   Parts& parts, const Relaunch& again) {
  parts.would_take_ns = looking_ns(now_ns() - this_thread.sampled.launched_ns);
  if (parts.would_take_ns > watch().overhead.left_ns() || !unpatch(sanitizer, sample.kernel->module) ||
      !patch_accesses(sanitizer, sample.kernel->module, true)) {
    return false;
  }
  parts.would_take_ns = 0;
  part = first_part(parts.ended, sample.blocks, true, launch_budget_ns());
  return run_part(tables, sample, part, parts, again);
}

/// Waits for the part that was launched, and looks at others while there is time for them.
Parts look_at_parts(const Sanitizer& sanitizer, const SampleTables& tables, const Sample& sample,
                    const Relaunch& again) {
  Parts parts;
  LaunchPart part = tables.copy->part;
  if (!this_thread.sampled.was_launched || !fetch_part(tables, sample, part)) return {.ended = sample.blocks};
  parts.ended = sample.divisible ? end_of(part) : sample.blocks;
  if (part.looks == 0 && !begin_looking(sanitizer, tables, sample, part, parts, again)) return parts;
  parts.seen = true;
  if (part.end_block == sample.blocks) return parts;
  LaunchPart next = next_part(part, now_ns() - this_thread.sampled.launched_ns, sample.blocks, launch_budget_ns());
  if (next.end_block > next.begin_block) static_cast<void>(run_part(tables, sample, next, parts, again));
  return parts;
}

/// Times a launch with the patch at the begin of blocks, all of which end at once; nullopt: not known.
std::optional<double> time_empty(const SampleTables& tables, const Sample& sample, const Relaunch& again) {
  std::optional<double> took_ns;
  const LaunchPart none{.begin_block = sample.blocks, .end_block = sample.blocks};
  // The first launch after patching may have to bring its code, for which the gate opens too early.
  if (!set_part(tables, sample, none) || again.timed(took_ns) != CUDA_SUCCESS) return std::nullopt;
  if (again.timed(took_ns) != CUDA_SUCCESS) return std::nullopt;
  return took_ns;
}

/// Runs the blocks that have not run yet, as fast as without a patch. `launch_ns`: the time that the whole launch would
/// have taken, if it can be told.
CUresult run_rest(const Sanitizer& sanitizer, const SampleTables& tables, const Sample& sample, std::uint64_t ended,
                  double& launch_ns, const Relaunch& again) {
  const LaunchPart rest{.begin_block = ended, .end_block = sample.blocks};
  if (!unpatch(sanitizer, sample.kernel->module) || !patch_blocks(sanitizer, sample.kernel->module)) {
    return CUDA_ERROR_LAUNCH_FAILED;
  }
  const std::optional<double> empty_ns = time_empty(tables, sample, again);
  if (!set_part(tables, sample, rest)) return CUDA_ERROR_LAUNCH_FAILED;
  std::optional<double> took_ns;
  const std::uint64_t began_ns = now_ns();
  // A gate that nobody can open in time would be a part of the time by the host's clock.
  const CUresult result = empty_ns ? again.timed(took_ns) : again.launch();
  if (driver().cuStreamSynchronize(sample.stream) != CUDA_SUCCESS) return result;
  if (!empty_ns) took_ns = static_cast<double>(now_ns() - began_ns);
  if (!took_ns) return result;
  if (empty_ns) launch_ns = whole_ns_by_events(*took_ns, *empty_ns, ended, sample.blocks);
  if (launch_ns == 0) launch_ns = whole_ns(*took_ns, ended, sample.blocks);
  return result;
}

/// Runs the blocks that were looked at once more, all but the first one, and returns the nanoseconds that the whole
/// launch takes; 0: not known. The module is not patched before.
double time_seen_blocks(const Sanitizer& sanitizer, SampleTables& tables, const Sample& sample, const Relaunch& again) {
  constexpr std::uint64_t unseen = 1;
  if (!patch_blocks(sanitizer, sample.kernel->module)) return 0;
  this_thread.sampled = {.tables = &tables, .was_launched = false, .launched_ns = now_ns()};
  const std::optional<double> empty_ns = time_empty(tables, sample, again);
  const LaunchPart seen{.begin_block = unseen, .end_block = sample.blocks};
  if (!empty_ns || !this_thread.sampled.was_launched || !set_part(tables, sample, seen)) return 0;
  std::optional<double> took_ns;
  if (again.timed(took_ns) != CUDA_SUCCESS || !took_ns) return 0;
  return whole_ns_by_events(*took_ns, *empty_ns, unseen, sample.blocks);
}

/// Runs the launch once more without a patch, and returns the nanoseconds that it takes; 0: not known.
double time_whole(const Relaunch& again) {
  constexpr unsigned most_tries = 2;  // the first one may have to bring its code, as in time_empty()
  std::optional<double> took_ns;
  for (unsigned tries = 0; tries < most_tries && !took_ns; ++tries) {
    if (again.timed(took_ns) != CUDA_SUCCESS) return 0;
  }
  return took_ns.value_or(0);
}

}  // namespace

SampleEnd Sampler::end(const Sample& sample, SampleEvent event, std::uint64_t began_ns, const Relaunch& again) {
  SampleTables& tables = *this_thread.sampled.tables;
  const std::uint64_t launched_ns = this_thread.sampled.launched_ns;
  const bool first_is_unseen = tables.copy->part.looks == 0;
  Parts parts = look_at_parts(sanitizer_, tables, sample, again);
  const std::uint64_t seen_ns = now_ns() - launched_ns;
  event.blocks = parts.ended - (first_is_unseen ? 1 : 0);
  FetchedSites fetched;
  SampleEnd end;
  const bool seen =
      parts.seen && fetch_sites(sanitizer_, tables, sample, fetched) && fetch_loads(tables, sample, event);
  const bool all_ran = parts.ended == sample.blocks;
  if (parts.result == CUDA_SUCCESS && !all_ran) {
    parts.result = run_rest(sanitizer_, tables, sample, parts.ended, end.launch_ns, again);
  }
  drop(sample);
  end.result = parts.result;
  end.would_take_ns = parts.would_take_ns;
  if (!seen) return end;
  event.sites = static_cast<std::uint32_t>(fetched.sites.size());
  event.lost_sites = tables.copy->lost_sites;
  event.parameter_bytes = static_cast<std::uint32_t>(parameters_.size());
  event.took_ns = now_ns() - began_ns;
  watch().output.write_event(EventKind::sample, {part_of(event), std::as_bytes(std::span(fetched.sites)), parameters_});
  write_arrays(watch().output, watch().allocations, event, fetched.sites);
  const bool whole = all_ran && event.lost_sites == 0;
  const bool repeats = sample.repeatable && parts.result == CUDA_SUCCESS &&
                       reason_not_to_repeat(fetched.ranges, sample.kernel->traits.accesses, whole) == NoRepeat::none &&
                       static_cast<double>(seen_ns) <= watch().overhead.left_for_repeats_ns();
  if (repeats) end.repeat_ns = repeat(sample, tables, first_is_unseen, again);
  return end;
}

double Sampler::repeat(const Sample& sample, SampleTables& tables, bool first_is_unseen, const Relaunch& again) {
  const std::uint64_t began_ns = now_ns();
  const double took_ns = first_is_unseen ? time_seen_blocks(sanitizer_, tables, sample, again) : time_whole(again);
  if (first_is_unseen) drop(sample);
  watch().overhead.add_repeat(now_ns() - began_ns);
  return took_ns;
}

}  // namespace gpumem::inject
