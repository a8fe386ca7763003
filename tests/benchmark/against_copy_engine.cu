// Compares the probes with the GPU's limits, in one run on one GPU: gpumem's aligned copy with cudaMemcpy's, and its
// aligned read and write with the theoretical bandwidth. Prints a Markdown table. Takes the launch shapes that `auto`
// picked in a report: against_copy_engine ELEMENTS_PER_THREAD BLOCK_THREADS ... with a pair for each of read, write and
// copy.

#include <cuda_runtime.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "app/run/backend.hpp"
#include "engine/measure/timing.hpp"

using namespace gpumem;

namespace {

constexpr std::uint64_t buffer_bytes = std::uint64_t{1} << 30U;

class DeviceCopy final : public measure::Experiment {
 public:
  explicit DeviceCopy(measure::Session& session)
      : source_(session.random_source(buffer_bytes / 4)), target_(session.target(buffer_bytes / 4)) {}
  void launch(cudaStream_t stream) override {
    measure::check(cudaMemcpyAsync(target_, source_, buffer_bytes, cudaMemcpyDeviceToDevice, stream), "copy");
  }
  measure::Verification verify(cudaStream_t /*stream*/) override { return {}; }

 private:
  const std::uint32_t* source_;
  std::uint32_t* target_;
};

double cuda_memcpy_gb_per_s() {
  measure::Session session(0);
  measure::Gate gate;
  DeviceCopy copy(session);
  const measure::Timing timing = time_launches(copy, session, gate, measure::Clock::device, {}, [] { return false; });
  return 2.0 * buffer_bytes / timing.summary.median.count() / 1e9;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc != 7) {
    std::fprintf(stderr, "give elements per thread and threads per block for read, write and copy\n");
    return 2;
  }
  const auto backend = app::make_cuda_backend({});
  const double theoretical = backend->device().theoretical_bandwidth_bytes_per_s() / 1e9;
  std::printf("| aligned | GB/s | reference | GB/s | ratio |\n| --- | --- | --- | --- | --- |\n");
  const char* const ops[] = {"read", "write", "copy"};
  for (int i = 0; i < 3; ++i) {
    const Case tested{find_probe("offset"),
                      {{"offset_elements", std::uint64_t{0}},
                       {"op", std::string(ops[i])},
                       {"word_bytes", std::uint64_t{4}},
                       {"elements_per_thread", std::strtoull(argv[1 + 2 * i], nullptr, 10)},
                       {"block_threads", std::strtoull(argv[2 + 2 * i], nullptr, 10)},
                       {"buffer_bytes", buffer_bytes}}};
    const bool is_copy = i == 2;
    const double before = is_copy ? cuda_memcpy_gb_per_s() : theoretical;
    const report::Record record = backend->run(tested);
    const double after = is_copy ? cuda_memcpy_gb_per_s() : theoretical;
    if (!record.headline.measured) {
      std::fprintf(stderr, "%s: %s\n", ops[i], record.reason.value_or("not measured").c_str());
      return 1;
    }
    const double reference = (before + after) / 2;
    std::printf("| %s | %.0f | %s | %.0f | %.3f |\n", ops[i], *record.headline.measured,
                is_copy ? "cudaMemcpy device to device, before and after" : "theoretical", reference,
                *record.headline.measured / reference);
  }
}
