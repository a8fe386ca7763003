// A fleet as tables and as Markdown.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <deque>
#include <iterator>
#include <limits>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/grouped.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/cells.hpp"
#include "report/write/fleets/fleet.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t unlimited = std::numeric_limits<std::size_t>::max();

Tint tint_of(bool slow, bool fast) { return slow ? Tint::red : fast ? Tint::cyan : Tint::none; }

/// A row with one tint for all cells.
Row row_of(std::vector<std::string> cells, bool slow, bool fast) {
  Row row;
  row.tints.assign(cells.size(), tint_of(slow, fast));
  row.cells = std::move(cells);
  return row;
}

std::string hidden_words(std::size_t hidden, std::string_view noun) {
  return counted(hidden, noun) + " not shown; --format csv, json and markdown hold everything.";
}

/// The unit that the values of a case are shown in.
TimeUnit unit_for(const Fleet& fleet, const FleetCase& fleet_case) {
  const std::string unit = unit_of(fleet.names->case_name(fleet_case.name).quantity.name);
  return unit == "s" ? time_unit(fleet_case.median) : TimeUnit{.name = unit};
}

/// The cells of the worst case: its name, its value, how far it is off, and z; dashes if no case is off.
std::vector<std::string> worst_cells(const Fleet& fleet, const FleetKind& kind, const FleetFinding& finding) {
  if (finding.outliers.empty()) return {"-", "-", "-", "-"};
  const FleetJudgement& worst = finding.outliers.front();
  const FleetCase& fleet_case = kind.cases[worst.index];
  const TimeUnit unit = unit_for(fleet, fleet_case);
  return {fleet_case.label, significant(*worst.value * unit.per_second, 4) + " " + unit.name,
          fmt::format("{:+.1f}", 100 * *worst.relative),
          worst.z ? fixed(*worst.z, std::abs(*worst.z) < 100 ? 1 : 0) : "-"};
}

/// The machines that stand out, and what else there is to say of them.
Block findings_block(const Fleet& fleet, std::size_t most_rows) {
  Block block;
  block.title = fleet_result(fleet) + ", the worst first";
  block.columns = {
      {.heading = {"host", ""}, .names = true}, {.heading = {"GPU", ""}, .names = true},
      {.heading = {"off", "/cases"}},           {.heading = {"worst case", ""}, .names = true, .prose = true},
      {.heading = {"value", ""}, .rank = 2},    {.heading = {"off by", "%"}},
      {.heading = {"z", ""}, .rank = 1},        {.heading = {"report", ""}, .rank = 3, .names = true}};
  for (const FleetFinding& finding : fleet.findings) {
    if (block.rows.size() == most_rows) break;
    const FleetMachine& machine = fleet.machines[finding.machine];
    const FleetKind& kind = fleet.kinds[fleet.kind_of[finding.machine]];
    std::vector<std::string> cells = {host_words(machine), gpu_words(machine),
                                      fmt::format("{}/{}", finding.outliers.size(), finding.judged)};
    for (std::string& cell : worst_cells(fleet, kind, finding)) cells.push_back(std::move(cell));
    cells.push_back(file_name(machine));
    const bool off = !finding.outliers.empty();
    const bool slow = off && finding.outliers.front().verdict == FleetVerdict::slow;
    block.rows.push_back(row_of(std::move(cells), slow, off));
    const std::vector<std::string> notes = finding_notes(fleet, finding);
    if (!notes.empty()) block.findings.push_back(machine_label(machine) + ": " + join(notes, "; ") + ".");
  }
  const std::size_t hidden = fleet.findings.size() - block.rows.size();
  if (hidden > 0) block.findings.push_back(hidden_words(hidden, fmt::format("more {}", machine_noun(fleet))));
  return block;
}

