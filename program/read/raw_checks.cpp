#include "program/read/raw_checks.hpp"

#include <algorithm>
#include <bit>

#include "engine/access/request.hpp"
#include "program/watch/time_line.hpp"

namespace gpumem::program {

namespace {

// More than a launch can have; sums of these do not overflow.
constexpr std::uint64_t most = std::uint64_t{1} << 52U;
constexpr std::uint64_t latest_ns = std::uint64_t{1} << 62U;          // of a clock that begins with the machine
constexpr std::uint64_t most_shared_bytes = std::uint64_t{1} << 18U;  // that a multiprocessor has
constexpr std::uint32_t most_devices = 256;                           // of a machine

}  // namespace

bool is_possible(const inject::Site& site) {
  constexpr unsigned widest = 32;
  const bool bulk = (site.flags & inject::raw_bulk_copy) != 0;
  // Blocks of a request: see access::BlockSet. A copy may begin and end within a sector in each of its rows.
  const std::uint64_t touched = bulk ? 2 * most_shared_bytes / 16 : 2 * access::warp_lanes;
  if (site.space > inject::RawSpace::cluster || site.op > inject::RawOp::atomic) return false;
  if (!std::has_single_bit(site.word_bytes) || site.word_bytes > widest) return false;
  if (site.shown > inject::shown_requests || site.requests == 0 || site.requests > most / touched) return false;
  const auto each = [&](std::uint64_t sum, std::uint64_t limit) { return sum <= site.requests * limit; };
  if (site.only_counted > most / touched) return false;
  return each(site.active_lanes, access::warp_lanes) &&
         each(site.useful_bytes, bulk ? most_shared_bytes : access::warp_lanes * site.word_bytes) &&
         each(site.sectors, touched) && each(site.least_sectors, touched) && each(site.lines, touched) &&
         each(site.wavefronts, touched * 8) && each(site.least_wavefronts, touched * 8) &&
         each(site.l2_sectors, touched) && site.memory_sectors <= site.l2_sectors &&
         site.loaded_sectors <= site.memory_sectors && each(site.used_words, touched * 8) &&
         each(site.l2_requests, touched);
}

bool is_possible(const inject::DeviceEvent& device) {
  constexpr std::uint64_t fastest_hz = 1'000'000'000'000;
  constexpr std::uint32_t most_of_a_kind = 1U << 24U;  // multiprocessors, bits of a bus, threads
  return device.device < most_devices && device.compute_capability_major < 1000 &&
         device.compute_capability_minor < 1000 &&
         std::max({device.multiprocessors, device.memory_bus_bits, device.threads_per_multiprocessor}) <=
             most_of_a_kind &&
         std::max(device.shared_bytes_per_block, device.shared_bytes_per_multiprocessor) <= most_shared_bytes &&
         std::max({device.memory_bytes, device.l2_bytes}) <= most &&
         std::max(device.memory_clock_hz, device.sm_clock_hz) <= fastest_hz;
}

// CUDA C++ Programming Guide, technical specifications per compute capability: 255 registers and 512 KiB of local
// memory a thread. A warp may take up to 256 registers while it runs (PTX, setmaxnreg).
bool is_possible(const inject::KernelEvent& kernel) {
  constexpr std::uint32_t most_registers = 256;
  constexpr std::uint32_t most_local_bytes = 512 << 10U;
  return kernel.kernel != 0 && kernel.registers_per_thread <= most_registers &&
         kernel.static_shared_bytes <= most_shared_bytes && kernel.local_bytes_per_thread <= most_local_bytes;
}

bool is_possible(const inject::CodeEvent& code) {
  constexpr std::uint32_t bank_bytes = 1U << 16U;  // of constant memory that a kernel's parameters lie in
  return code.kernel != 0 && code.parameter_offset < bank_bytes;
}

bool is_possible(const inject::SampleEvent& sample) {
  return std::max({sample.order, sample.took_ns, sample.most_loads, sample.busiest_loads}) <= most;
}

bool is_possible(const inject::CountsEvent& counted) {
  constexpr std::uint32_t most_passes = 4096;  // all that a GPU counts takes a few dozen
  return counted.passes > 0 && counted.passes <= most_passes && counted.order <= most;
}

bool is_possible(const inject::LaunchTotals& totals) {
  return std::max({totals.beyond_slots, totals.graph_launches, totals.sampling_ns, totals.spans_left_out}) <= most &&
         std::max({totals.began_ns, totals.ended_ns, totals.left_ns}) <= latest_ns;
}

bool is_possible(const inject::Span& span, const inject::LaunchTotals& totals) {
  constexpr std::uint64_t clocks_apart_ns = 1'000'000'000;  // the GPU's and the host's, at the very most
  return span.kind <= inject::SpanKind::range && span.begin_ns <= latest_ns &&
         span.begin_ns + clocks_apart_ns >= totals.began_ns && span.took_ns <= inject::longest_run_ns;
}

bool is_possible_time(double nanoseconds) {
  constexpr double shortest = 1e-3;
  return nanoseconds >= shortest && nanoseconds <= static_cast<double>(most);  // which no NaN is
}

bool is_possible_count(const measure::CounterField& field, double count) {
  constexpr double least = 1e-9;  // counts are means over launches, too
  const bool is_share = field.value == &measure::Counts::achieved_occupancy;
  return count == 0 || (count >= least && count <= (is_share ? 1.5 : 1e18));
}

bool is_possible(const inject::LaunchSlot& slot) {
  constexpr std::uint64_t most_threads = 1024;
  constexpr std::uint32_t most_rows = 65535;
  if (std::ranges::any_of(slot.grid, [](std::uint32_t blocks) { return blocks == 0; })) return false;
  if (slot.grid[0] > 0x7fff'ffff || slot.grid[1] > most_rows || slot.grid[2] > most_rows) return false;
  if (std::ranges::any_of(slot.block, [](std::uint32_t n) { return n == 0 || n > most_threads; })) return false;
  const std::uint64_t threads = std::uint64_t{slot.block[0]} * slot.block[1] * slot.block[2];
  const std::uint64_t blocks = std::uint64_t{slot.grid[0]} * slot.grid[1] * slot.grid[2];
  if (threads > most_threads || blocks > most / threads) return false;
  if (slot.device >= most_devices || slot.dynamic_shared_bytes > most_shared_bytes) return false;
  if (std::max({slot.launches, slot.timed, slot.repeat_ns}) > most || slot.timed_ns > 1000 * most) return false;
  const auto possible = [](const inject::RangeLaunches& range) { return range.launches <= most; };
  if (slot.in_other_ranges > most || !std::ranges::all_of(slot.ranges, possible)) return false;
  if (slot.ran.bin_ns > inject::longest_run_ns / inject::kept_bins) return false;
  if (!std::ranges::all_of(slot.ran.ran_ns, [](std::uint64_t ns) { return ns <= most; })) return false;
  return std::ranges::all_of(slot.unseen, [](std::uint64_t launches) { return launches <= most; });
}

}  // namespace gpumem::program
