// A fleet for people: as a table for a terminal, and as Markdown.

#include "report/write/fleet.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <numeric>
#include <ostream>
#include <stdexcept>

#include "report/text/text.hpp"
#include "report/write/block_writers.hpp"
#include "report/write/fleet_words.hpp"
#include "report/write/table_line.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t gap = 2;
constexpr std::size_t widest_text = 120;  // longer lines are hard to read, however wide the terminal
constexpr std::size_t narrowest_cell = 12;
constexpr std::size_t most_findings = 20;
constexpr std::size_t most_cases = 40;
constexpr std::size_t everything = std::numeric_limits<std::size_t>::max();

/// Which columns there is room for, and how wide they are.
struct Layout {
  std::vector<std::size_t> columns;
  std::vector<std::size_t> widths;  ///< of all columns

  [[nodiscard]] std::size_t width() const {
    std::size_t sum = 0;
    for (const std::size_t c : columns) sum += (sum == 0 ? 0 : gap) + widths[c];
    return sum;
  }
};

Layout lay_out(const FleetGrid& grid, std::size_t width) {
  Layout layout;
  for (std::size_t c = 0; c < grid.columns.size(); ++c) {
    const Heading& heading = grid.columns[c].heading;
    std::size_t widest = std::max(display_width(heading.name), display_width(heading.unit));
    for (const FleetGrid::Row& row : grid.rows) widest = std::max(widest, display_width(row.cells[c]));
    layout.columns.push_back(c);
    layout.widths.push_back(widest);
  }
  const auto rank = [&](std::size_t c) { return grid.columns[c].rank; };
  while (layout.width() > width) {
    const auto last = std::ranges::max_element(layout.columns, {}, rank);
    if (rank(*last) == 0) break;
    layout.columns.erase(last);
  }
  for (const std::size_t c : layout.columns) {
    if (!grid.columns[c].flexible || layout.width() <= width) continue;
    const std::size_t excess = layout.width() - width;
    layout.widths[c] = std::max(narrowest_cell, layout.widths[c] - std::min(layout.widths[c], excess));
  }
  return layout;
}

void draw_line(std::ostream& out, const FleetGrid& grid, const Layout& layout, const TableStyle& style,
               const std::vector<std::string>& cells, Tint tint) {
  TableLine line(style);
  for (const std::size_t c : layout.columns) {
    if (c != layout.columns.front()) line.space(gap);
    const std::string cell = truncated(cells[c], layout.widths[c]);
    const std::size_t blank = layout.widths[c] - display_width(cell);
    if (!grid.columns[c].text) line.space(blank);
    line.put(cell, tint);
    if (grid.columns[c].text) line.space(blank);
  }
  line.end(out);
}

void draw_text(std::ostream& out, const std::string& text, const TableStyle& style, std::size_t indent, Tint tint) {
  const std::size_t width = std::min<std::size_t>(style.width, widest_text);
  for (const std::string& part : wrapped(text, width > indent ? width - indent : width)) {
    TableLine line(style);
    line.space(indent);
    line.put(part, tint);
    line.end(out);
  }
}

void draw(std::ostream& out, const FleetGrid& grid, const TableStyle& style) {
  const Layout layout = lay_out(grid, style.width);
  std::vector<std::string> names;
  std::vector<std::string> units;
  for (const FleetGrid::Column& column : grid.columns) {
    names.push_back(column.heading.name);
    units.push_back(column.heading.unit);
  }
  draw_line(out, grid, layout, style, names, Tint::dim);
  if (std::ranges::any_of(layout.columns, [&](std::size_t c) { return !units[c].empty(); })) {
    draw_line(out, grid, layout, style, units, Tint::dim);
  }
  for (const FleetGrid::Row& row : grid.rows) {
    draw_line(out, grid, layout, style, row.cells, row.slow ? Tint::red : row.fast ? Tint::cyan : Tint::none);
    for (const std::string& note : row.notes) draw_text(out, note, style, 2 * gap, Tint::yellow);
  }
}

bool is_off(const FleetCase& one) { return one.slow + one.fast > 0; }

