#pragma once
// Counts launches with the hardware's counters. They do not all fit the hardware at once, so counting takes several
// passes. Each launch of the same kernel, grid and block is one pass.

#include <cuda.h>

#include <cstdint>

#include "engine/measure/cupti.hpp"
#include "program/watch/kernels.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// The context and the device that a launch runs in.
struct PassContext {
  CUcontext context = nullptr;
  std::uint32_t id = 0;  ///< of the context, never used twice
  std::uint32_t device = 0;
};

// One thread at a time calls these, in relaxed capture mode, and nothing else is launched between them.

/// True if the counts of this slot, and all others that are not complete, can be finished in the time that is left.
/// Always true for a slot whose counts have begun, because a few complete ones are worth more than many that are not,
/// and while too few passes were timed to tell.
[[nodiscard]] bool has_time_for(std::uint32_t slot, double left_ns);
/// Waits for earlier launches, and begins to count. Returns Unseen::none, or the reason why it does not count.
[[nodiscard]] Unseen begin_pass(const measure::Cupti& cupti, const PassContext& context, Slot& slot, bool replay);
/// Waits for the launch. After the last pass it writes the counts: the slot has one more sample. Returns Unseen::none,
/// or the reason why the pass failed.
[[nodiscard]] Unseen end_pass(Slot& slot, bool launched);

/// Lets go of the counters of all contexts, before one of them ends.
void release_counters();

}  // namespace gpumem::inject
