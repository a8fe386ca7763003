// A node of a fleet that is unlike the others: how far each of its pairs of GPUs is off.

#include "report/record/matrix.hpp"

#include <deque>
#include <map>

#include "report/write/cells.hpp"
#include "report/write/fleets/fleet.hpp"
#include "report/write/grouped.hpp"

namespace gpumem::report {

namespace {

Matrix::Cell cell_of(const FleetJudgement& judgement) {
  using enum FleetVerdict;
  const FleetVerdict verdict = judgement.verdict;
  if (verdict == failed || verdict == wrong_data) return {{}, "!", Tint::red};
  if (!judgement.relative) return {{}, "-"};
  const Tint tint = verdict == slow ? Tint::red : verdict == fast ? Tint::cyan : Tint::none;
  return {{}, percent_off(1 + *judgement.relative, 1), tint};
}

}  // namespace

std::vector<Block> deviation_matrices(const Fleet& fleet, const FleetFinding& finding) {
  const FleetMachine& machine = fleet.machines[finding.machine];
  if (machine.gpus == 1) return {};
  std::deque<Record> records;  // whose addresses last
  Cases cases;
  std::map<const Record*, const FleetJudgement*> judgements;
  for (std::size_t i = 0; i < machine.readings.size(); ++i) {
    const FleetReading& reading = machine.readings[i];
    if (fleet.names->case_name(reading.name).is_metric) continue;
    records.push_back(fleet.names->record(reading.name, reading.shape));
    cases.push_back(&records.back());
    judgements[cases.back()] = &fleet.judgements[finding.machine][i];
  }
  std::vector<Block> blocks;
  for (const auto& [key, table] : grouped(cases, [](const Record* record) { return table_key(*record); })) {
    Block block = matrix_block(table, "off the median of all nodes in %",
                               [&](const Record& record) { return cell_of(*judgements.at(&record)); });
    if (block.matrices.empty()) continue;
    block.title = machine_label(machine) + ", " + block.title;
    for (Matrix& matrix : block.matrices) {
      if (matrix.has_mark('!')) matrix.notes.push_back({"!: failed or moved wrong data", Tint::red});
    }
    blocks.push_back(std::move(block));
  }
  return blocks;
}

}  // namespace gpumem::report
