#pragma once
// Portraits of GPUs (report/portrait/portrait.hpp), one or several side by side.

#include <iosfwd>
#include <span>
#include <vector>

#include "report/portrait/portrait.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// One page of HTML that needs nothing else: no script, no network. Throws a usage error for a report that has nothing
/// to show.
void write_portrait_page(std::ostream& out, std::span<const NamedReport> reports);

/// A row for every level of memory of every GPU, alike ones under each other.
[[nodiscard]] Block levels_block(const std::vector<Portrait>& portraits);

/// The same as one table of at most 40 lines, of one report. Throws likewise.
void write_portrait_table(std::ostream& out, std::span<const NamedReport> reports, const TableStyle& style);

}  // namespace gpumem::report
