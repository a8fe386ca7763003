#pragma once
// The hardware's own counts of launches, taken inside this process with CUPTI's range profiler. CUPTI is loaded at run
// time: without it, without permission, or on a chip it does not know, there is a reason and no counts.
//
// A set of counters does not fit the hardware at once, so every launch is repeated for each of a few passes. The fixed
// cost of a pass is about 15 ms and the first one of a process costs 0.6 s, which is why cases are counted many at a
// time: all of them in one pass, then all of them in the next.

#include <array>
#include <cstddef>
#include <functional>
#include <memory>
#include <optional>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/site.hpp"

namespace gpumem::measure {

/// Use of the hardware's counters: not at all, if possible, or required (nothing runs without them).
enum class Counting { off, if_possible, required };

/// The counts of a launch, under gpumem's own names. A count is absent if the chip has no counter for it.
struct Counts {
  std::optional<double> global_load_requests;  ///< requests of warps, see docs/counters.md for the hardware's names
  std::optional<double> global_load_sectors;   ///< sectors they touch, at L1
  std::optional<double> global_store_requests;
  std::optional<double> global_store_sectors;
  std::optional<double> shared_load_requests;
  std::optional<double> shared_load_wavefronts;
  std::optional<double> shared_store_requests;
  std::optional<double> shared_store_wavefronts;
  std::optional<double> shared_copy_requests;  ///< cp.async through L1; only where a case accesses shared memory
  std::optional<double> shared_copy_wavefronts;
  std::optional<double> shared_bank_conflicts;  ///< wavefronts beyond those that the requests need at least
  std::optional<double> l2_read_requests;       ///< from L1
  std::optional<double> l2_read_sectors;
  std::optional<double> l2_write_requests;
  std::optional<double> l2_write_sectors;
  std::optional<double> host_read_sectors;  ///< the part of the L2 sectors that lies in host memory
  std::optional<double> host_write_sectors;
  std::optional<double> dram_read_bytes;
  std::optional<double> dram_write_bytes;
  std::optional<double> achieved_occupancy;   ///< resident warps / the most there can be, while a multiprocessor works
  std::optional<double> local_load_requests;  ///< as of global memory; only where a case declares local memory
  std::optional<double> local_load_sectors;
  std::optional<double> local_store_requests;
  std::optional<double> local_store_sectors;
  std::optional<double> nvlink_sent_bytes;  ///< data of packets to other GPUs; only where a case declares peer memory
  std::optional<double> nvlink_received_bytes;       ///< and from them
  std::optional<double> nvlink_sent_overhead_bytes;  ///< what packets hold beside their data
  std::optional<double> nvlink_received_overhead_bytes;

  // Not counted but worked out from the counts:
  std::optional<double> load_throughput_gb_per_s;  ///< sectors loaded x 32 bytes / measured time of the launch
  std::optional<double> load_efficiency;           ///< bytes that requests ask for / (sectors x 32 bytes)

  bool operator==(const Counts&) const = default;
};

/// A count with its name and the hardware's names for it, of which the first that the chip has is read.
struct CounterField {
  using Value = std::optional<double> Counts::*;
  std::string_view name;
  Value value;
  std::string_view purpose;
  std::array<const char*, 2> metrics;         ///< CUPTI's names; the second may be null
  double scale = 1;                           ///< metric x scale is the count
  bool is_share = false;                      ///< a share or rate, which two launches do not double
  std::optional<access::Space> only_of = {};  ///< counted where a case accesses that space, for it costs a pass more
};
/// Returns the counts of `launches` launches of the same kind; shares and rates stay as they are.
[[nodiscard]] Counts times(Counts counts, double launches);
/// All counts, in the order in which they are reported: the one place that lists them.
[[nodiscard]] std::span<const CounterField> counter_fields();

class Counters {
 public:
  /// For the current context, on CUDA device `device_index`. Throws missing_capability_error with the reason and the
  /// cure when this process may not or cannot count.
  explicit Counters(int device_index);
  ~Counters();
  Counters(const Counters&) = delete;
  Counters& operator=(const Counters&) = delete;

  /// The most launches counted at once.
  static constexpr std::size_t most_at_once = 64;

  /// Counts each of `launches` (at most `most_at_once`), every one called as often as there are passes: what is always
  /// counted, and what is counted of `spaces` only. A launch queues work on any stream of the context; nothing else may
  /// run on the device meanwhile. Throws a probe error when counting fails.
  [[nodiscard]] std::vector<Counts> count(std::span<const std::function<void()>> launches,
                                          const std::set<access::Space>& spaces);

 private:
  struct State;
  std::unique_ptr<State> state_;
};

}  // namespace gpumem::measure
