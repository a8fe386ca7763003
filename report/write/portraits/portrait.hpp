#pragma once
// Portraits of GPUs (report/portrait/portrait.hpp), one or several side by side.

#include <iosfwd>
#include <span>

#include "report/write/writers.hpp"

namespace gpumem::report {

/// One page of HTML that needs nothing else: no script, no network. Throws a usage error for a report that has nothing
/// to show.
void write_portrait_page(std::ostream& out, std::span<const NamedReport> reports);

/// The same as one table of at most 40 lines, of one report. Throws likewise.
void write_portrait_table(std::ostream& out, std::span<const NamedReport> reports, const TableStyle& style);

}  // namespace gpumem::report
