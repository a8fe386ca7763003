#pragma once
// Writes the criteria of a fleet for people: a table with a row for each case.

#include <iosfwd>

#include "report/fleet/learn.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// Writes from how many GPUs each bound was learned, the bound, and the least slowdown that it finds; then notes on
/// cases whose values are in two groups, and on what was left out. The format is table or markdown.
void write_learned(std::ostream& out, const LearnedFleet& fleet, Format format, const TableStyle& style = {});

}  // namespace gpumem::report
