#pragma once
// A case readied on a GPU: what can be launched, verified and timed.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <stdexcept>
#include <string>
#include <utility>
#include <vector>

#include "engine/statistics/statistics.hpp"

struct CUstream_st;  // cudaStream_t is a pointer to this; naming it spares host code the CUDA headers

namespace gpumem::measure {

/// The clock that times a case.
enum class Clock {
  device,  ///< events in the stream; launches are queued so that the device never waits for the host
  host     ///< the host's clock from the call until the stream is idle, for work that the host takes part in
};

/// The result of comparing a case's output with the values that its functor gives.
struct Verification {
  std::uint64_t mismatches = 0;
  std::optional<std::uint64_t> first_mismatch = {};  ///< where, in units of `what`; absent if they are only counted
  std::string what = {};                             ///< "32-bit words of the target"
};

/// When one stage of a run started and ended, in seconds from the start of the run.
struct StageSpan {
  std::string stage;    ///< "copy in", "kernel", ...
  unsigned stream = 0;  ///< in which it ran
  double start_s = 0;
  double end_s = 0;
};

class Experiment {
 public:
  Experiment() = default;
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// Queues one launch, exactly as it is timed. Its work in other streams starts after everything that `stream` holds
  /// already, and `stream` waits for it. If the host's clock times it, it may wait itself.
  virtual void launch(CUstream_st* stream) = 0;
  /// Queues the kernel of a launch once, without the copies around it: what the hardware's counters count.
  virtual void launch_kernel(CUstream_st* stream) { launch(stream); }
  /// Kernels, copies, event records and waits that one launch() leaves in streams. A device queues about a thousand,
  /// then the host waits, so this limits how many launches are held back at once. A launch that is too long for the
  /// queue is not held back.
  [[nodiscard]] virtual std::size_t queued_commands() const { return 1; }
  /// Poisons the output, launches once and compares on the device. Waits for the result.
  virtual Verification verify(CUstream_st* stream) = 0;
  /// The probe's headline as the last launch sampled it. Experiments whose headline does not follow from the time
  /// override this. Called when the stream is idle.
  virtual double sample() { throw std::logic_error("this experiment samples nothing"); }
  /// Further results of the last launch, by the names of the probe's metrics. Called after timing, with its median.
  virtual std::vector<std::pair<std::string, double>> metrics(CUstream_st* /*stream*/, Seconds /*per_launch*/) {
    return {};
  }
  /// The stages of one run that is not timed, for cases about things that happen at the same time. Waits for the run.
  virtual std::vector<StageSpan> timeline(CUstream_st* /*stream*/) { return {}; }
};

}  // namespace gpumem::measure
