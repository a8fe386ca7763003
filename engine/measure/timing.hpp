#pragma once
// Times a launch until its median is known, by the clock that its experiment asks for: events on the device, launches
// queued where gaps would show; or the host's clock around a launch and the wait for it, where the host takes part. The
// host could not take part in launches that wait behind a gate for the host to open it.

#include <functional>
#include <vector>

#include "engine/measure/experiment.hpp"
#include "engine/measure/session.hpp"
#include "engine/statistics/statistics.hpp"

namespace gpumem::measure {

struct Timing {
  std::vector<Seconds> samples;  ///< seconds per launch, in the order taken, none dropped
  Summary summary;
  bool converged = false;            ///< the interval reached the asked width within the budget
  unsigned launches_per_sample = 1;  ///< short launches are batched; a sample is their mean
};

/// Holds back a stream until what is queued behind it is complete, so that the device never waits for the host within
/// a timed region. A kernel that spins on a host flag, with a time-out so that nothing hangs when launches cannot be
/// queued behind it (a profiler or debugger that serialises them); after one time-out it steps aside for good.
class Gate {
 public:
  Gate();
  void close(const Stream& stream);  ///< queues the spinning kernel
  void open();                       ///< lets it end
  /// Whether the last closing ended by time-out; call after synchronising. Later close() calls then do nothing.
  bool timed_out();

 private:
  PinnedBuffer flags_;
  bool disabled_ = false;
};

/// Times experiment.launch() by the rule. Assumes it ran once (its kernel is loaded and warm). By the host's clock
/// every launch is waited for before the next, and the gate is left alone.
/// Throws Interrupted when `interrupted` says so, a probe error when a launch fails.
[[nodiscard]] Timing time_launches(Experiment& experiment, Session& session, Gate& gate, Clock clock,
                                   const StoppingRule& rule, const std::function<bool()>& interrupted);

/// What launches sample themselves, one at a time, until the median of that is known by the rule.
struct Samples {
  std::vector<double> values;  ///< in the order taken, none dropped
  bool converged = false;
};
[[nodiscard]] Samples sample_launches(Experiment& experiment, Session& session, const StoppingRule& rule,
                                      const std::function<bool()>& interrupted);

/// One quick estimate of a launch: the shortest of a few, after a warm-up. For choosing,
/// never for reporting.
[[nodiscard]] Seconds estimate_launch(Experiment& experiment, Session& session, Clock clock);

/// What each of several runs takes that `queue` puts into the stream, one right behind another, so that no call of the
/// host shows between them. A first one is not timed. For metrics, of runs that take long beside an event. Waits.
[[nodiscard]] Summary time_queued(const Stream& stream, unsigned runs, const std::function<void()>& queue);

/// Of the cycles that each block stored, by its multiprocessor's own clock and as 64-bit numbers: those of the block in
/// the middle. Called when the stream is idle.
[[nodiscard]] double middle_cycles(const DeviceBuffer& cycles);

}  // namespace gpumem::measure
