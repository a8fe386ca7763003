#pragma once
// Counts launches with the hardware's counters. They do not all fit the hardware at once, so counting takes several
// passes. Each launch of the same kernel, grid and block is one pass.

#include "engine/measure/range_profiler.hpp"

#if GPUMEM_HAS_CUPTI

#include <cuda.h>

#include <cstddef>
#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <unordered_map>

#include "program/watch/kernels.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// The context and the device that a launch runs in.
struct PassContext {
  CUcontext context = nullptr;
  std::uint32_t id = 0;  ///< of the context, never used twice
  std::uint32_t device = 0;
};

/// Counts of a slot that are not complete yet.
struct UnfinishedCounts {
  measure::RangeCounts counts;
  std::uint64_t first = 0;  ///< launches of the slot before the first one
  std::set<std::size_t> passes;
};

/// A context whose launches are counted.
struct CountedContext {
  std::unique_ptr<measure::RangeProfiler> profiler;      ///< null: this one cannot be counted
  std::size_t passes = 0;                                ///< that counts take
  measure::RangeCounts nobodys;                          ///< of passes that nothing is launched in
  std::map<std::uint32_t, UnfinishedCounts> unfinished;  ///< by slot
};

/// The passes of a process. One thread at a time calls its functions, in relaxed capture mode, and nothing else is
/// launched between begin() and end().
class Passes {
 public:
  /// True if the counts of this slot, and all others that are not complete, can be finished in the time that is left.
  /// Always true for a slot whose counts have begun, because a few complete ones are worth more than many that are not,
  /// and while too few passes were timed to tell.
  [[nodiscard]] bool has_time_for(std::uint32_t slot, double left_ns) const;
  /// Waits for earlier launches, and begins to count. Returns Unseen::none, or the reason why it does not count.
  [[nodiscard]] Unseen begin(const measure::Cupti& cupti, const PassContext& context, Slot& slot, bool replay);
  /// Waits for the launch. After the last pass it writes the counts: the slot has one more sample. Returns
  /// Unseen::none, or the reason why the pass failed.
  [[nodiscard]] Unseen end(Slot& slot, bool launched);

  /// Lets go of the counters of all contexts, before one of them ends.
  void release() { contexts_.clear(); }

 private:
  std::unordered_map<std::uint32_t, CountedContext> contexts_;
  CountedContext* counting_ = nullptr;
  std::uint64_t began_ns_ = 0;  ///< of the pass
  std::uint64_t done_ = 0;
  double pass_ns_ = 0;  ///< of all of them but the first, in which CUPTI is not done with setting up
  bool replaying_ = false;
};

}  // namespace gpumem::inject

#endif
