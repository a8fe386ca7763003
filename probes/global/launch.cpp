#include "probes/global/launch.hpp"

#include <cuda_runtime_api.h>

#include <algorithm>
#include <bit>
#include <numeric>
#include <set>
#include <string>

#include "engine/base/error.hpp"
#include "engine/machine/compute_capability.hpp"
#include "probes/sweep_facts.hpp"

namespace gpumem::global {

namespace {

constexpr std::uint64_t l2_multiple = 16;
constexpr std::uint64_t smallest_auto_buffer = std::uint64_t{1} << 20U;

/// Returns the most bytes that a case of a sweep needs if all cases with this undecided buffer_bytes get `buffer`.
std::uint64_t largest_need(std::span<const Case> sweep, const Value& undecided, std::uint64_t buffer,
                           const std::function<std::uint64_t(const Case&)>& needed_bytes) {
  std::uint64_t bytes = 0;
  for (Case tested : sweep) {
    if (tested.value(axis::buffer_bytes) == undecided) tested.set(axis::buffer_bytes, buffer);
    if (has_buffer(tested)) bytes = std::max(bytes, needed_bytes(tested));
  }
  return bytes;
}

/// Returns the buffer for a share of `memory` bytes. Needs grow about as buffers do, so a few steps find it.
std::uint64_t shared_buffer(const std::string& share, std::uint64_t memory,
                            const std::function<std::uint64_t(std::uint64_t buffer)>& need) {
  constexpr std::uint64_t step = smallest_auto_buffer;
  const double bytes = std::stod(share) / 100 * static_cast<double>(memory);
  std::uint64_t buffer = static_cast<std::uint64_t>(bytes) / step * step;
  while (buffer > 0) {
    const auto needed = static_cast<double>(need(buffer));
    if (needed <= bytes) return buffer;
    const double fitting = static_cast<double>(buffer) * (bytes / needed);
    buffer = std::min(static_cast<std::uint64_t>(fitting) / step * step, buffer - step);
  }
  throw usage_error("--buffer " + share + ": is less than arrays of 1 MiB take; pass a larger share, or a size");
}

}  // namespace

std::string_view doing(const Case& chosen) {
  const Op op = chosen[axis::op];
  return op == Op::read ? "reading" : op == Op::write ? "writing" : "copying";
}

Conclusion conclude_accesses(std::span<const Outcome> outcomes) {
  const std::string& op = outcomes.front().tested.name(axis::op);
  return conclude_sweep(outcomes, op == "copy" ? "copies" : op + "s", RequestUnit::sectors);
}

std::uint64_t Launch::requests() const {
  const std::uint64_t warps = (tile.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  const std::uint64_t full_blocks = count / tile.elements();
  const std::uint64_t rest = count % tile.elements();
  // The last block's warps beyond the last element issue nothing.
  const std::uint64_t last_turn = (rest % tile.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  return full_blocks * warps * tile.elements_per_thread + rest / tile.block_threads * warps + last_turn;
}

// Each turn of a block takes the `threads` accesses behind those of the turn before it. The last of its warps may be
// incomplete. If all warps are whole, each counts as a turn of its own.
access::Period period_of(const Launch& launch, const PatternPeriod& pattern) {
  const std::uint32_t threads = launch.tile.block_threads;
  const bool whole_warps = threads % access::warp_lanes == 0;
  const std::uint64_t turn_accesses = whole_warps ? access::warp_lanes : threads;
  const std::uint64_t turn_requests = whole_warps ? 1 : threads / access::warp_lanes + 1;
  const std::uint64_t accesses = std::lcm(pattern.accesses, turn_accesses);
  return {.requests = accesses / turn_accesses * turn_requests,
          .growth_bytes = static_cast<std::int64_t>(accesses / pattern.accesses) * pattern.growth_elements *
                          static_cast<std::int64_t>(launch.word_bytes),
          .regular = launch.count / turn_accesses * turn_requests};
}

void set_period(access::Site& site, const access::Period& period) {
  site.period_requests = period.requests;
  site.growth_bytes = period.growth_bytes;
  site.regular_requests = period.regular;
}

// A turn of a block takes the accesses behind those of its turn before, and a block's first turn those behind the last
// turn of the block before it.
AccessRun Launch::accesses_of(std::uint64_t request) const {
  const std::uint64_t warps = (tile.block_threads + access::warp_lanes - 1) / access::warp_lanes;
  const std::uint64_t turn = request / warps;
  const std::uint64_t thread = (request - turn * warps) * access::warp_lanes;
  const std::uint64_t first = turn * tile.block_threads + thread;
  const std::uint64_t lanes = std::min<std::uint64_t>(access::warp_lanes, tile.block_threads - thread);
  const std::uint64_t left = first < count ? count - first : 0;
  return {.first = first, .count = static_cast<unsigned>(std::min(lanes, left))};
}

Launch untiled_launch_of(const Case& sized) {
  Launch launch;
  launch.op = sized[axis::op];
  launch.word_bytes = sized[axis::word_bytes];
  launch.count = sized[axis::buffer_bytes] / launch.word_bytes;
  return launch;
}

Launch launch_of(const Case& decided) {
  Launch launch = untiled_launch_of(decided);
  launch.tile.block_threads = decided[axis::block_threads];
  launch.tile.elements_per_thread = decided[axis::elements_per_thread];
  return launch;
}

std::function<double(const model::Rates&)> narrow_cycles(const Launch& launch, const NarrowCycles& each) {
  constexpr double thread_cycles = 12;  // before its first access
  if (launch.word_bytes >= sizeof(std::uint32_t)) return nullptr;
  const double access = launch.op == Op::read ? each.read : launch.op == Op::write ? each.write : each.copy;
  const double cycles =
      static_cast<double>(launch.requests()) * (access + thread_cycles / launch.tile.elements_per_thread);
  return [cycles](const model::Rates&) { return cycles; };
}

const char* checked_parts(const Launch& launch) {
  if (!launch.stores()) return "threads' checksums";
  return launch.word_bytes < sizeof(std::uint32_t) ? "elements of the target" : "32-bit words of the target";
}

const char* stray_parts(const Launch& launch) {
  return launch.word_bytes < sizeof(std::uint32_t) ? "elements outside the pattern"
                                                   : "32-bit words outside the pattern";
}

Axis op_axis() {
  return axis::op({.flag = "op",
                   .purpose = "operation on the elements; misaligned stores cost far more than loads",
                   .defaults = "copy"});
}

Axis word_bytes_axis() {
  return axis::word_bytes(
      {.flag = "word-bytes",
       .unit = "bytes",
       .purpose = "size of an element: what one thread moves with one instruction; 32 takes compute capability 10.0",
       .defaults = "4",
       .numbers = {1, 2, 4, 8, 16, 32}});
}

Axis elements_per_thread_axis() {
  return axis::elements_per_thread(
      {.flag = "elements-per-thread",
       .unit = "elements",
       .purpose = "elements per thread, a block's width apart; 1 is the textbook kernel, which large GPUs outrun",
       .defaults = "auto",
       .numbers = {1, 2, 4, 8},
       .takes_auto = true,
       .candidates = {4, 8, 2, 1}});
}

Axis block_threads_axis() {
  return axis::block_threads({.flag = "block-threads",
                              .unit = "threads",
                              .purpose = "threads per block",
                              .defaults = "auto",
                              .minimum = 1,
                              .maximum = 1024,
                              .takes_auto = true,
                              .candidates = {256, 128, 512, 1024}});
}

Axis buffer_axis() {
  return axis::buffer_bytes(
      {.flag = "buffer",
       .purpose = "useful bytes per array; auto is 16 times the L2, small ones show the cache instead of the memory; a "
                  "share such as 90% is of the free memory, for all arrays of a case together",
       .defaults = "auto",
       .minimum = 1,
       .takes_auto = true,
       .takes_share = true});
}

std::vector<Axis> axes(Axis swept) {
  return {std::move(swept),     op_axis(),    word_bytes_axis(), elements_per_thread_axis(),
          block_threads_axis(), buffer_axis()};
}

void require_words(const Launch& launch, const Device& device) {
  if (launch.word_bytes <= sizeof(uint4)) return;
  require_compute_capability(device, 100, "an access of 32 bytes");
  const bool is_there = device.uuid.has_value();
  if (is_there && CUDART_VERSION < 12090) {
    throw missing_capability_error("an access of 32 bytes takes a program that CUDA 12.9 or newer compiled");
  }
}

void validate(const Case& chosen) { require_whole_words(chosen, chosen[axis::word_bytes]); }

bool has_buffer(const Case& chosen) { return std::holds_alternative<std::uint64_t>(chosen.value(axis::buffer_bytes)); }

void require_whole_words(const Case& chosen, std::uint64_t word) {
  if (!has_buffer(chosen)) return;
  const std::uint64_t buffer = chosen[axis::buffer_bytes];
  if (buffer % word == 0) return;
  throw usage_error("--buffer " + std::to_string(buffer) + " is not a multiple of the word size of " +
                    std::to_string(word) + " bytes; use " +
                    std::to_string(std::max(buffer / word, std::uint64_t{1}) * word));
}

std::uint64_t allocated_bytes(const Launch& launch, std::uint64_t extent_elements) {
  return (launch.op == Op::copy ? 2 : 1) * extent_elements * launch.word_bytes + launch.checksum_bytes();
}

void size(std::span<Case> sweep, const Device& device, const std::function<std::uint64_t(const Case&)>& needed_bytes,
          std::uint64_t largest_buffer) {
  const std::uint64_t memory = device.free_memory_bytes.value_or(device.memory_bytes);
  std::set<Value> undecided;
  for (const Case& tested : sweep) {
    if (!has_buffer(tested)) undecided.insert(tested.value(axis::buffer_bytes));
  }
  for (const Value& value : undecided) {
    const auto need = [&](std::uint64_t buffer) { return largest_need(sweep, value, buffer, needed_bytes); };
    std::uint64_t buffer =
        std::min(std::bit_ceil(std::max(l2_multiple * device.l2_bytes, smallest_auto_buffer)), largest_buffer);
    const bool is_share = value != Value("auto");
    if (is_share) buffer = shared_buffer(to_string(value), memory, need);
    while (!is_share && buffer > smallest_auto_buffer && need(buffer) > memory / 2) buffer /= 2;
    for (Case& tested : sweep) {
      if (tested.value(axis::buffer_bytes) != value) continue;
      tested.set(axis::buffer_bytes, buffer);
      if (is_share && tested.probe->validate) tested.probe->validate(tested);
    }
  }
}

}  // namespace gpumem::global
