#pragma once
// Notes the callers of launches.

#include "program/watch/kernels.hpp"

namespace gpumem::inject {

/// Writes the caller of the slot's last counted launch, if that is the slot's first launch or one of the next ones from
/// a new place. Called by the thread that launches, with the lock of watch.hpp held.
void note_caller(const Slot& slot);

}  // namespace gpumem::inject
