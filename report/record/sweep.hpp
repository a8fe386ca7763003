#pragma once
// Groups of records. A sweep: records of one probe that differ only in the swept parameter. A table: the sweeps of
// alternatives for the same job, which differ in the compared parameter too, and the sweeps that stand side by side in
// a matrix, which differ in the parameter across. A probe with neither has one sweep in a table. Blocks are drawn, and
// findings written, per table.

#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Indices into the results, in their order.
using Members = std::vector<std::size_t>;

/// Groups results into sweeps, in order of first appearance.
[[nodiscard]] std::vector<Members> sweeps(std::span<const Record> results);

/// Groups results into tables, in order of first appearance.
[[nodiscard]] std::vector<Members> tables(std::span<const Record> results);

/// Groups results into alternatives for the same job, at the same place of a sweep: cases of a probe that compares
/// something and that differ in nothing but that. A case of any other probe is a group of its own.
[[nodiscard]] std::vector<Members> alternatives(std::span<const Record> results);

/// The parameter that the record's `baseline` is a value of: the compared one, else the swept.
[[nodiscard]] const std::string& baseline_parameter(const Record& record);

/// Fills `relative_measured` and `relative_predicted` of every record from the one that has the baseline's value and
/// differs in nothing else: the baseline alternative at the same place of the sweep, or the sweep's baseline case.
void relate_to_baselines(std::vector<Record>& results);

}  // namespace gpumem::report
