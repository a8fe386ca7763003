#include "engine/measure/counters.hpp"

#include <cuda_runtime_api.h>
#include <dlfcn.h>

#include "engine/base/error.hpp"
#include "engine/measure/cuda.hpp"
#include "engine/measure/range_profiler.hpp"

namespace gpumem::measure {

#if GPUMEM_HAS_CUPTI

namespace {

/// The runtime has no name for it; the driver, which it has loaded, does.
CUcontext current_context() {
  CUcontext context = nullptr;
  void* driver = dlopen("libcuda.so.1", RTLD_LAZY | RTLD_LOCAL);
  if (driver == nullptr) return context;
  const auto get = reinterpret_cast<CUresult (*)(CUcontext*)>(dlsym(driver, "cuCtxGetCurrent"));
  if (get != nullptr) static_cast<void>(get(&context));
  dlclose(driver);
  return context;
}

}  // namespace

struct Counters::State {
  RangeProfiler profiler;

  /// Counts the chosen counters for each launch.
  std::vector<Counts> count(std::span<const std::function<void()>> launches, const CounterChoice& choice);
};

std::vector<Counts> Counters::State::count(std::span<const std::function<void()>> launches,
                                           const CounterChoice& choice) {
  profiler.enable(choice, current_context());
  RangeCounts counted = profiler.empty_counts(launches.size());
  profiler.set_up(counted, Replay::by_caller, most_at_once);
  for (bool all_passes_done = false; !all_passes_done;) {
    profiler.start();
    for (std::size_t i = 0; i < launches.size(); ++i) {
      profiler.push(std::to_string(i).c_str());
      launches[i]();
      profiler.pop();
    }
    all_passes_done = profiler.stop();
  }
  profiler.decode();
  std::vector<Counts> counts;
  for (std::size_t i = 0; i < launches.size(); ++i) counts.push_back(profiler.counts_of(counted, i));
  return counts;
}

Counters::Counters(int device_index) : state_(new State{RangeProfiler(load_cupti(), device_index)}) {
  // So that a chip without counters is told before anything runs.
  state_->profiler.enable(state_->profiler.choice({}), current_context());
}
Counters::~Counters() = default;

std::vector<Counts> Counters::count(std::span<const std::function<void()>> launches,
                                    const std::set<access::Space>& spaces) {
  if (launches.empty()) return {};
  std::vector<Counts> counts = state_->count(launches, state_->profiler.choice(spaces));
  if (!spaces.contains(access::Space::peer)) return counts;
  const CounterChoice& links = state_->profiler.link_choice();
  if (links.fields.empty()) return counts;
  const std::vector<Counts> carried = state_->count(launches, links);
  for (std::size_t i = 0; i < launches.size(); ++i) {
    for (const CounterField* field : links.fields) counts[i].*field->value = carried[i].*field->value;
  }
  return counts;
}

#else

struct Counters::State {};
Counters::Counters(int) {
  throw missing_capability_error("gpumem was built without CUPTI's range profiler: build it with CUDA 12.6 or newer");
}
Counters::~Counters() = default;
std::vector<Counts> Counters::count(std::span<const std::function<void()>>, const std::set<access::Space>&) {
  return {};
}

#endif

}  // namespace gpumem::measure
