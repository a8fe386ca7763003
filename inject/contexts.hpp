#pragma once
// Contexts that end while the program goes on (cudaDeviceReset): whatever is kept of one must not outlive it, for the
// next one may get its address.

#include <cuda.h>

#include <vector>

namespace gpumem::inject {

/// The context is about to end. Any thread may say so, with the driver's locks held.
void context_ends(CUcontext context);
/// Those that ended since the last call, for their remains to be dropped.
[[nodiscard]] std::vector<CUcontext> ended_contexts();

}  // namespace gpumem::inject
