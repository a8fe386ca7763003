#pragma once
// A case readied on a GPU: what can be launched, verified and timed.

#include <cstdint>
#include <string>
#include <utility>
#include <vector>

#include "probes/measure/statistics.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to this; naming it spares host code the CUDA headers

namespace gpumem::measure {

/// What comparing a case's output with what its functor says found.
struct Verification {
  std::uint64_t mismatches = 0;
  std::uint64_t first_mismatch = 0;  ///< where, in units of `what`; meaningless without mismatches
  std::string what;                  ///< "32-bit words of the target"
};

/// When one stage of a run started and ended, in seconds from the start of the run.
struct StageSpan {
  std::string stage;    ///< "copy in", "kernel", ...
  unsigned stream = 0;  ///< in which it ran
  double start_s = 0;
  double end_s = 0;
};

/// What times an experiment.
enum class Clock {
  device,  ///< events in the stream; launches are queued so that the device never waits for the host
  host     ///< the host's clock from the call until the stream is idle, for work that the host takes part in
};

class Experiment {
 public:
  Experiment() = default;
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  [[nodiscard]] virtual Clock clock() const { return Clock::device; }
  /// Queues one launch, the very one that is timed. Whatever it does in other streams is ordered after what `stream`
  /// holds before, and `stream` waits for it. With Clock::host it may wait itself.
  virtual void launch(CUstream_st* stream) = 0;
  /// Poisons the output, launches once and compares on the device. Waits for the result.
  virtual Verification verify(CUstream_st* stream) = 0;
  /// What else the last launch tells, by the names of the probe's metrics. Called after timing, with its median.
  virtual std::vector<std::pair<std::string, double>> metrics(CUstream_st* /*stream*/, Seconds /*per_launch*/) {
    return {};
  }
  /// The stages of one run that is not timed, for cases that are about what happens at once. Waits for it.
  virtual std::vector<StageSpan> timeline(CUstream_st* /*stream*/) { return {}; }
};

}  // namespace gpumem::measure
