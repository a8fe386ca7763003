#pragma once
// How much of copying and computing a run can do at once, and in how many streams.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::host {

/// For the cases of one size, chunking and kernel. Cases without the metric `speedup`, which measuring gives, get it
/// against the same alternative in one stream, if that ran.
[[nodiscard]] Conclusion conclude_overlap(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
