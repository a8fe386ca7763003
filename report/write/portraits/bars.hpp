#pragma once
// What of a portrait is drawn as bars: the levels of memory, and how far away each path to data is.

#include <iosfwd>
#include <vector>

#include "report/portrait/portrait.hpp"

namespace gpumem::report {

/// A table as HTML, all bars of a column on one scale; nothing where there are no levels.
void write_levels(std::ostream& out, const std::vector<Portrait>& portraits);
/// A figure; nothing where no latency is known.
void write_ladder(std::ostream& out, const std::vector<Portrait>& portraits);

}  // namespace gpumem::report
