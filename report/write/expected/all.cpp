// Many GPUs, a row for each.

#include <fmt/format.h>

#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/expected/pages.hpp"
#include "report/write/expected/sources.hpp"

namespace gpumem::report {

namespace {

Block block_of_all(std::span<const ExpectedGpu> gpus, const std::string& group, const SourceMarks& marks,
                   PageFor reader) {
  Block block;
  block.title = group;
  block.parameter_columns = 2;
  block.columns = {{.heading = {"profile", ""}, .names = true, .code = true},
                   {.heading = {"GPU", ""}, .rank = 1, .names = true}};
  const std::vector<const ExpectedValue*> quantities = quantities_of(gpus, group, OtherUnits::left_out);
  // On a narrow terminal the last columns go first, and those of memory after all others.
  unsigned next_rank = 3;
  for (const ExpectedValue* quantity : quantities) {
    const unsigned later = quantity->title.starts_with("memory") ? 0 : static_cast<unsigned>(quantities.size());
    block.columns.push_back({.heading = {quantity->title, unit_of(quantity->quantity)}, .rank = later + next_rank++});
  }
  constexpr int digits = 3;
  const bool bandwidth = group == "bandwidth";
  if (bandwidth) block.columns.push_back({.heading = {"theoretical", "GB/s"}, .rank = 2});
  for (const ExpectedGpu& gpu : gpus) {
    Row row;
    row.cells = {one_line(gpu.profile.value_or("-")), one_line(gpu.device.name)};
    for (const ExpectedValue* quantity : quantities) {
      const std::size_t mark_width = reader == PageFor::terminal ? marks.widest(gpus, quantity->quantity) : 0;
      row.cells.push_back(marks.cell(value_of(gpu, quantity->quantity), mark_width));
    }
    const double theoretical_gb_per_s = gpu.device.theoretical_bandwidth_bytes_per_s() * per_giga;
    if (bandwidth) row.cells.push_back(significant(theoretical_gb_per_s, digits));
    row.position = row.cells.front();
    block.rows.push_back(std::move(row));
  }
  return block;
}

}  // namespace

Page page_of_all(std::span<const ExpectedGpu> gpus, PageFor reader) {
  Page page;
  const SourceMarks marks(gpus);
  for (const std::string& group : groups_of(gpus)) page.blocks.push_back(block_of_all(gpus, group, marks, reader));
  page.blocks.push_back(marks.block(reader == PageFor::markdown));
  page.after.push_back({words_on_marks(reader), Tint::dim});
  return page;
}

}  // namespace gpumem::report
