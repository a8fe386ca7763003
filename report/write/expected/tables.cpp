// One GPU on a screen, and the page or format for each writer.

#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <string>
#include <utility>

#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/expected/expected.hpp"
#include "report/write/expected/pages.hpp"

namespace gpumem::report {

namespace {

/// Next to a bandwidth its share of the best, next to cycles the same time in nanoseconds.
std::string aside(const ExpectedValue& value, const ExpectedValue* in_other_unit) {
  if (in_other_unit != nullptr) return value_words(in_other_unit->quantity, in_other_unit->value);
  return value.peak ? whole_percent(value.value / *value.peak) : "";
}

Block block_of(const ExpectedGpu& gpu, const std::string& group) {
  Block block;
  block.title = group;
  block.parameter_columns = 1;
  const bool latencies = group == "latency";
  block.columns = {{.heading = {"of", ""}, .names = true},
                   {.heading = {"expected", ""}},
                   {.heading = {latencies ? "that is" : "of peak", ""}},
                   {.heading = {"source", ""}, .names = true, .prose = true},
                   {.heading = {"of its rate", ""}, .rank = 2, .names = true, .code = true},
                   {.heading = {"measured by", ""}, .rank = 1, .names = true, .code = true}};
  constexpr std::ptrdiff_t interval = 2;
  if (!gpu.is_own) block.columns.insert(block.columns.begin() + interval, {.heading = {"healthy GPUs", ""}});
  for (std::size_t i = 0; i < gpu.values.size(); ++i) {
    const ExpectedValue& value = gpu.values[i];
    if (value.group != group || value.in_other_unit) continue;
    const bool has_other = i + 1 < gpu.values.size() && gpu.values[i + 1].in_other_unit;
    Row row;
    row.cells = {value.title,
                 value_words(value.quantity, value.value),
                 aside(value, has_other ? &gpu.values[i + 1] : nullptr),
                 one_line(value.source_words),
                 value.rate,
                 value.command};
    if (!gpu.is_own) row.cells.insert(row.cells.begin() + interval, range_words(value));
    row.position = value.title;
    block.rows.push_back(std::move(row));
  }
  return block;
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
  page.after.push_back(
      {"Source: of the rate that decides the value; the model computes the value from it.", Tint::dim});
  if (gpu.is_own) return page;
  const bool any_without =
      std::ranges::any_of(gpu.values, [](const ExpectedValue& value) { return !value.low.has_value(); });
  if (any_without) {
    page.after.push_back({no_interval_words, Tint::dim});
  }
  page.after.push_back({"'gpumem check smoke' fails a GPU that is off by more than twice as much.", Tint::dim});
  return page;
}

constexpr const char* page_head =
    "# Expected values by GPU\n"
    "\n"
    "Each row is a GPU of which gpumem ships a [profile](glossary.md#profile), and each value is what the model "
    "predicts\n"
    "of the case that a probe measures. A mark beside a value says who is behind the rate that decides it, by the "
    "[table\n"
    "of sources](#sources); [published.md](published.md) has the figures themselves. `gpumem expect h200` shows one "
    "GPU\n"
    "with the interval of healthy ones and the command that measures each value, and `gpumem expect h200 h100 l40s`\n"
    "shows several side by side. A GPU that is slower than its interval deserves a look, and `gpumem check smoke` "
    "fails\n"
    "one that is off by more than twice as far ([suites.md](suites.md#spread-of-healthy-gpus)).\n"
    "\n"
    "`gpumem expect --all --format markdown` makes these tables.\n";

}  // namespace

void write_expected(std::ostream& out, const ExpectedGpu& gpu, Format format, const TableStyle& style) {
  if (format == Format::json) return write_expected_json(out, gpu);
  if (format == Format::csv) return write_expected_csv(out, std::span(&gpu, 1));
  if (format == Format::markdown) return write_markdown_page(out, page_of(gpu));
  write_page(out, page_of(gpu), style);
}

void write_side_by_side(std::ostream& out, std::span<const ExpectedGpu> gpus, Format format, const TableStyle& style) {
  if (format == Format::json) return write_all_expected_json(out, gpus);
  if (format == Format::csv) return write_expected_csv(out, gpus);
  if (format == Format::markdown) return write_markdown_page(out, page_side_by_side(gpus, PageFor::markdown));
  write_page(out, page_side_by_side(gpus, PageFor::terminal), style);
}

void write_all_expected(std::ostream& out, std::span<const ExpectedGpu> gpus, Format format, const TableStyle& style) {
  if (format == Format::json) return write_all_expected_json(out, gpus);
  if (format == Format::csv) return write_expected_csv(out, gpus);
  if (format != Format::markdown) return write_page(out, page_of_all(gpus, PageFor::terminal), style);
  out << page_head;
  write_markdown_page(out, page_of_all(gpus, PageFor::markdown));
}

}  // namespace gpumem::report
