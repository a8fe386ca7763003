#pragma once
// Times a launch until its median is known, by the clock that its experiment asks for. On the device, events time the
// launches, which are queued if gaps would show. The host's clock times a launch and the wait for it. It is for
// launches that the host takes part in: these cannot be queued behind a gate that the host opens only afterwards.

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

/// Holds back a stream until what is queued behind it is complete, so that the device never waits for the host within a
/// timed region. It is a kernel that spins on a host flag. A time-out ends it if launches cannot be queued behind it (a
/// profiler or debugger serialises them). After one time-out it is disabled for good.
class Gate {
 public:
  Gate();
  void close(const Stream& stream);  ///< queues the spinning kernel
  void open();                       ///< lets it end
  /// True if the last closing ended by time-out; call after synchronising. Later close() calls then do nothing.
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

/// The values that launches sample themselves, one at a time, until their median is known by the rule.
struct Samples {
  std::vector<double> values;  ///< in the order taken, none dropped
  bool converged = false;
};
[[nodiscard]] Samples sample_launches(Experiment& experiment, Session& session, const StoppingRule& rule,
                                      const std::function<bool()>& interrupted);

/// Returns a quick estimate of a launch's time: the shortest of a few, after a warm-up. For choosing, never for
/// reporting.
[[nodiscard]] Seconds estimate_launch(Experiment& experiment, Session& session, Clock clock);

/// Times several runs that `queue` puts into the stream one right behind another, so that no call of the host shows
/// between them. A first run is not timed. For metrics of runs that take much longer than an event. Waits for the runs.
[[nodiscard]] Summary time_queued(const Stream& stream, unsigned runs, const std::function<void()>& queue);

/// Returns the median of the cycles that each block stored as a 64-bit number, by its multiprocessor's own clock.
/// Called when the stream is idle.
[[nodiscard]] double middle_cycles(const DeviceBuffer& cycles);

}  // namespace gpumem::measure
