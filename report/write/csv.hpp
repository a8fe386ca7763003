#pragma once

#include <iosfwd>
#include <span>
#include <string>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Several reports as one table, with the report's name in a first column "report". The columns of parameters and
/// metrics are those of all reports.
void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports);

}  // namespace gpumem::report
