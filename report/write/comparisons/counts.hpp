#pragma once
// Writers of a comparison of counts: pure functions of it.

#include <iosfwd>

#include "report/compare/counts.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// Writes a row for each count that changed, worst first, and what was not compared. A table leaves out what would be
/// too much to read, and says so.
void write_counts(std::ostream& out, const CountComparison& counts, Format format, const TableStyle& style = {});

/// The cases that were compared and those that were not, each with its changes.
void write_counts_json(std::ostream& out, const CountComparison& counts);
/// One row per count that changed.
void write_counts_csv(std::ostream& out, const CountComparison& counts);

}  // namespace gpumem::report