/// The cases to show: all if they are few, else those in which someone is off.
std::vector<std::size_t> shown_cases(const FleetKind& kind, std::size_t most) {
  std::vector<std::size_t> indices(kind.cases.size());
  std::iota(indices.begin(), indices.end(), std::size_t{0});
  if (indices.size() > most) {
    std::erase_if(indices, [&](std::size_t index) { return !is_off(kind.cases[index]); });
  }
  if (indices.size() > most) indices.resize(most);
  return indices;
}

std::string hidden_words(std::size_t hidden, std::string_view noun) {
  return counted(hidden, noun) + " not shown; --format csv, json and markdown hold everything.";
}

std::string title_of(const FleetKind& kind) {
  return fmt::format("Cases of {}, {}:", kind_words(kind), counted(kind.machines.size(), "GPU"));
}

void write_grid(std::ostream& out, const FleetGrid& grid) {
  const bool notes = std::ranges::any_of(grid.rows, [](const FleetGrid::Row& row) { return !row.notes.empty(); });
  std::vector<std::string> header;
  std::vector<std::string> rule;
  for (const auto& [heading, text, flexible, rank] : grid.columns) {
    header.push_back(heading.name + (heading.unit.empty() || heading.unit.starts_with('/') ? "" : " ") + heading.unit);
    rule.emplace_back(text ? "---" : "---:");
  }
  if (notes) {
    header.emplace_back("notes");
    rule.emplace_back("---");
  }
  out << '\n';
  write_markdown_row(out, header);
  write_markdown_row(out, rule);
  for (const FleetGrid::Row& row : grid.rows) {
    std::vector<std::string> cells;
    for (const std::string& cell : row.cells) cells.push_back(markdown_escaped(cell));
    if (notes) cells.push_back(markdown_escaped(join(row.notes, "; ")));
    write_markdown_row(out, cells);
  }
}

}  // namespace

void write_fleet_table(std::ostream& out, const Fleet& fleet, const TableStyle& style) {
  Tint tint = Tint::bold;
  for (const std::string& line : fleet_preamble(fleet)) {
    draw_text(out, line, style, 0, tint);
    tint = Tint::none;
  }
  out << '\n';
  for (const std::string& line : fleet_summary(fleet)) draw_text(out, line, style, 0, Tint::none);
  if (!fleet.findings.empty()) {
    draw(out, findings_grid(fleet, most_findings), style);
    if (fleet.findings.size() > most_findings) {
      draw_text(out, hidden_words(fleet.findings.size() - most_findings, "more GPU"), style, 0, Tint::dim);
    }
  }
  for (const FleetKind& kind : fleet.kinds) {
    const std::vector<std::size_t> shown = shown_cases(kind, most_cases);
    if (shown.empty()) continue;
    out << '\n';
    draw_text(out, title_of(kind), style, 0, Tint::bold);
    draw(out, cases_grid(fleet, kind, shown), style);
    const auto hidden = kind.cases.size() - shown.size();
    if (hidden > 0) draw_text(out, hidden_words(hidden, "more case"), style, 0, Tint::dim);
  }
}

void write_fleet_markdown(std::ostream& out, const Fleet& fleet) {
  bool first = true;
  for (const std::string& line : fleet_preamble(fleet)) {
    out << (first ? "## " : "\n") << markdown_escaped(line) << '\n';
    first = false;
  }
  for (const std::string& line : fleet_summary(fleet)) out << '\n' << markdown_escaped(line) << '\n';
  if (!fleet.findings.empty()) write_grid(out, findings_grid(fleet, everything));
  for (const FleetKind& kind : fleet.kinds) {
    const std::vector<std::size_t> shown = shown_cases(kind, everything);
    if (shown.empty()) continue;
    out << "\n### " << markdown_escaped(title_of(kind)) << '\n';
    write_grid(out, cases_grid(fleet, kind, shown));
  }
}

void write_fleet(std::ostream& out, const Fleet& fleet, Format format, const TableStyle& style) {
  switch (format) {
    case Format::table:
      return write_fleet_table(out, fleet, style);
    case Format::markdown:
      return write_fleet_markdown(out, fleet);
    case Format::json:
      return write_fleet_json(out, fleet);
    case Format::csv:
      return write_fleet_csv(out, fleet);
    case Format::junit:
    case Format::openmetrics:
      break;
  }
  throw std::logic_error("unknown report format");
}

}  // namespace gpumem::report
