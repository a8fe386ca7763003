#pragma once
// Times of launches by events around them.
//
// The time between two events is the launch's own only if the GPU had both and the launch in its queue when it passed
// the first. A gate in front of them makes sure of that. A gate may have to be opened early: then end() finds
// out whether the GPU has passed the first event already, and the time is dropped if it has. The time that two events
// take by themselves is measured once per context and subtracted.

#include <cuda.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <optional>
#include <unordered_map>
#include <vector>

#include "program/watch/kernels.hpp"
#include "program/watch/memory.hpp"
#include "program/watch/sites/gate.hpp"

namespace gpumem::inject {

struct EventPair {
  CUevent start = nullptr;
  CUevent stop = nullptr;
};

/// A launch that is being timed. Without events, nothing is timed.
struct Timed {
  CUcontext context = nullptr;
  CUstream stream = nullptr;
  EventPair events;
  Gate gate;
  std::uint64_t stands_for = 1;  ///< launches, itself included
  bool like_seen = true;         ///< its numbers are those of the launch that was looked at
  bool counts = false;           ///< the GPU did not wait for the host in between
};

/// Gates, events and memory for the times of a context, made once.
struct Clock {
  GateWords gates;
  /// A byte in GPU memory that is set between a gate and the first of two events. After a copy the stream belongs to
  /// the copy engine, and so do its events; it takes up to 8 us to get from there to a kernel.
  CUdeviceptr byte = 0;
  double events_ns = 0;    ///< what two events take
  CUevent mark = nullptr;  ///< places others on our clock:
  std::uint64_t marked_ns = 0;
  std::vector<EventPair> spare;
};

/// The times of launches that are being taken.
class LaunchTimes {
 public:
  // By the thread that launches, in relaxed capture mode, with the launch's context current:

  /// Returns true if launches of the context can be timed. With the lock held.
  [[nodiscard]] bool can_time(CUcontext context);
  /// Begins to time what comes next in the stream, a launch that stands for so many. With the lock held.
  [[nodiscard]] Timed begin(CUcontext context, CUstream stream, std::uint64_t stands_for);
  /// Ends the time behind the launch. Called without the lock, because threads whose gates are closed may wait for it.
  void end(Timed& timed);
  /// Keeps it until the GPU is done, when the time goes to the slot. `launched`: the launch was no error. With the
  /// lock.
  void keep(const Timed& timed, const Slot& slot, bool launched);

  /// Waits for the stream and returns the nanoseconds of what was timed, by itself; nullopt if they are not known. With
  /// the lock.
  [[nodiscard]] std::optional<double> wait(const Timed& timed);

  /// Returns true if there may be times to take. Any thread.
  [[nodiscard]] bool any() const { return some_wait_.load(std::memory_order_relaxed); }

  // With the lock held:

  /// Takes the times of launches that have ended, of `most` at most.
  void take(std::size_t most);
  /// Drops what is kept of a context that has ended.
  void forget(CUcontext context);

 private:
  struct Waiting {
    Timed timed;
    const Slot* slot;
  };

  [[nodiscard]] Gate begin_behind_gate(const Clock& clock, CUstream stream, CUevent start);
  [[nodiscard]] std::optional<double> time_nothing(const Clock& clock, CUstream stream, const EventPair& pair);
  [[nodiscard]] Clock make_clock();
  [[nodiscard]] Clock* clock_of(CUcontext context);
  [[nodiscard]] std::optional<double> own_ns(const Timed& timed);
  void add(const Waiting& launch);

  Gates gates_;
  std::deque<Waiting> waiting_;
  std::atomic<bool> some_wait_ = false;
  std::unordered_map<CUcontext, Clock> clocks_;
  Room room_;  ///< for a clock
};

}  // namespace gpumem::inject
