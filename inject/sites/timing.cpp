#include "inject/sites/timing.hpp"

#include <deque>
#include <unordered_map>
#include <vector>

#include "inject/driver.hpp"
#include "inject/kernels.hpp"

namespace gpumem::inject {

namespace {

constexpr double ns_per_ms = 1e6;
constexpr std::size_t most_waiting = 4096;  // launches; what comes while so many wait is not timed

struct Waiting {
  CUcontext context;
  Timed timed;
  LaunchSlot* slot;
};

std::deque<Waiting> waiting;
std::unordered_map<CUcontext, std::vector<Timed>> spare;

}  // namespace

Timed begin_timing(CUcontext context, CUstream stream) {
  take_times(4);
  if (waiting.size() >= most_waiting) return {};
  auto& pairs = spare[context];
  Timed timed;
  if (!pairs.empty()) {
    timed = pairs.back();
    pairs.pop_back();
  } else if (driver().cuEventCreate(&timed.start, CU_EVENT_DEFAULT) != CUDA_SUCCESS ||
             driver().cuEventCreate(&timed.stop, CU_EVENT_DEFAULT) != CUDA_SUCCESS) {
    return {};
  }
  if (driver().cuEventRecord(timed.start, stream) != CUDA_SUCCESS) {
    pairs.push_back(timed);
    return {};
  }
  return timed;
}

void end_timing(CUcontext context, CUstream stream, const Timed& timed, LaunchSlot& slot) {
  if (timed.start == nullptr) return;
  if (driver().cuEventRecord(timed.stop, stream) != CUDA_SUCCESS) return;
  waiting.push_back({context, timed, &slot});
}

void take_times(std::size_t most) {
  for (std::size_t i = 0; i < most && !waiting.empty(); ++i) {
    const Waiting& oldest = waiting.front();
    const CUresult state = driver().cuEventQuery(oldest.timed.stop);
    if (state == CUDA_ERROR_NOT_READY) return;
    float milliseconds = 0;
    if (state == CUDA_SUCCESS &&
        driver().cuEventElapsedTime(&milliseconds, oldest.timed.start, oldest.timed.stop) == CUDA_SUCCESS) {
      add_time(*oldest.slot, static_cast<double>(milliseconds) * ns_per_ms);
      spare[oldest.context].push_back(oldest.timed);
    }
    waiting.pop_front();
  }
}

}  // namespace gpumem::inject
