#pragma once
// A sweep: the records of one probe that differ in nothing but the swept parameter. Tables are drawn per sweep,
// `relative` refers to a sweep's baseline, and findings describe one.

#include <span>
#include <vector>

#include "report/record.hpp"

namespace gpumem::report {

struct Sweep {
  std::vector<std::size_t> members;     ///< indices into the results, in their order
  std::optional<std::size_t> baseline;  ///< index of the baseline case, if it is among them
};

/// Groups results into sweeps, in order of first appearance.
[[nodiscard]] std::vector<Sweep> sweeps(std::span<const Record> results);

/// Fills `relative_measured` and `relative_predicted` of every record from its sweep's baseline.
void relate_to_baselines(std::vector<Record>& results);

}  // namespace gpumem::report
