// A probe that goes wrong on purpose, linked only into the test program gpumem_with_faults: it corrupts its output,
// faults, or hangs on to too much memory, so that what follows in the same run can be watched.

#include "engine/measure/content.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/experiment.hpp"
#include "engine/measure/kernel_name.hpp"
#include "engine/measure/session.hpp"
#include "engine/measure/verify.hpp"
#include "probes/probe.hpp"

namespace gpumem::faults {

constexpr std::uint32_t words = 1U << 20U;

__global__ void misbehave(std::uint32_t* target, bool corrupt, bool fault) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (fault && i == 7) target = nullptr;
  target[i] = measure::random_word(i) + (corrupt && i == 4711 ? 2 : 0);
}

__global__ void check(const std::uint32_t* target, unsigned long long* mismatches) {
  const std::uint32_t i = blockIdx.x * blockDim.x + threadIdx.x;
  if (target[i] != measure::random_word(i)) atomicAdd(mismatches, 1ULL);
}

class FaultExperiment final : public measure::Experiment {
 public:
  FaultExperiment(const Case& decided, measure::Session& session)
      : kind_(decided.name("fault")), target_(session.target(words)), mismatches_(session) {
    if (kind_ == "memory") static_cast<void>(measure::DeviceBuffer(std::size_t{1} << 45U));
  }

  void launch(cudaStream_t stream) override {
    misbehave<<<words / 256, 256, 0, stream>>>(target_, kind_ == "corrupt", kind_ == "fault");
    measure::check(cudaGetLastError(), "launch the kernel");
  }

  measure::Verification verify(cudaStream_t stream) override {
    mismatches_.reset(stream);
    launch(stream);
    faults::check<<<words / 256, 256, 0, stream>>>(target_, mismatches_.data());
    return {.mismatches = mismatches_.read(stream), .first_mismatch = 4711, .what = "32-bit words of the target"};
  }

 private:
  std::string kind_;
  std::uint32_t* target_;
  measure::MismatchCount mismatches_;
};

static Workload describe(const Case& /*decided*/, const Device& /*device*/) {
  Workload workload;
  workload.kernel = measure::kernel_name<&misbehave>();
  workload.blocks = words / 256;
  workload.block_threads = 256;
  workload.useful_bytes_written = words * sizeof(std::uint32_t);
  workload.allocated_bytes = workload.useful_bytes_written;
  return workload;
}

static Probe fault_probe() {
  Probe probe;
  probe.name = "fault";
  probe.purpose = "goes wrong on purpose";
  probe.axes = {{.flag = "fault",
                 .parameter = "fault",
                 .purpose = "what goes wrong",
                 .defaults = "none,corrupt,fault,memory",
                 .quick = "none",
                 .names = {"none", "corrupt", "fault", "memory"}}};
  probe.baseline = std::string("none");
  probe.describe = describe;
  probe.prepare = prepared<FaultExperiment>;
  return probe;
}

GPUMEM_PROBE(fault_probe);

}  // namespace gpumem::faults
