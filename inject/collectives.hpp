#pragma once
// Collectives wait for other GPUs: whoever waits for one in the thread that is to launch its part on another GPU waits
// for ever.

#include <cuda.h>

namespace gpumem::inject {

// One thread at a time calls these, in relaxed capture mode, with the context current.

/// A collective, or what may hold one, was just launched.
void note_collective(CUcontext context, CUstream stream);
/// Whether one of those may still run.
[[nodiscard]] bool a_collective_runs(CUcontext context);

}  // namespace gpumem::inject
