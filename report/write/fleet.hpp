#pragma once
// Writers of a fleet: each a pure function of what judge_fleet() found.

#include <iosfwd>
#include <string>

#include "report/fleet/fleet.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// For people: what the fleet is, which GPUs stand out, and the cases. Tables are cut where more would not be read.
void write_fleet_table(std::ostream& out, const Fleet& fleet, const TableStyle& style = {});
/// The same, and everything.
void write_fleet_markdown(std::ostream& out, const Fleet& fleet);
/// One object; every machine with all its cases on a line of its own.
void write_fleet_json(std::ostream& out, const Fleet& fleet);
/// One row per case and machine.
void write_fleet_csv(std::ostream& out, const Fleet& fleet);

void write_fleet(std::ostream& out, const Fleet& fleet, Format format, const TableStyle& style = {});

}  // namespace gpumem::report
