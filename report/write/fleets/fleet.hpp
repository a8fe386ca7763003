#pragma once
// Writers of a fleet: pure functions of what judge_fleet() found.

#include <iosfwd>
#include <string>
#include <vector>

#include "report/fleet/fleet.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

/// What the fleet is, which machines stand out, and the cases. A table leaves out what would be too much to read.
void write_fleet(std::ostream& out, const Fleet& fleet, Format format, const TableStyle& style = {});

/// One object; every machine with all its cases on a line of its own.
void write_fleet_json(std::ostream& out, const Fleet& fleet);
/// One row per case and machine.
void write_fleet_csv(std::ostream& out, const Fleet& fleet);

/// Of a node that is unlike the others, how far its pairs are off, a block for each table; none of a GPU.
[[nodiscard]] std::vector<Block> deviation_matrices(const Fleet& fleet, const FleetFinding& finding);

// What table and Markdown say in sentences.

/// What the fleet is, what differs in it, and what could not be judged.
[[nodiscard]] std::vector<std::string> fleet_preamble(const Fleet& fleet);
/// "4 of 30 GPUs stand out", or that none does.
[[nodiscard]] std::string fleet_result(const Fleet& fleet);
/// What there is to say of a machine besides its worst case: what failed or is missing, and in what it is unlike
/// others.
[[nodiscard]] std::vector<std::string> finding_notes(const Fleet& fleet, const FleetFinding& finding,
                                                     const std::vector<std::string>& labels);

}  // namespace gpumem::report
