// The GPUs of one report beside each other.

#include "report/fleet/side_by_side.hpp"

#include <fmt/format.h>

#include "report/record/gpus.hpp"
#include "report/write/blocks.hpp"

namespace gpumem::report {

namespace {

/// "+0.3", of the median in per cent.
std::string off(std::optional<double> speed) { return speed ? fmt::format("{:+.1f}", 100 * (*speed - 1)) : "-"; }

}  // namespace

std::optional<Block> side_by_side_block(const Report& report) {
  const auto found = side_by_side(report);
  if (!found) return std::nullopt;
  Block block;
  block.title = "GPUs side by side";
  block.constants = {"faster or slower than the median of all"};
  block.parameter_columns = 1;
  block.columns = {{.heading = {"GPU", ""}},
                   {.heading = {"PCI bus id", ""}, .rank = 2, .names = true},
                   {.heading = {"UUID", ""}, .rank = 3, .names = true},
                   {.heading = {"cases", ""}, .rank = 4},
                   {.heading = {"median", "%"}},
                   {.heading = {"worst", "%"}},
                   {.heading = {"in", ""}, .rank = 1, .names = true, .prose = true}};
  for (const GpuStanding& standing : found->gpus) {
    Row& row = block.rows.emplace_back();
    row.position = fmt::format("GPU {}", standing.gpu);
    row.cells = {std::to_string(standing.gpu),
                 short_pci_bus_id(standing.device.pci_bus_id.value_or("")),
                 short_uuid(standing.device.uuid.value_or("")),
                 std::to_string(standing.cases),
                 off(standing.speed),
                 off(standing.worst),
                 standing.worst_case};
    if (!standing.slow.empty() || !standing.failed.empty()) row.tints.assign(row.cells.size(), Tint::red);
  }
  block.findings = {found->verdict()};
  return block;
}

}  // namespace gpumem::report
