// The values that GPUs should reach, for people: one GPU on a screen, or all of them as a page.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/quantity.hpp"
#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/expected/expected.hpp"

namespace gpumem::report {

namespace {

constexpr int digits = 3;

std::string in_digits(double value) { return significant(value, digits); }

// ---- One GPU

std::string range_words(const ExpectedValue& value) {
  return value.low && value.high ? in_digits(*value.low) + " to " + in_digits(*value.high) : "";
}

/// Next to a bandwidth its share of the best, next to cycles the same time in nanoseconds.
std::string aside(const ExpectedValue& value, const ExpectedValue* in_other_unit) {
  if (in_other_unit != nullptr) return value_words(in_other_unit->quantity, in_other_unit->value);
  return value.peak ? whole_percent(value.value / *value.peak) : "";
}

/// The groups in their order.
std::vector<std::string> groups_of(std::span<const ExpectedGpu> gpus) {
  std::vector<std::string> groups;
  for (const ExpectedGpu& gpu : gpus) {
    for (const ExpectedValue& value : gpu.values) {
      if (std::ranges::find(groups, value.group) == groups.end()) groups.push_back(value.group);
    }
  }
  return groups;
}

Block block_of(const ExpectedGpu& gpu, const std::string& group) {
  Block block;
  block.title = group;
  block.parameter_columns = 1;
  const bool latencies = group == "latency";
  block.columns = {{.heading = {"of", ""}, .names = true},
                   {.heading = {"expected", ""}},
                   {.heading = {latencies ? "that is" : "of peak", ""}},
                   {.heading = {"known how", ""}, .names = true, .prose = true},
                   {.heading = {"measured by", ""}, .rank = 1, .names = true, .code = true}};
  constexpr std::ptrdiff_t interval = 2;
  if (!gpu.is_own) block.columns.insert(block.columns.begin() + interval, {.heading = {"healthy GPUs", ""}});
  for (std::size_t i = 0; i < gpu.values.size(); ++i) {
    const ExpectedValue& value = gpu.values[i];
    if (value.group != group || value.in_other_unit) continue;
    const bool has_other = i + 1 < gpu.values.size() && gpu.values[i + 1].in_other_unit;
    Row row;
    row.cells = {value.title, value_words(value.quantity, value.value),
                 aside(value, has_other ? &gpu.values[i + 1] : nullptr), one_line(value.source_words), value.command};
    if (!gpu.is_own) row.cells.insert(row.cells.begin() + interval, range_words(value));
    row.position = value.title;
    block.rows.push_back(std::move(row));
  }
  return block;
}

/// "NVIDIA H200, 4814 GB/s theoretical bandwidth, 132 multiprocessors, 60 MiB L2", as reports begin.
std::string gpu_words(const ExpectedGpu& gpu) {
  Report named;
  named.backend = "model";
  named.device = gpu.device;
  named.profile = gpu.profile;
  return preamble(named).front();
}

std::string said_of(const ExpectedGpu& gpu) {
  if (!gpu.profile) {
    return "No profile is of this kind of GPU. These values scale an H200's by the device's attributes; 'gpumem "
           "calibrate' measures a profile.";
  }
  if (gpu.is_own) {
    return fmt::format(
        "By the model from your own profile '{}', which tells what one GPU reached, not what healthy ones do.",
        one_line(*gpu.profile));
  }
  return fmt::format("Values that a healthy GPU of this kind reaches, by the model from profile '{}'.",
                     one_line(*gpu.profile));
}

Page page_of(const ExpectedGpu& gpu) {
  Page page;
  page.before = {{gpu_words(gpu), Tint::bold}, {said_of(gpu), Tint::dim}};
  for (const std::string& group : groups_of(std::span(&gpu, 1))) page.blocks.push_back(block_of(gpu, group));
  if (gpu.is_own) return page;
  const bool any_without =
      std::ranges::any_of(gpu.values, [](const ExpectedValue& value) { return !value.low.has_value(); });
  if (any_without) {
    page.after.push_back(
        {"Without an interval: nobody knows how far healthy GPUs differ, or the value is guessed.", Tint::dim});
  }
  page.after.push_back({"'gpumem check smoke' fails a GPU that is off by more than twice as much.", Tint::dim});
  return page;
}

// ---- Many

/// The mark behind a value that was published by others, scaled or assumed; empty for any other.
std::string_view mark_of(const ExpectedValue& value) {
  if (value.source == "published") return " p";
  if (value.source == "scaled" || value.source == "attributes") return " s";
  return value.source == "assumed" ? " a" : "";
}

constexpr const char* marks_words =
    "Marks: p, published by others, of this GPU or of one with the same part; s, scaled from another GPU, mostly the "
    "H200; a, assumed. Values without a mark were measured on a GPU or fitted to measurements. '-': the profile does "
    "not know it.";

struct ColumnOf {
  std::string quantity;
  std::string title;
};

std::vector<ColumnOf> columns_of(std::span<const ExpectedGpu> gpus, const std::string& group) {
  std::vector<ColumnOf> columns;
  std::size_t place = 0;
  for (const ExpectedGpu& gpu : gpus) {
    place = 0;
    for (const ExpectedValue& value : gpu.values) {
      if (value.group != group || value.in_other_unit) continue;
      const auto found = std::ranges::find(columns, value.quantity, &ColumnOf::quantity);
      if (found != columns.end()) {
        place = static_cast<std::size_t>(found - columns.begin()) + 1;
      } else {
        columns.insert(columns.begin() + static_cast<std::ptrdiff_t>(place++), {value.quantity, value.title});
      }
    }
  }
  return columns;
}

std::string cell_of(const ExpectedGpu& gpu, const std::string& quantity) {
  const auto found = std::ranges::find(gpu.values, quantity, &ExpectedValue::quantity);
  return found == gpu.values.end() ? "-" : fmt::format("{}{}", in_digits(found->value), mark_of(*found));
}

Block block_of_all(std::span<const ExpectedGpu> gpus, const std::string& group) {
  Block block;
  block.title = group;
  block.parameter_columns = 2;
  block.columns = {{.heading = {"profile", ""}, .names = true, .code = true},
                   {.heading = {"GPU", ""}, .rank = 1, .names = true}};
  const std::vector<ColumnOf> columns = columns_of(gpus, group);
  // On a narrow terminal the last columns go first, and those of memory after all others.
  unsigned next_rank = 3;
  for (const ColumnOf& column : columns) {
    const unsigned later = column.title.starts_with("memory") ? 0 : static_cast<unsigned>(columns.size());
    block.columns.push_back({.heading = {column.title, unit_of(column.quantity)}, .rank = later + next_rank++});
  }
  const bool bandwidth = group == "bandwidth";
  if (bandwidth) block.columns.push_back({.heading = {"theoretical", "GB/s"}, .rank = 2});
  for (const ExpectedGpu& gpu : gpus) {
    Row row;
    row.cells = {one_line(gpu.profile.value_or("-")), one_line(gpu.device.name)};
    for (const ColumnOf& column : columns) row.cells.push_back(cell_of(gpu, column.quantity));
    if (bandwidth) row.cells.push_back(in_digits(gpu.device.theoretical_bandwidth_bytes_per_s() * per_giga));
    row.position = row.cells.front();
    block.rows.push_back(std::move(row));
  }
  return block;
}

Page page_of_all(std::span<const ExpectedGpu> gpus) {
  Page page;
  for (const std::string& group : groups_of(gpus)) page.blocks.push_back(block_of_all(gpus, group));
  page.after.push_back({marks_words, Tint::dim});
  return page;
}

constexpr const char* page_head =
    "# Expected values by GPU\n\nEach row is a GPU of which gpumem ships a [profile](glossary.md#profile), and "
    "each value is what the model predicts\nof the case that a probe measures; `gpumem expect h200` shows one GPU with "
    "the interval of healthy ones and the\n"
    "command that measures each value. A GPU that is slower than its interval deserves a look, and `gpumem check "
    "smoke`\n"
    "fails one that is off by more than twice as far ([suites.md](suites.md#spread-of-healthy-gpus)).\n"
    "\n"
    "`gpumem expect --all --format markdown` makes these tables.\n";

}  // namespace

void write_expected(std::ostream& out, const ExpectedGpu& gpu, Format format, const TableStyle& style) {
  if (format == Format::json) return write_expected_json(out, gpu);
  if (format == Format::csv) return write_expected_csv(out, std::span(&gpu, 1));
  if (format == Format::markdown) return write_markdown_page(out, page_of(gpu));
  write_page(out, page_of(gpu), style);
}

void write_all_expected(std::ostream& out, std::span<const ExpectedGpu> gpus, Format format, const TableStyle& style) {
  if (format == Format::json) return write_all_expected_json(out, gpus);
  if (format == Format::csv) return write_expected_csv(out, gpus);
  if (format != Format::markdown) return write_page(out, page_of_all(gpus), style);
  out << page_head;
  write_markdown_page(out, page_of_all(gpus));
}

}  // namespace gpumem::report
