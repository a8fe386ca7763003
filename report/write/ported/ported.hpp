#pragma once
// Writers of a program's kernels on other GPUs: pure functions of them. `report` is the one that was ported.

#include <iosfwd>

#include "report/ported/ported.hpp"
#include "report/record/record.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// A table for each GPU, with the kernels that take longest here first, and their sum.
void write_ported(std::ostream& out, const Ported& ported, const Report& report, Format format,
                  const TableStyle& style = {});

// For programs, with report/schema/ported.schema.json.
void write_ported_json(std::ostream& out, const Ported& ported, const Report& report);
/// A row for each GPU and kernel.
void write_ported_csv(std::ostream& out, const Ported& ported, const Report& report);

}  // namespace gpumem::report
