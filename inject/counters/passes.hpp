#pragma once
// The hardware's counts of launches. What is counted does not fit the hardware at once: each launch of a kernel, grid
// and block is one of the passes that it takes.

#include <cuda.h>

#include <cstdint>

#include "engine/measure/cupti.hpp"
#include "inject/kernels.hpp"
#include "inject/raw_format.hpp"

namespace gpumem::inject {

/// Where a launch runs.
struct PassContext {
  CUcontext context = nullptr;
  std::uint32_t id = 0;  ///< of it, never used twice
  std::uint32_t device = 0;
};

// One thread at a time calls these, in relaxed capture mode, and nothing else is launched between them.

/// Whether counts of the slot, and all that are not complete, can be finished in the time. Some complete ones are worth
/// more than many that are not.
[[nodiscard]] bool has_time_for(std::uint32_t slot, double left_ns);
/// Waits for what was launched before, and begins to count. Unseen::none, or why not.
[[nodiscard]] Unseen begin_pass(const measure::Cupti& cupti, const PassContext& context, Slot& slot, bool replay);
/// Waits for the launch, and writes the counts if that was the last pass of them: then it is one more sample.
/// Unseen::none while all is well.
[[nodiscard]] Unseen end_pass(Slot& slot, bool launched);

/// Lets go of the counters of all contexts, before one of them ends.
void release_counters();

}  // namespace gpumem::inject
