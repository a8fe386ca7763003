// Chosen GPUs side by side.

#include <fmt/format.h>

#include <algorithm>
#include <string>
#include <vector>

#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/expected/pages.hpp"
#include "report/write/expected/sources.hpp"

namespace gpumem::report {

namespace {

using Quantities = std::vector<const ExpectedValue*>;

// The second lines of headings.
constexpr const char* expected = "expected";
constexpr const char* interval = "healthy GPUs";

/// Adds the columns of a GPU: its values with their marks, and the intervals of healthy GPUs, which a user's own
/// profile does not tell.
void add_columns(Block& block, const ExpectedGpu& gpu, const Quantities& quantities, const SourceMarks& marks,
                 PageFor reader) {
  std::size_t mark_width = 0;
  for (const ExpectedValue* quantity : quantities) {
    if (reader == PageFor::markdown) break;
    mark_width = std::max(mark_width, marks.widest(std::span(&gpu, 1), quantity->quantity));
  }
  const std::string label = one_line(gpu.label);
  block.columns.push_back({.heading = {label, expected}});
  if (!gpu.is_own) block.columns.push_back({.heading = {label, interval}});
  for (std::size_t i = 0; i < quantities.size(); ++i) {
    const ExpectedValue* value = value_of(gpu, quantities[i]->quantity);
    block.rows[i].cells.push_back(marks.cell(value, mark_width));
    if (!gpu.is_own) block.rows[i].cells.push_back(value == nullptr ? "" : range_words(*value));
  }
}

/// All groups in one block, so that the same columns are left out everywhere where space is short.
Block block_side_by_side(std::span<const ExpectedGpu> gpus, const SourceMarks& marks, PageFor reader) {
  Block block;
  block.title = "values";
  block.parameter_columns = 2;
  block.columns = {{.heading = {"of", ""}, .names = true}, {.heading = {"unit", ""}, .names = true}};
  Quantities quantities;
  for (const std::string& group : groups_of(gpus)) {
    for (const ExpectedValue* quantity : quantities_of(gpus, group, OtherUnits::kept)) {
      const bool begins_group = !quantities.empty() && quantities.back()->group != group;
      const std::string name = quantity->title + (group == "latency" ? " latency" : "");
      Row row;
      row.cells = {name, unit_of(quantity->quantity)};
      row.begins_alternative = begins_group;
      block.rows.push_back(std::move(row));
      quantities.push_back(quantity);
    }
  }
  for (const ExpectedGpu& gpu : gpus) add_columns(block, gpu, quantities, marks, reader);
  // On a narrow terminal the intervals go first, then the last GPUs. The first GPU stays.
  unsigned rank = 0;
  for (const char* kind : {expected, interval}) {
    for (Column& column : block.columns) {
      if (column.heading.unit == kind) column.rank = rank++;
    }
  }
  return block;
}

/// "h200: NVIDIA H200, 4814 GB/s theoretical bandwidth, ...", and whether the profile is the user's own.
std::string line_of(const ExpectedGpu& gpu) {
  return fmt::format("{}: {}{}", one_line(gpu.label), gpu_words(gpu),
                     gpu.is_own ? "; your own profile, which tells what one GPU reached" : "");
}

std::vector<std::string> labels_of(std::span<const ExpectedGpu> gpus) {
  std::vector<std::string> labels;
  for (const ExpectedGpu& gpu : gpus) labels.push_back(one_line(gpu.label));
  return labels;
}

}  // namespace

Page page_side_by_side(std::span<const ExpectedGpu> gpus, PageFor reader) {
  Page page;
  page.before = {{"Expected values of " + join(labels_of(gpus), ", "), Tint::bold}};
  for (const ExpectedGpu& gpu : gpus) page.before.push_back({line_of(gpu), Tint::dim});
  const SourceMarks marks(gpus);
  page.blocks = {block_side_by_side(gpus, marks, reader), marks.block(reader == PageFor::markdown)};
  page.after = {{words_on_marks(reader), Tint::dim},
                {no_interval_words, Tint::dim},
                {"'gpumem expect NAME' shows one GPU, with the command that measures each value.", Tint::dim}};
  return page;
}

}  // namespace gpumem::report
