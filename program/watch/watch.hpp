#pragma once
// All state of the library, and the handling of launches that its engines share.

#include <cstdint>
#include <memory>
#include <mutex>
#include <optional>
#include <vector>

#include "program/watch/callers/allocations.hpp"
#include "program/watch/callers/allocator_hook.hpp"
#include "program/watch/callers/callers.hpp"
#include "program/watch/callers/known_frames.hpp"
#include "program/watch/callers/native_frames.hpp"
#include "program/watch/callers/python_frames.hpp"
#include "program/watch/devices.hpp"
#include "program/watch/kernels.hpp"
#include "program/watch/launch_count.hpp"
#include "program/watch/launches.hpp"
#include "program/watch/modules.hpp"
#include "program/watch/options.hpp"
#include "program/watch/output.hpp"
#include "program/watch/overhead.hpp"
#include "program/watch/ranges.hpp"
#include "program/watch/raw_format.hpp"
#include "program/watch/spans.hpp"

namespace gpumem::inject {

/// A way to look at launches, and what is kept for it. Only one engine watches a process, because their libraries
/// exclude each other.
class Engine {
 public:
  Engine() = default;
  virtual ~Engine() = default;
  Engine(const Engine&) = delete;
  Engine& operator=(const Engine&) = delete;

  /// False: it cannot, and has written why.
  virtual bool start() = 0;
  // With the lock of `watch()` held:

  /// Comes at the process's end.
  virtual void finish() = 0;
  /// Drops what is kept of a context that has ended.
  virtual void forget(CUcontext context) = 0;
};
[[nodiscard]] std::unique_ptr<Engine> sites_engine();
[[nodiscard]] std::unique_ptr<Engine> counters_engine();

/// A launch that the program asks for.
struct WatchedLaunch {
  Launch launch;
  Kernel* kernel = nullptr;
  Slot* slot = nullptr;
  std::uint32_t device = 0;
};

/// All that the library knows of the process that it is a guest in. It is made by the first call of watch(), and never
/// destroyed: callbacks of the driver, and threads of the program, come after exit handlers.
///
/// Its members are given those that they stand on, so that only the functions that others call (the driver, NVTX,
/// CUPTI, the system) and engines ask for the whole. A member that any thread may use has its own lock.
struct Watch {
  /// `report` is called in place of the report of PyTorch's allocator.
  explicit Watch(AllocatorReport report) : allocator_hook(allocations, report) {}

  Options options;
  Output output;
  Spans spans{output};
  Ranges ranges{output, spans};
  Modules modules{output};
  Captures captures;

  PythonFrames python_frames;
  KnownFrames known_frames{python_frames};
  NativeFrames native_frames{options, python_frames};
  LaunchCount launch_count;
  Allocations allocations{native_frames, known_frames, launch_count};

  std::mutex mutex;  ///< of all that follows, and of what an engine keeps
  Devices devices{output};
  Kernels kernels{output, modules, ranges};
  Overhead overhead{output, options};
  AllocatorHook allocator_hook;
  Callers callers{output, overhead, allocator_hook, native_frames, known_frames};
  std::unique_ptr<Engine> engine;  ///< null until it is started, and if nothing is to be watched
  bool in_child = false;           ///< a fork, which has no GPU of its own: CUDA does not work in it

  /// A context is about to end while the program goes on (cudaDeviceReset): whatever is kept of it must not outlive it,
  /// for the next one may get its address. Any thread may say so, with the driver's locks held.
  void context_ends(CUcontext context);

  // With the lock held, by the thread that launches:

  /// Drops what is kept of contexts that have ended. Comes before anything else that is done with a call of the
  /// program's.
  void forget_ended_contexts();
  /// Finds the kernel and the slot of a launch. Returns nullopt if that cannot be told; the slot is null if none is
  /// left. `symbol` is the kernel's name as the callback has it.
  [[nodiscard]] std::optional<WatchedLaunch> find_launch(const Launch& launch, CUcontext context, const char* symbol);
  /// The same for a launch that a call asks for. Returns nullopt also if no slot is left; such launches are counted.
  [[nodiscard]] std::optional<WatchedLaunch> begin_launch(const Launch& launch, CUcontext context, const char* symbol);
  /// Returns true if the stream is being captured: launches into it do not run now.
  [[nodiscard]] bool is_captured(CUstream stream) const;
  /// Counts launches of the slot that are asked for at `at_ns`, and the range that the thread is in.
  void count_launches(const Slot& slot, std::uint64_t launches, std::uint64_t at_ns);
  /// Returns why the launch is not to be looked at closely; Unseen::none if it is.
  [[nodiscard]] Unseen reason_not_to(const WatchedLaunch& launch) const;
  /// The same, if the reason holds for all launches like it.
  [[nodiscard]] Unseen standing_reason_not_to(const WatchedLaunch& launch) const;

 private:
  std::mutex ending_;  ///< of `ended_`; never held while anything else is called
  std::vector<CUcontext> ended_;
};
[[nodiscard]] Watch& watch();

/// Counts a launch of the slot that was not looked at.
void count_unseen(const Slot& slot, Unseen reason);

}  // namespace gpumem::inject
