#pragma once
// The part of CUPTI's range profiler that is needed to count launches in a context: choosing counters, and counting
// pass by pass. It is also part of the library that is injected into other programs, so it brings along no other code.

#include "engine/measure/cupti.hpp"

#if GPUMEM_HAS_CUPTI

#include <cstddef>
#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/access/space.hpp"
#include "engine/measure/counters.hpp"

namespace gpumem::measure {

/// Counters that are counted together.
struct CounterChoice {
  std::vector<const CounterField*> fields = {};  ///< those the chip has
  std::vector<const char*> metrics = {};         ///< theirs, in the same order
  CUpti_Profiler_Host_Object* host = nullptr;
  std::vector<std::uint8_t> config = {};
  std::size_t passes = 1;  ///< that they take
};

/// The counts of some ranges, in CUPTI's form.
struct RangeCounts {
  std::vector<std::uint8_t> data = {};
};

/// The side that repeats the counted work for every pass.
enum class Replay {
  by_caller,  ///< between start() and stop() a pass of each range is run, marked by push() and pop()
  by_cupti    ///< each kernel is a range, which CUPTI runs again, with the memory as it was before
};

/// The counters of one device. Throws missing_capability_error, with the cure, if something keeps the process from
/// counting, and probe_error if a count fails after it has begun.
class RangeProfiler {
 public:
  RangeProfiler(std::shared_ptr<const Cupti> cupti, int device_index);
  ~RangeProfiler();
  RangeProfiler(const RangeProfiler&) = delete;
  RangeProfiler& operator=(const RangeProfiler&) = delete;

  /// Returns the counters for launches that access these spaces, without those of NVLinks. Valid as long as the
  /// profiler.
  [[nodiscard]] const CounterChoice& choice(const std::set<access::Space>& accessed);
  /// Returns the counters of NVLinks, which CUPTI refuses to count beside others. Valid as long as the profiler.
  [[nodiscard]] const CounterChoice& link_choice();
  /// Has the context's counters count what was chosen, one context and one choice at a time: CUPTI keeps the counters
  /// that it was set up with first, and gives no values of others.
  void enable(const CounterChoice& chosen, CUcontext context);
  void disable();

  /// Returns counts of nothing yet, with room for so many ranges.
  [[nodiscard]] RangeCounts empty_counts(std::size_t ranges) const;
  /// Makes the following ranges count into `counts`. The first call makes room in the profiler for `most_ranges`
  /// ranges; if a later call asks for more, those beyond are lost.
  void set_up(RangeCounts& counts, Replay replay, std::size_t most_ranges) const;
  void start() const;
  void push(const char* name) const;
  void pop() const;
  /// Ends the pass. False while others are to come.
  [[nodiscard]] bool stop();
  /// Returns the number of the choice's next pass, from 0. The profiler goes through the passes one after another,
  /// again and again, whatever counts it is set up with and whatever pass it is then asked for.
  [[nodiscard]] std::size_t next_pass() const { return next_pass_; }
  /// Brings the passes so far into the counts.
  void decode() const;
  /// Returns the counts of one range, by the order in which ranges were pushed. Call it when all passes are there.
  [[nodiscard]] Counts counts_of(RangeCounts& counts, std::size_t range) const;

 private:
  void require(CUptiResult result, std::string_view what) const;
  void check_count(CUptiResult result, std::string_view what) const;
  [[nodiscard]] std::string words_of(CUptiResult result) const;
  [[nodiscard]] CUpti_Profiler_Host_Object* make_host() const;
  void release_host(CUpti_Profiler_Host_Object* object) const;
  [[nodiscard]] CUptiResult add(CUpti_Profiler_Host_Object* object, std::span<const char* const> names) const;
  [[nodiscard]] bool has(const char* metric) const;
  [[nodiscard]] const CounterChoice& chosen(const std::set<access::Space>& key,
                                            const std::function<bool(const CounterField&)>& wanted);
  void configure(CounterChoice& chosen) const;

  std::shared_ptr<const Cupti> cupti_;
  std::string chip_;
  std::map<std::set<access::Space>, CounterChoice> choices_;  ///< by the spaces that only they count
  CUpti_RangeProfiler_Object* profiler_ = nullptr;
  const CounterChoice* enabled_for_ = nullptr;  ///< one of the choices
  std::size_t next_pass_ = 0;
  std::uint16_t nesting_level_ = 1;
};

}  // namespace gpumem::measure

#endif
