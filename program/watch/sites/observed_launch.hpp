#pragma once
// One launch that is watched: sampled, timed or only counted. A call of the program's launches it, or a CUDA graph that
// is launched node by node.

#include <cuda.h>

#include <cstdint>
#include <functional>
#include <optional>

#include "program/watch/kernels.hpp"
#include "program/watch/raw_format.hpp"
#include "program/watch/sites/sampling.hpp"
#include "program/watch/sites/timing.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

struct ObservedLaunch {
  Slot* slot = nullptr;  ///< null: it is counted, and that is all
  Kernel* kernel = nullptr;
  Timed timed;
  bool sampled = false;
  Shape shape;
  std::uint64_t numbers = 0;  ///< numbers_of() its parameters
  Sample sample;
  SampleEvent event;
  std::uint64_t began_ns = 0;
};

/// Returns true if the launch with this number in its slot, counted from 1, is timed unless it is sampled.
[[nodiscard]] bool is_timed(const Slot& slot, std::uint64_t number);

class LaunchObserver {
 public:
  LaunchObserver(Sampler& sampler, LaunchTimes& times) : sampler_(sampler), times_(times) {}

  /// Counts the launch, and begins to sample or time it. With the lock held, in relaxed capture mode. If it is sampled,
  /// the lock has to be held until it has ended.
  [[nodiscard]] ObservedLaunch begin(const WatchedLaunch& watched, CUcontext context);
  /// The same for a graph as a whole, which is not sampled.
  [[nodiscard]] ObservedLaunch begin_graph(Slot& slot, CUcontext context, CUstream stream);
  /// Comes right behind the launch, without the lock if it is not sampled: other threads may wait for the lock.
  void note_launched(ObservedLaunch& launch);
  /// Comes last, with the lock held. `again` launches the kernel once more: for blocks that have not run yet, without
  /// the patch if the launch failed with it, or for its time. Returns the launch's result.
  CUresult end(const ObservedLaunch& launch, CUresult result, const std::function<CUresult()>& again);

 private:
  [[nodiscard]] Unseen begin_sample(const WatchedLaunch& watched, CUcontext context, ObservedLaunch& launch);
  CUresult time_again(const Sample& sample, std::optional<double>& took_ns, const std::function<CUresult()>& again);
  CUresult without_patch(const ObservedLaunch& launch, const std::function<CUresult()>& again);

  Sampler& sampler_;
  LaunchTimes& times_;
};

}  // namespace gpumem::inject
