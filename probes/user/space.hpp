#pragma once
// The memory that a user's pattern or index array is about (--space). Each space has a probe of its own.

#include <string>

#include "probes/axis.hpp"

namespace gpumem {

/// The axis of a probe that is about one space: its only name, and its default. A variant for another space has the
/// same axis with that space's name.
[[nodiscard]] Axis space_axis(const std::string& space, const std::string& purpose);

}  // namespace gpumem
