#pragma once
// Launches like others before them: of these nothing has to be asked of the driver, which takes longer than all else
// that is done with a launch.

#include <cuda.h>

#include "program/watch/kernels.hpp"

namespace gpumem::inject {

struct KnownLaunch {
  CUcontext context = nullptr;
  CUfunction function = nullptr;  ///< as the program names it; null: none
  Shape shape;
  Slot* slot = nullptr;
  Unseen standing = Unseen::none;  ///< why none like it is ever looked at closely
};

// With the lock of `watch()` held:

/// Null where none is known.
[[nodiscard]] KnownLaunch* known_launch(CUcontext context, CUfunction function, const Shape& shape);
void remember_launch(const KnownLaunch& launch);

/// Handles may name something else from now on. Any thread, with or without locks.
void forget_known_launches();

}  // namespace gpumem::inject
