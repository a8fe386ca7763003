#pragma once
// The files that the injected library leaves in a run's folder: plain structures, read by the same build of gpumem that
// wrote them. Each process of the program writes a pair, `<pid>-<time>.events` and `<pid>-<time>.launches`. Both are
// whole at every moment, however the process ends: events are appended one by one (the last may be cut off), and
// launches are counted in memory that is mapped from the file.

#include <cstdint>

namespace gpumem::inject {

inline constexpr const char* events_suffix = ".events";
inline constexpr const char* launches_suffix = ".launches";

/// The engine that watched the process.
enum class EngineKind : std::uint32_t {
  sites,    ///< some launches access by access
  counters  ///< some launches by the hardware's counters
};

struct FileHeader {
  char magic[8];  ///< `raw_magic`
  std::uint32_t version = 0;
  std::uint32_t process = 0;
  std::uint32_t parent = 0;
  EngineKind engine{};
  std::uint64_t started_ns = 0;  ///< since 1970
};
inline constexpr char raw_magic[8] = {'g', 'p', 'u', 'm', 'e', 'm', 'r', '\n'};
inline constexpr std::uint32_t raw_version = 12;

// ---- events: a FileHeader, then an EventHeader and its payload each, padded with zeros to a multiple of 8

enum class EventKind : std::uint32_t {
  command = 1,  ///< arguments of the process, each ended by a zero
  device,       ///< DeviceEvent
  kernel,       ///< KernelEvent, then its name as the linker knows it
  image,        ///< ImageEvent, then machine code (an ELF file) that knows its source lines
  sample,       ///< SampleEvent, then `sites` of Site and the bytes of the parameters
  problem,      ///< ProblemEvent, then one line: what cannot be seen, why, and what to do
  range,        ///< RangeEvent, then the name of a range that the program marks (NVTX)
  counts,  ///< CountsEvent, then a double for each of the fields that can be counted, in the order of the build; NaN:
           ///< absent
  code,    ///< CodeEvent, then the machine code of a kernel and of what was compiled into it
  graph,   ///< GraphEvent, then `kernels` of GraphKernel
  spans,   ///< SpansEvent, then `spans` of Span
  caller,  ///< CallerEvent, then the operator's name and `frames` frames: a CallerFrame and its texts each
  array    ///< ArrayEvent, then `frames` frames
};

struct EventHeader {
  EventKind kind{};
  std::uint32_t bytes = 0;  ///< of the payload, without padding
};

struct DeviceEvent {
  std::uint32_t device = 0;  ///< the driver's number in this process
  std::uint32_t compute_capability_major = 0;
  std::uint32_t compute_capability_minor = 0;
  std::uint32_t multiprocessors = 0;
  std::uint64_t memory_bytes = 0;
  std::uint64_t l2_bytes = 0;
  std::uint64_t memory_clock_hz = 0;
  std::uint64_t sm_clock_hz = 0;
  std::uint32_t memory_bus_bits = 0;
  std::uint32_t shared_bytes_per_block = 0;
  std::uint32_t shared_bytes_per_multiprocessor = 0;
  std::uint32_t threads_per_multiprocessor = 0;
  std::uint32_t driver_version = 0;  ///< 13000 is CUDA 13.0
  std::uint32_t integrated = 0;
  std::uint8_t uuid[16] = {};
  char pci_bus_id[16] = {};
  char name[96] = {};
};

struct KernelEvent {
  std::uint32_t kernel = 0;  ///< its number in this process, from 1 on
  std::uint32_t image = 0;   ///< 0: none that knows lines
  std::uint32_t registers_per_thread = 0;
  std::uint32_t static_shared_bytes = 0;
  std::uint32_t local_bytes_per_thread = 0;
  std::uint32_t reserved = 0;
};

struct ImageEvent {
  std::uint32_t image = 0;
  std::uint32_t reserved = 0;
};

struct CodeEvent {
  std::uint32_t kernel = 0;
  std::uint32_t parameter_offset = 0;  ///< of its parameters in constant bank 0; 0: not known
};

/// A CUDA graph that was instantiated.
struct GraphEvent {
  std::uint32_t slot = 0;        ///< index of the LaunchSlot that counts and times its replays
  std::uint32_t kernels = 0;     ///< that follow
  std::uint32_t as_a_whole = 0;  ///< 1: times of its kernels are in no other slot
  std::uint32_t reserved = 0;
};
struct GraphKernel {
  std::uint32_t slot = 0;
  std::uint32_t launches = 0;  ///< in each replay
};

struct SpansEvent {
  std::uint32_t spans = 0;
  std::uint32_t reserved = 0;
};
enum class SpanKind : std::uint32_t {
  launch,  ///< of a kernel or graph, timed
  sample,  ///< of a launch, with all that was done to see it
  range    ///< that the program marks
};
/// A piece of the program's time.
struct Span {
  SpanKind kind{};
  std::uint32_t of = 0;        ///< index of a LaunchSlot; of a range its number
  std::uint64_t lane = 0;      ///< the stream, or the thread of a range: equal for those of one
  std::uint64_t begin_ns = 0;  ///< by the clock of LaunchTotals::began_ns
  std::uint64_t took_ns = 0;
};
/// Spans of a process that are kept; later ones are only counted.
inline constexpr std::uint64_t kept_spans = 8192;

/// Why a launch was not looked at closely: not seen access by access, or not counted.
enum class Unseen : std::uint32_t {
  none,          ///< it was, or another of its kernel, grid and block was
  captured,      ///< launched by a CUDA graph that runs as a whole
  collective,    ///< of a library that waits for other GPUs: must not be held up
  overhead,      ///< the time that looking closely may take was spent
  not_chosen,    ///< by --kernel, --device or --skip-first
  failed,        ///< the kernel could not be patched, or counting it failed
  no_memory,     ///< no room for the tables on the GPU
  times_only,    ///< nothing but times was asked for, or is possible
  refused,       ///< this machine does not let the process count
  few_launches,  ///< counting takes more launches than there were
  alike          ///< launches of its kernel with about as many blocks were
};
inline constexpr std::uint32_t unseen_reasons = 11;

struct ProblemEvent {
  std::uint32_t fatal = 0;  ///< nothing of the process can be seen
  std::uint32_t reserved = 0;
};

struct RangeEvent {
  std::uint32_t range = 0;  ///< from 1 on
  std::uint32_t reserved = 0;
};

/// One launch, seen access by access.
struct SampleEvent {
  std::uint32_t slot = 0;             ///< index of its LaunchSlot
  std::uint32_t sites = 0;            ///< that follow
  std::uint32_t lost_sites = 0;       ///< that found no room in the table
  std::uint32_t parameter_bytes = 0;  ///< that follow the sites, as the kernel reads them; 0: not known
  std::uint64_t order = 0;            ///< launches of its slot before it
  std::uint64_t took_ns = 0;          ///< what seeing it cost the program
  /// Loads from beyond its multiprocessor that a warp issues: of the warp with most of them, and of each block's
  /// busiest warp, over all blocks. 0: not counted, in a launch of too many warps.
  std::uint64_t most_loads = 0;
  std::uint64_t busiest_loads = 0;
  std::uint64_t blocks = 0;  ///< that were seen; fewer than the launch has: the others ran unseen
};

/// The hardware's counts of launches of one slot. Each launch counted a part of them, a "pass".
struct CountsEvent {
  std::uint32_t slot = 0;    ///< index of its LaunchSlot
  std::uint32_t passes = 0;  ///< launches that it took
  std::uint64_t order = 0;   ///< launches of its slot before the first of them
};

enum class RawSpace : std::uint8_t { global, shared, local, host, cluster };
enum class RawOp : std::uint8_t { load, store, atomic };
/// Bits that tell an access from a plain load, store or atomic.
enum RawFlags : std::uint8_t {
  raw_async_copy = 1,      ///< cp.async: the load's data goes to shared memory without a register
  raw_outside_kernel = 2,  ///< of a function that the kernel calls: `pc` is the address itself
  raw_bulk_copy = 4,       ///< one instruction copies a block of memory; a word is 16 bytes of it
  raw_matrix = 8,          ///< ldmatrix, stmatrix: a word is a row of a matrix
  raw_not_counted = 16,    ///< what its requests move is not known
  /// No callback told of it: `gpumem` itself adds it, by a tensor map (tensor_stores.hpp), or by the machine code
  /// (spilled_registers.hpp).
  raw_assumed = 32
};

struct ShownRequest {
  /// Addresses of the active lanes. In shared memory they are offsets, in local memory offsets in the rows of 32 words
  /// that a warp's lanes share (access::local_address()).
  std::uint64_t address[32] = {};
  std::uint32_t active = 0;  ///< bit per lane
  std::uint32_t reserved = 0;
};
/// Requests shown of a site: its first, second, fifth, ..., the one after 4^k others.
inline constexpr std::uint32_t shown_requests = 10;

/// Bytes of parameters that a kernel can have (CUDA C++ Programming Guide, "Function Parameters").
inline constexpr std::uint32_t most_parameter_bytes = 32764;

/// Exact sums over the requests of one instruction in the blocks that were seen of one launch. Five come from simulated
/// caches, which get the addresses in the order of the patched launch. Their L1s and L2 are empty at first, and replace
/// the least recently used sectors.
struct Site {
  std::uint64_t pc = 0;  ///< bytes from the beginning of the kernel
  RawSpace space{};
  RawOp op{};
  std::uint8_t word_bytes = 0;
  std::uint8_t flags = 0;   ///< RawFlags
  std::uint32_t shown = 0;  ///< of `request`, those that are filled in
  std::uint64_t requests = 0;
  std::uint64_t active_lanes = 0;  ///< of matrix products (wgmma) eights of columns
  std::uint64_t useful_bytes = 0;  ///< distinct addresses of each request x word_bytes
  std::uint64_t sectors = 0;
  std::uint64_t least_sectors = 0;  ///< that would hold the useful bytes of each request
  std::uint64_t lines = 0;
  std::uint64_t wavefronts = 0;        ///< of shared memory
  std::uint64_t least_wavefronts = 0;  ///< of each request without a bank conflict
  std::uint64_t l2_sectors = 0;  ///< loads: fetched from L2, as no L1 had them; stores and atomics: all, each request's
  std::uint64_t memory_sectors = 0;  ///< of those, the ones that L2 did not have; of stores and atomics, not yet stored
  std::uint64_t loaded_sectors = 0;  ///< of these, of stores and atomics, the ones that loads had brought there
  std::uint64_t used_words = 0;      ///< 4-byte words of lines in L2 that nobody had used while they were there
  std::uint64_t l2_requests = 0;     ///< lines asked of L2
  std::uint64_t only_counted = 0;    ///< further requests, of which nothing but the number is known: time was spent
  ShownRequest request[shown_requests] = {};
};

// ---- launches: a FileHeader, a LaunchTotals, then slots

struct LaunchTotals {
  std::uint64_t slots = 0;           ///< in use
  std::uint64_t beyond_slots = 0;    ///< launches of which there was no slot left
  std::uint64_t graph_launches = 0;  ///< of CUDA graphs of which nothing is known
  std::uint64_t sampling_ns = 0;     ///< what watching cost the program
  std::uint64_t began_ns = 0;        ///< by the clock of ended_ns: the first launch
  std::uint64_t ended_ns = 0;        ///< the last launch
  std::uint64_t spans_left_out = 0;
  std::uint64_t left_ns = 0;  ///< launches from here on were not counted, by the clock of ended_ns; 0: all were
};

/// Times kept of a slot, each one of equally many launches. LaunchSlot::like_seen has a bit for each.
inline constexpr std::uint32_t kept_times = 64;

/// Launches of a slot in one range: the innermost one that was open where they were launched.
struct RangeLaunches {
  std::uint32_t range = 0;  ///< RangeEvent; 0: not in use yet
  std::uint32_t reserved = 0;
  std::uint64_t launches = 0;
};
inline constexpr std::uint32_t kept_ranges = 8;

inline constexpr std::uint32_t kept_bins = 64;

/// When launches ran: nanoseconds of GPU time in each bin of the time since LaunchTotals::began_ns. Only launches whose
/// begin is known are included, each for as many launches as it stands for.
struct TimeLine {
  std::uint64_t bin_ns = 0;  ///< width of a bin; 0: nothing is known
  std::uint64_t ran_ns[kept_bins] = {};
};

/// All launches of one kernel with one grid and block on one device.
struct LaunchSlot {
  std::uint32_t kernel = 0;  ///< 0: not in use yet
  std::uint32_t device = 0;
  std::uint32_t grid[3] = {};
  std::uint32_t block[3] = {};
  std::uint32_t dynamic_shared_bytes = 0;  ///< of the first one
  std::uint32_t times = 0;                 ///< taken, of which the last kept_times are kept
  std::uint64_t launches = 0;
  std::uint64_t unseen[unseen_reasons] = {};  ///< launches by reason
  std::uint64_t timed = 0;                    ///< launches that these times stand for
  std::uint64_t timed_ns = 0;                 ///< of those launches together
  float time_ns[kept_times] = {};             ///< the first min(times, kept_times) are filled in
  std::uint64_t like_seen = 0;                ///< a bit for each of these: with the numbers of the launch that was seen
  RangeLaunches ranges[kept_ranges];          ///< the first ones that there were launches in
  std::uint64_t in_other_ranges = 0;          ///< launches
  /// Nanoseconds of the launch that was seen when it ran once more for its time. That is no launch of the program's,
  /// and found in caches what the first had left there. 0: it did not.
  std::uint64_t repeat_ns = 0;
  TimeLine ran;
};
inline constexpr std::uint64_t launch_slots = 65536;

// ---- who asked for a launch, and where its arrays were made

enum class FrameLanguage : std::uint8_t { python, native };

/// A place in the program's source. The texts of its file, function and module follow.
struct CallerFrame {
  std::uint32_t line = 0;  ///< 0: not known
  FrameLanguage language{};
  std::uint8_t library = 0;  ///< of an installed package, or generated
  std::uint16_t reserved = 0;
  std::uint32_t file_bytes = 0;  ///< of the source's path; native: of the path of the code's file
  std::uint32_t function_bytes = 0;
  std::uint32_t module_bytes = 0;
  std::uint32_t file_mark = 0;  ///< native: mark_of() the code's file, so that no other is taken for it later
  std::uint64_t address = 0;    ///< native: of the instruction, as the code's file counts
};
inline constexpr std::uint32_t most_caller_frames = 16;

/// Returns a hash of a file's size and the time of its last change, to tell whether it has changed since.
[[nodiscard]] constexpr std::uint32_t mark_of(std::int64_t bytes, std::int64_t seconds, std::int64_t nanoseconds) {
  const auto mixed = static_cast<std::uint64_t>(bytes) * 0x9e3779b97f4a7c15 ^
                     static_cast<std::uint64_t>(seconds) * 0xc2b2ae3d27d4eb4f ^ static_cast<std::uint64_t>(nanoseconds);
  return static_cast<std::uint32_t>(mixed ^ mixed >> 32U);
}

/// The frames that asked for a launch, the innermost first.
struct CallerEvent {
  std::uint32_t slot = 0;  ///< index of its LaunchSlot
  std::uint32_t frames = 0;
  std::uint64_t order = 0;           ///< launches of its slot before it
  std::uint32_t operator_bytes = 0;  ///< of the operator's name; 0: not known
  std::uint32_t reserved = 0;
};
/// Different places that ask for launches of one slot; at most so many are kept.
inline constexpr std::uint32_t kept_callers = 4;

/// The allocation that a site of a sample touches.
struct ArrayEvent {
  std::uint32_t slot = 0;    ///< of the sample
  std::uint32_t frames = 0;  ///< of whoever made it, the innermost first; 0: not known
  std::uint64_t order = 0;   ///< of the sample
  std::uint64_t pc = 0;      ///< of the site
  std::uint64_t space = 0;   ///< of the site, RawSpace
  std::uint64_t bytes = 0;   ///< of the allocation
};

}  // namespace gpumem::inject
