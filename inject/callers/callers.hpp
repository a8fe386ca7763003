#pragma once
// Who asks for launches.

#include "inject/kernels.hpp"

namespace gpumem::inject {

/// Writes who asks for the slot's launch that was counted last, if it is the slot's first one or one of the next from
/// another place. Called by the thread that launches, with the lock of watch.hpp held.
void note_caller(const Slot& slot);

}  // namespace gpumem::inject
