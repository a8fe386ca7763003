#pragma once
// Writers of a fleet: pure functions of what judge_fleet() found.

#include <iosfwd>
#include <string>
#include <vector>

#include "report/fleet/fleet.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// Writes the fleet, the machines that stand out, and the cases. A table leaves out what would be too much to read.
void write_fleet(std::ostream& out, const Fleet& fleet, Format format, const TableStyle& style = {});

/// One object; every machine with all its cases on a line of its own.
void write_fleet_json(std::ostream& out, const Fleet& fleet);
/// One row per case and machine.
void write_fleet_csv(std::ostream& out, const Fleet& fleet);

// Sentences of the table and of Markdown.

/// Describes the fleet, the differences within it, and what could not be judged.
[[nodiscard]] std::vector<std::string> fleet_preamble(const Fleet& fleet);
/// "4 of 30 GPUs stand out", or a sentence that none does.
[[nodiscard]] std::string fleet_result(const Fleet& fleet);
/// Notes on a machine besides its worst case: cases that failed or are missing, and the differences from other
/// machines.
[[nodiscard]] std::vector<std::string> finding_notes(const Fleet& fleet, const FleetFinding& finding);

}  // namespace gpumem::report
