#include "inject/sites/timing.hpp"

#include <deque>
#include <unordered_map>
#include <vector>

#include "inject/driver.hpp"
#include "inject/kernels.hpp"
#include "inject/output.hpp"

namespace gpumem::inject {

namespace {

constexpr double ns_per_ms = 1e6;
constexpr std::size_t most_waiting = 4096;  // launches; what comes while so many wait is not timed

struct Waiting {
  CUcontext context;
  Timed timed;
  LaunchSlot* slot;
};

/// An event, and when it was recorded: what places others on our clock.
struct Mark {
  CUevent event = nullptr;
  std::uint64_t at_ns = 0;
};

std::deque<Waiting> waiting;
std::unordered_map<CUcontext, Mark> marks;
std::unordered_map<CUcontext, std::vector<Timed>> spare;

/// Before the first launch of the context that is timed: the GPU has nothing else to do then, as far as that can be
/// known without waiting.
void set_mark(CUcontext context, CUstream stream) {
  const auto [mark, is_new] = marks.try_emplace(context);
  if (!is_new || driver().cuEventCreate(&mark->second.event, CU_EVENT_DEFAULT) != CUDA_SUCCESS) return;
  mark->second.at_ns = now_ns();
  static_cast<void>(driver().cuEventRecord(mark->second.event, stream));
}

void place(const Waiting& launch, double took_ns) {
  const Mark& mark = marks[launch.context];
  float milliseconds = 0;
  if (mark.event == nullptr ||
      driver().cuEventElapsedTime(&milliseconds, mark.event, launch.timed.start) != CUDA_SUCCESS) {
    return;
  }
  const double began_ns = static_cast<double>(mark.at_ns) + static_cast<double>(milliseconds) * ns_per_ms;
  add_to_time_line(*launch.slot, began_ns, took_ns, launch.timed.stands_for);
}

}  // namespace

Timed begin_timing(CUcontext context, CUstream stream, std::uint64_t stands_for) {
  take_times(4);
  if (waiting.size() >= most_waiting) return {};
  set_mark(context, stream);
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
  timed.stands_for = stands_for;
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
      const double took_ns = static_cast<double>(milliseconds) * ns_per_ms;
      add_time(*oldest.slot, took_ns);
      place(oldest, took_ns);
      spare[oldest.context].push_back(oldest.timed);
    }
    waiting.pop_front();
  }
}

}  // namespace gpumem::inject
