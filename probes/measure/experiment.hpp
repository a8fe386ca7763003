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

class Experiment {
 public:
  Experiment() = default;
  virtual ~Experiment() = default;
  Experiment(const Experiment&) = delete;
  Experiment& operator=(const Experiment&) = delete;

  /// Queues one launch, the very one that is timed.
  virtual void launch(CUstream_st* stream) = 0;
  /// Poisons the output, launches once and compares on the device. Waits for the result.
  virtual Verification verify(CUstream_st* stream) = 0;
  /// What else the last launch tells, by the names of the probe's metrics. Called after timing, with its median.
  virtual std::vector<std::pair<std::string, double>> metrics(CUstream_st* /*stream*/, Seconds /*per_launch*/) {
    return {};
  }
};

}  // namespace gpumem::measure
