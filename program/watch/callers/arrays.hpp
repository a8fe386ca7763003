#pragma once
// The allocations that a sampled launch touches.

#include <span>

#include "program/watch/callers/allocations.hpp"
#include "program/watch/output.hpp"
#include "program/watch/raw_format.hpp"

namespace gpumem::inject {

/// Writes for each site of global memory which allocation its first shown request touches, if that is known. Called by
/// the thread that launches, before the launch's own call returns: until then nothing of it is given back.
void write_arrays(Output& output, Allocations& allocations, const SampleEvent& sample, std::span<const Site> sites);

}  // namespace gpumem::inject
