#pragma once
// Writers of a report's checks. Pure, as all writers are.

#include <iosfwd>

#include "report/record/record.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// A line per check, PASS, FAIL or SKIP first, and the summary. `brief` leaves out what passed.
void write_checks(std::ostream& out, const Report& report, const TableStyle& style, bool brief = false);

/// A title, a table and the summary.
void write_checks_markdown(std::ostream& out, const Report& report, bool brief = false);

/// The lines as above, each on a line of its own however long, and the annotations of a GitHub workflow: an error for
/// what failed, a warning for what is required and was skipped, a notice for what else was.
void write_checks_github(std::ostream& out, const Report& report, bool brief = false);

}  // namespace gpumem::report
