#pragma once
// Times of launches by events around them.
//
// The time between two events is the launch's own only if the GPU had both and the launch in its queue when it passed
// the first. A gate in front of them makes sure of that. A gate may have to be opened early: then end_timing() finds
// out whether the GPU has passed the first event already, and the time is dropped if it has. The time that two events
// take by themselves is measured once per context and subtracted.

#include <cuda.h>

#include <cstdint>

#include "program/watch/kernels.hpp"
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

// By the thread that launches, in relaxed capture mode, with the launch's context current:

/// Begins to time what comes next in the stream, a launch that stands for so many. With the lock held.
[[nodiscard]] Timed begin_timing(CUcontext context, CUstream stream, std::uint64_t stands_for);
/// Ends the time behind the launch. Called without the lock, because threads whose gates are closed may wait for it.
void end_timing(Timed& timed);
/// Keeps it until the GPU is done, when the time goes to the slot. `launched`: the launch was no error. With the lock.
void keep_timing(const Timed& timed, const Slot& slot, bool launched);

/// Returns true if there may be times to take. Any thread.
[[nodiscard]] bool has_times_to_take();

// With the lock held:

/// Takes the times of launches that have ended, of `most` at most.
void take_times(std::size_t most);
/// Drops what is kept of a context that has ended.
void forget_times(CUcontext context);

}  // namespace gpumem::inject
