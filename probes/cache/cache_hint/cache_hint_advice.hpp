#pragma once
// What the cache operators are good for, where they make a difference.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::cache {

/// For cases of any footprints and operators: of each footprint, whether loads and stores gain or lose by one.
[[nodiscard]] Conclusion conclude_cache_hint(std::span<const Outcome> outcomes);

}  // namespace gpumem::cache
