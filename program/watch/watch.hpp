#pragma once
// The handling of launches that all engines share, and the lock under which it happens.

#include <cstdint>
#include <mutex>
#include <optional>

#include "program/watch/kernels.hpp"
#include "program/watch/launches.hpp"
#include "program/watch/options.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// A way to look at launches. Only one engine watches a process, because their libraries exclude each other.
struct Engine {
  bool (*start)() = nullptr;            ///< false: it cannot, and has written why
  void (*finish)() = nullptr;           ///< at the process's end, with the lock held
  void (*forget)(CUcontext) = nullptr;  ///< what is kept of a context that has ended, with the lock held
};
[[nodiscard]] Engine sites_engine();
[[nodiscard]] Engine counters_engine();

struct Watch {
  Options options;
  Engine engine;
  std::mutex mutex;            ///< of all that follows, and of what kernels.hpp, devices.hpp and an engine keep
  std::uint64_t began_ns = 0;  ///< of watching, by the clock of now_ns()
  std::uint64_t setup_ns = 0;  ///< of the time that looking closely took, what was taken once
  bool in_child = false;       ///< a fork, which has no GPU of its own: CUDA does not work in it
};
[[nodiscard]] Watch& watch();

/// The time that watching costs the program: a thread's, while an object of this class lives. If a thread has several
/// at once, the first counts.
class Spending {
 public:
  Spending();
  ~Spending();
  Spending(const Spending&) = delete;
  Spending& operator=(const Spending&) = delete;

 private:
  std::uint64_t began_ns_;
};

/// A context is about to end while the program goes on (cudaDeviceReset): whatever is kept of it must not outlive it,
/// for the next one may get its address. Any thread may say so, with the driver's locks held.
void context_ends(CUcontext context);

/// A launch that the program asks for.
struct WatchedLaunch {
  Launch launch;
  Kernel* kernel = nullptr;
  Slot* slot = nullptr;
  std::uint32_t device = 0;
};

/// Returns true if the program has launched nothing new for long. Work that only new launches need can wait then. Any
/// thread.
[[nodiscard]] bool is_settled();

// With the lock held, by the thread that launches:

/// Drops what is kept of contexts that have ended. Comes before anything else that is done with a call of the
/// program's.
void forget_ended_contexts();
/// Finds the kernel and the slot of a launch. Returns nullopt if that cannot be told; the slot is null if none is left.
/// `symbol` is the kernel's name as the callback has it.
[[nodiscard]] std::optional<WatchedLaunch> find_launch(const Launch& launch, CUcontext context, const char* symbol);
/// The same for a launch that a call asks for. Returns nullopt also if no slot is left; such launches are counted.
[[nodiscard]] std::optional<WatchedLaunch> begin_launch(const Launch& launch, CUcontext context, const char* symbol);
/// Returns true if the stream is being captured: launches into it do not run now.
[[nodiscard]] bool is_captured(CUstream stream);
/// Counts launches of the slot, and the range that the thread is in.
void count_launches(const Slot& slot, std::uint64_t launches);
/// Returns why the launch is not to be looked at closely; Unseen::none if it is.
[[nodiscard]] Unseen reason_not_to(const WatchedLaunch& launch);
/// The same, if the reason holds for all launches like it.
[[nodiscard]] Unseen standing_reason_not_to(const WatchedLaunch& launch);
/// Returns the nanoseconds that watching may still take at this moment; negative: none. In all it may take a second, or
/// its share of the time that the program had for itself, whichever is more.
[[nodiscard]] double overhead_left_ns();
/// Counts a launch of the slot that was not looked at.
void count_unseen(const Slot& slot, Unseen reason);

}  // namespace gpumem::inject
