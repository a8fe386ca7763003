#pragma once
// Times of launches by events around them.

#include <cuda.h>

#include <cstdint>

#include "inject/raw_format.hpp"

namespace gpumem::inject {

/// A launch that is being timed.
struct Timed {
  CUevent start = nullptr;
  CUevent stop = nullptr;
  std::uint64_t stands_for = 1;  ///< launches, itself included
};

// One thread at a time calls these, in relaxed capture mode, with the launch's context current.

/// Begins to time what comes next in the stream, a launch of so many. Null events where that is not possible.
[[nodiscard]] Timed begin_timing(CUcontext context, CUstream stream, std::uint64_t stands_for);
/// Ends it. The time goes to the slot when the GPU is done.
void end_timing(CUcontext context, CUstream stream, const Timed& timed, LaunchSlot& slot);
/// Takes the times of those that are done, of `most` at most.
void take_times(std::size_t most);

}  // namespace gpumem::inject
