#pragma once
// Which path to texels suits which walk.

#include <span>

#include "probes/probe.hpp"

namespace gpumem::texture {

/// For walks through one or several paths. Says for each walk which path is fastest, beside global memory where that
/// ran, and what the wrong path costs at worst. Nothing where no walk ran through two paths of which one passes the
/// texture unit.
[[nodiscard]] Conclusion conclude_texture(std::span<const Outcome> outcomes);

}  // namespace gpumem::texture