/// The cases: all if they are few, else those in which a machine is off.
Block cases_block(const Fleet& fleet, const FleetKind& kind, std::size_t most_rows) {
  Block block;
  block.title = fmt::format("Cases of {}, {}", kind_words(kind), counted(kind.machines.size(), machine_noun(kind)));
  block.columns = {{.heading = {"case", ""}, .names = true, .prose = true},
                   {.heading = {std::string(machine_noun(kind)) + "s", ""}},
                   {.heading = {"median", ""}},
                   {.heading = {"", ""}, .names = true},
                   {.heading = {"MAD", "%"}},
                   {.heading = {"off", "from %"}, .rank = 3},
                   {.heading = {"min", ""}, .rank = 1},
                   {.heading = {"max", ""}, .rank = 2},
                   {.heading = {"slow", ""}},
                   {.heading = {"fast", ""}}};
  const bool all = kind.cases.size() <= most_rows;
  for (const FleetCase& fleet_case : kind.cases) {
    if (block.rows.size() == most_rows) break;
    if (!all && fleet_case.slow + fleet_case.fast == 0) continue;
    const TimeUnit unit = unit_for(fleet, fleet_case);
    const auto value = [&](double number) {
      return fleet_case.count == 0 ? "-" : significant(number * unit.per_second, 4);
    };
    const auto if_judged = [&](const std::string& text) { return fleet_case.judged ? text : "-"; };
    block.rows.push_back(
        row_of({fleet_case.label, std::to_string(fleet_case.count), value(fleet_case.median), unit.name,
                if_judged(fleet_case.mad > 0 ? significant(100 * fleet_case.mad / fleet_case.median, 2) : "0"),
                if_judged(fixed(100 * fleet_case.least_off, 1)), value(fleet_case.min), value(fleet_case.max),
                if_judged(std::to_string(fleet_case.slow)), if_judged(std::to_string(fleet_case.fast))},
               fleet_case.slow > 0, fleet_case.fast > 0));
  }
  const std::size_t hidden = kind.cases.size() - block.rows.size();
  if (hidden > 0) block.findings.push_back(hidden_words(hidden, "more case"));
  return block;
}

Matrix::Cell cell_of(const FleetJudgement& judgement) {
  using enum FleetVerdict;
  const FleetVerdict verdict = judgement.verdict;
  if (verdict == failed || verdict == wrong_data) return {{}, "!", Tint::red};
  if (!judgement.relative) return {{}, "-"};
  return {{}, percent_off(1 + *judgement.relative, 1), tint_of(verdict == slow, verdict == fast)};
}

/// For a node that is unlike the others: how far its pairs are off, a block for each table. Empty for a GPU.
std::vector<Block> deviation_matrices(const Fleet& fleet, const FleetFinding& finding) {
  const FleetMachine& machine = fleet.machines[finding.machine];
  if (machine.gpus == 1) return {};
  std::deque<Record> records;  // whose addresses last
  std::vector<CaseCell> cells;
  for (std::size_t i = 0; i < machine.readings.size(); ++i) {
    const FleetReading& reading = machine.readings[i];
    if (fleet.names->case_name(reading.name).is_metric) continue;
    const Record& record = records.emplace_back(fleet.names->record(reading.name, reading.shape));
    cells.emplace_back(&record, cell_of(fleet.judgements[finding.machine][i]));
  }
  std::vector<Block> blocks;
  for (const auto& [key, table] : grouped(cells, [](const CaseCell& cell) { return table_key(*cell.first); })) {
    Block block =
        matrix_block(table, "off the median of all nodes in %", {{"!: failed or moved wrong data", Tint::red}});
    if (block.matrices.empty()) continue;
    block.title = machine_label(machine) + ", " + block.title;
    blocks.push_back(std::move(block));
  }
  return blocks;
}

/// The most that a page holds: rows in a block of findings and in one of cases, and nodes whose pairs are shown.
struct PageLimits {
  std::size_t findings = unlimited;
  std::size_t cases = unlimited;
  std::size_t matrices = unlimited;
};

Page page_of(const Fleet& fleet, const PageLimits& most) {
  Page page;
  for (const std::string& line : fleet_preamble(fleet)) page.before.push_back({line});
  page.before.front().tint = Tint::bold;
  if (fleet.findings.empty()) {
    page.before.push_back({fleet_result(fleet)});
  } else {
    page.blocks.push_back(findings_block(fleet, most.findings));
  }
  std::size_t shown = 0;
  for (const FleetFinding& finding : fleet.findings) {
    std::vector<Block> blocks = deviation_matrices(fleet, finding);
    if (!blocks.empty() && ++shown > most.matrices) break;
    std::ranges::move(blocks, std::back_inserter(page.blocks));
  }
  for (const FleetKind& kind : fleet.kinds) {
    Block block = cases_block(fleet, kind, most.cases);
    if (!block.rows.empty()) page.blocks.push_back(std::move(block));
  }
  return page;
}

}  // namespace

void write_fleet(std::ostream& out, const Fleet& fleet, Format format, const TableStyle& style) {
  if (format == Format::json) return write_fleet_json(out, fleet);
  if (format == Format::csv) return write_fleet_csv(out, fleet);
  if (format == Format::markdown) return write_markdown_page(out, page_of(fleet, {}));
  write_page(out, page_of(fleet, {.findings = 20, .cases = 40, .matrices = 3}), style);
}

}  // namespace gpumem::report
