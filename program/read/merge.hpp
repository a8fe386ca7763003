#pragma once
// The processes of a run put together. Launches of one kernel with the same grid and number of threads on the same
// device are merged, whichever process they come from.

#include <array>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "engine/machine/device.hpp"
#include "program/read/constant_bank.hpp"
#include "program/read/raw_data.hpp"

namespace gpumem::program {

/// The injected library counts nanoseconds.
constexpr double seconds_per_ns = 1e-9;

/// One launch seen access by access, in the processes that were merged.
struct SeenLaunch {
  const RawProcess* process = nullptr;
  const RawSample* sample = nullptr;
  std::uint32_t image = 0;     ///< that knows its lines; 0: none
  std::string_view code = {};  ///< of the kernel; may be empty
  LaunchConstants constants = {};
};

struct MergedKernel {
  std::string name;      ///< demangled
  std::string function;  ///< as the linker knows it
  std::string grid;      ///< "1024", "64x64", "8x8x8"
  std::uint64_t blocks = 0;
  unsigned block_threads = 0;
  std::size_t device = 0;  ///< index into the run's
  unsigned registers_per_thread = 0;
  unsigned local_bytes_per_thread = 0;
  unsigned shared_bytes_per_block = 0;
  std::uint64_t launches = 0;
  std::uint64_t timed = 0;
  double timed_s = 0;
  std::vector<double> times_s;            ///< of launches all over the run
  std::vector<double> times_like_seen_s;  ///< of these, of launches with the numbers of the one that was seen
  std::vector<double> repeats_s;          ///< of seen launches that ran once more, one in a process at most
  bool timed_by_repeat = false;           ///< the times are those of repeats, as no launch of the program's was timed
  std::array<std::uint64_t, inject::unseen_reasons> unseen{};
  std::vector<SeenLaunch> seen;
  /// Index of the same function with another grid that was seen; absent if this grid was seen itself, or if no such
  /// grid was.
  std::optional<std::size_t> like = {};
  std::vector<const RawCounts*> counted;
  std::vector<std::pair<const RawProcess*, const RawCaller*>> callers;  ///< of its first launches
  std::vector<std::pair<std::string, std::uint64_t>> ranges;            ///< that it was launched in, and how often
  std::uint64_t in_other_ranges = 0;
  inject::TimeLine ran;  ///< since the run's first launch

  /// Seconds of all launches that are known to have run. Launches that were not timed count like those that were.
  [[nodiscard]] std::optional<double> gpu_s() const;
  /// The launch that stands for all: among those whose tables lost the fewest sites, the one with the median of the
  /// accesses, the smaller of two. Sums of several launches would be those of no launch. Null if none was seen.
  [[nodiscard]] const SeenLaunch* shown() const;
  /// The counts that stand for all: those with the median of the traffic of L1 and L2, the smaller of two; null if
  /// there are none.
  [[nodiscard]] const measure::Counts* counts() const;
  /// True if the seen launches access amounts that differ enough to matter.
  [[nodiscard]] bool varies() const;
  /// Returns true if timed launches had other numbers than the one that was seen: sizes, or numbers that do not matter
  /// to the time.
  [[nodiscard]] bool is_timed_otherwise() const;
  /// Returns true if its launches are known to access or take different amounts.
  [[nodiscard]] bool launches_differ() const;
  /// Names of the ranges that most of its launches are in: "forward, backward", a few at most; empty if they are in
  /// none.
  [[nodiscard]] std::string ranges_text() const;
  /// Seconds of all launches in each of the run's bins. Launches whose time of running is not known are spread as the
  /// others are. Empty if it is known of none.
  [[nodiscard]] std::vector<double> ran_s(std::size_t bins) const;
};

/// CUDA graphs that launch the same kernels.
struct MergedGraph {
  std::string name;  ///< "CUDA graph of 12 kernels: gemm, add"
  std::size_t device = 0;
  std::uint64_t kernels = 0;  ///< launches of kernels in a replay
  std::uint64_t launches = 0;
  bool as_a_whole = false;  ///< its kernels are in no result: it is one itself
  std::uint64_t timed = 0;
  double timed_s = 0;
  std::vector<double> times_s;  ///< of replays that were not launched node by node
};

struct MergedRun {
  std::vector<Device> devices;
  std::vector<MergedKernel> kernels;  ///< in the order of the processes and of their first launch
  std::vector<MergedGraph> graphs;
  std::map<std::pair<const RawProcess*, std::uint32_t>, std::size_t> kernel_of;  ///< by slot: index into `kernels`
  std::map<std::pair<const RawProcess*, std::uint32_t>, std::size_t> graph_of;   ///< by slot: index into `graphs`
  std::uint64_t began_ns = 0;                                                    ///< the first launch
  unsigned processes = 0;
  std::uint64_t launches = 0;
  std::uint64_t launches_seen = 0;  ///< closely: access by access, or counted
  bool by_sites = false;            ///< some process was watched access by access
  bool by_counters = false;         ///< some process was watched by the hardware's counters
  double sampling_s = 0;
  std::optional<double> watched_s;  ///< from the first launch on, until launches were not counted any more
  double bin_s = 0;                 ///< of all kernels' time lines; 0: nothing is known
  std::size_t bins = 0;             ///< up to the last one in which something ran
  std::vector<std::pair<std::string, std::uint64_t>> skipped;  ///< reason, launches
  std::vector<std::string> notes;                              ///< each once
};

/// The processes have to outlive it.
[[nodiscard]] MergedRun merged(const std::vector<RawProcess>& processes);

/// Says why launches were not looked at closely, and what to do.
[[nodiscard]] const char* reason_text(inject::Unseen reason);

}  // namespace gpumem::program
