// The table: what a person reads first. It never wraps a row; where space is short, the least important columns go, and
// the end of the page says which.

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <map>
#include <optional>
#include <ostream>
#include <span>
#include <string_view>
#include <utility>

#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/table_line.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

constexpr unsigned narrowest_table = 20;
constexpr unsigned bar_rank = 60;  // where bars stand among the columns
constexpr std::size_t fewest_bar_columns = 12;
constexpr std::size_t longest_bar = 40;
constexpr std::size_t widest_flags = 30;
constexpr std::size_t shortest_prose = 44;
constexpr std::size_t narrowest_prose = 12;  // where columns that cannot go leave less

/// The layout of a block: its columns, bars and flags.
struct Layout {
  std::vector<std::size_t> columns;  ///< those shown
  std::vector<std::size_t> widths;   ///< of all columns
  std::size_t bar = 0;               ///< 0: no bars
  std::size_t flags = 0;             ///< the widest
  bool flags_over_bars = false;      ///< no room for both: a row with flags has no bar
  std::optional<std::size_t> below;  ///< the column whose phrases stand below the rows

  /// The column of a line at which flags begin.
  [[nodiscard]] std::size_t before_flags() const {
    std::size_t used = bar == 0 || flags_over_bars ? 0 : bar + gap;
    for (const std::size_t c : columns) used += widths[c] + gap;
    return used;
  }
  [[nodiscard]] bool shows(std::size_t column) const {
    return below == column || std::ranges::find(columns, column) != columns.end();
  }
};

/// Columns and texts that a page has no room for.
struct Omitted {
  std::vector<std::string> columns;
  std::vector<std::string> cut;  ///< columns in which texts end before they are complete
  std::size_t width = 0;         ///< that has room for all of it

  void add(const Block& block, const Layout& layout, std::size_t width_here);
  [[nodiscard]] std::string words(unsigned width_here) const;
};

std::vector<std::size_t> column_widths(const Block& block) {
  std::vector<std::size_t> widths;
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const Heading& heading = block.columns[c].heading;
    std::size_t width = std::max(display_width(heading.name), display_width(heading.unit));
    for (const Row& row : block.rows) width = std::max(width, display_width(row.cells[c]));
    widths.push_back(width);
  }
  return widths;
}

Layout lay_out(const Block& block, const TableStyle& style) {
  Layout layout;
  layout.widths = column_widths(block);
  for (std::size_t c = 0; c < block.columns.size(); ++c) layout.columns.push_back(c);
  for (const Row& row : block.rows) layout.flags = std::max(layout.flags, display_width(row.flags));
  layout.flags = std::min(layout.flags, widest_flags);
  bool bars = style.bars && block.rows.size() > 1 &&
              std::ranges::any_of(block.rows, [](const Row& row) { return row.bar_fraction.has_value(); });

  const auto numbers_width = [&] {
    std::size_t width = 0;
    for (const std::size_t c : layout.columns) width += (width == 0 ? 0 : gap) + layout.widths[c];
    return width;
  };
  const auto tail_width = [&] { return std::max(layout.flags, bars ? fewest_bar_columns : 0); };
  const auto line_width = [&] { return numbers_width() + (tail_width() == 0 ? 0 : gap + tail_width()); };
  // Phrases are worth more than bars, and may be cut before a number has to go.
  auto phrases = std::ranges::find_if(block.columns, &Column::prose);
  const auto wrapping = std::ranges::find_if(block.columns, &Column::wraps);
  if (wrapping != block.columns.end()) {
    const auto place = static_cast<std::size_t>(wrapping - block.columns.begin());
    const std::size_t in_full = std::exchange(layout.widths[place], std::min(layout.widths[place], shortest_prose));
    if (line_width() > style.width) {
      layout.below = place;
      std::erase(layout.columns, place);
    } else {
      layout.widths[place] = std::min(in_full, widest_text);
      phrases = wrapping;
    }
  }
  std::size_t phrases_in_full = 0;
  if (phrases != block.columns.end()) {
    std::size_t& width = layout.widths[static_cast<std::size_t>(phrases - block.columns.begin())];
    if (line_width() > style.width) bars = false;
    phrases_in_full = width;
    width = std::min(width, shortest_prose);
  }
  while (line_width() > style.width) {
    const auto rank = [&](std::size_t c) { return block.columns[c].rank; };
    const auto last = std::ranges::max_element(layout.columns, {}, rank);
    if (bars && (last == layout.columns.end() || rank(*last) < bar_rank)) {
      bars = false;
    } else if (last != layout.columns.end() && rank(*last) > 0) {
      layout.columns.erase(last);
    } else {
      break;
    }
  }
  if (phrases_in_full > 0) {
    std::size_t& width = layout.widths[static_cast<std::size_t>(phrases - block.columns.begin())];
    const std::size_t beside = line_width() - width;
    const std::size_t room = style.width - std::min<std::size_t>(style.width, beside);
    width = std::min(phrases_in_full, std::max(room, narrowest_prose));
  }
  if (bars) {
    const std::size_t room = style.width - numbers_width() - gap;
    layout.flags_over_bars = layout.flags > 0 && room < fewest_bar_columns + gap + layout.flags;
    const std::size_t beside = layout.flags == 0 || layout.flags_over_bars ? 0 : gap + layout.flags;
    layout.bar = std::min(longest_bar, room - beside);
  }
  return layout;
}

/// The width of a line with all that the rows have, and where there are bars with the shortest of them.
std::size_t complete_width(const Block& block, bool bars) {
  const std::vector<std::size_t> widths = column_widths(block);
  std::size_t tail = bars ? fewest_bar_columns : 0;
  for (const Row& row : block.rows) tail = std::max(tail, display_width(row.flags));
  std::size_t width = tail == 0 ? 0 : gap + tail;
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    width += (c == 0 ? 0 : gap) + (block.columns[c].wraps ? std::min(widths[c], shortest_prose) : widths[c]);
  }
  return width;
}

void Omitted::add(const Block& block, const Layout& layout, std::size_t width_here) {
  bool any = false;
  const auto note = [&](std::vector<std::string>& names, const Heading& heading) {
    any = true;
    const std::string name = heading_words(heading);
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (std::size_t c = 0; c < block.columns.size(); ++c) {
    const Column& column = block.columns[c];
    const auto is_cut = [&](const Row& row) {
      return row.failure.empty() && display_width(row.cells[c]) > layout.widths[c];
    };
    if (!layout.shows(c)) {
      note(columns, column.heading);
    } else if (!column.wraps && std::ranges::any_of(block.rows, is_cut)) {
      note(cut, column.heading);
    }
  }
  const auto is_long = [&](const Row& row) {
    return !row.flags.empty() && layout.before_flags() + display_width(row.flags) > width_here;
  };
  if (std::ranges::any_of(block.rows, is_long)) note(cut, {"flags", ""});
  if (any) width = std::max(width, complete_width(block, layout.bar > 0));
}

std::string Omitted::words(unsigned width_here) const {
  std::string text;
  if (!columns.empty()) text = fmt::format("Not shown in {} columns: {}", width_here, join(columns, ", "));
  if (!cut.empty()) text += fmt::format("{}: {}", text.empty() ? "Cut" : "; cut", join(cut, ", "));
  return text + fmt::format(". COLUMNS={} has room for all.", width);
}

/// A bar of eighths of a character.
std::string bar_of(double fraction, std::size_t width) {
  constexpr std::array<const char*, 8> part = {"", "▏", "▎", "▍", "▌", "▋", "▊", "▉"};
  const auto eighths =
      static_cast<std::size_t>(std::lround(std::clamp(fraction, 0.0, 1.0) * 8.0 * static_cast<double>(width)));
  std::string bar;
  for (std::size_t i = 0; i < eighths / 8; ++i) bar += "█";
  return bar + part[eighths % 8];
}

void write_header(std::ostream& out, const Block& block, const Layout& layout, const TableStyle& style) {
  const auto write = [&](std::string Heading::*part) {
    TableLine line(style);
    for (const std::size_t c : layout.columns) {
      line.put_cell(block.columns[c].heading.*part, layout.widths[c], block.columns[c].names, Tint::dim);
      line.space(gap);
    }
    line.end(out);
  };
  write(&Heading::name);
  if (std::ranges::any_of(layout.columns, [&](std::size_t c) { return !block.columns[c].heading.unit.empty(); })) {
    write(&Heading::unit);
  }
}

/// Lines of a cell that do not stand on the row's own.
struct WrappedCell {
  std::vector<std::string> lines;
  std::size_t first = 0;   ///< of those
  std::size_t column = 0;  ///< where they begin
  Tint tint = Tint::none;

  void write(std::ostream& out, const TableStyle& style) const {
    for (std::size_t i = first; i < lines.size(); ++i) {
      TableLine line(style);
      line.space(column);
      line.put(lines[i], tint);
      line.end(out);
    }
  }
};

/// Returns true if the row's failure did not fit.
bool write_row(std::ostream& out, const Block& block, const Row& row, const Layout& layout, const TableStyle& style) {
  TableLine line(style);
  const bool failed = !row.failure.empty();
  const auto tint_of = [&](std::size_t c) { return c < row.tints.size() ? row.tints[c] : Tint::none; };
  std::size_t place = 0;  // of the column on the line
  WrappedCell further;
  for (const std::size_t c : layout.columns) {
    if (failed && c >= block.parameter_columns) break;
    std::string text = truncated(row.cells[c], layout.widths[c]);
    if (block.columns[c].wraps) {
      further = {wrapped(row.cells[c], layout.widths[c]), 1, place, tint_of(c)};
      text = further.lines.empty() ? "" : further.lines.front();
    }
    line.put_cell(text, layout.widths[c], block.columns[c].names, tint_of(c));
    line.space(gap);
    place += layout.widths[c] + gap;
  }
  if (layout.below && !failed) {
    const std::size_t width = std::min<std::size_t>(style.width, widest_text) - gap;
    further = {wrapped(row.cells[*layout.below], width), 0, gap, tint_of(*layout.below)};
  }
  if (failed) {
    const std::string text = truncated(row.failure, line.left());
    line.put(text, Tint::red);
    line.end(out);
    return text != row.failure;
  }
  if (layout.bar > 0 && (row.flags.empty() || !layout.flags_over_bars)) {
    const std::string bar = row.bar_fraction ? bar_of(*row.bar_fraction, layout.bar) : std::string();
    line.put_cell(bar, layout.bar, true, Tint::cyan);
    line.space(gap);
  }
  line.put(truncated(row.flags, line.left()), Tint::yellow);
  line.end(out);
  further.write(out, style);
  return false;
}

void write_timelines(std::ostream& out, const Block& block, const TableStyle& style) {
  const auto lines = drawn(block.timelines, std::min<std::size_t>(style.width, widest_text), style.bars);
  if (!lines.empty()) out << '\n';
  for (const std::string& text : lines) {
    TableLine line(style);
    line.put(text, text.starts_with(' ') ? Tint::cyan : Tint::none);
    line.end(out);
  }
}

/// Writes the failures that did not fit into their rows in full, the same one only once.
void write_failures(std::ostream& out, std::span<const Row* const> rows, const TableStyle& style) {
  std::map<std::string_view, std::size_t> counts;
  for (const Row* row : rows) ++counts[row->failure];
  for (const Row* row : rows) {
    const auto said = counts.find(row->failure);
    if (said == counts.end()) continue;
    write_paragraph(out, (said->second == 1 ? row->position : counted(said->second, "case")) + " " + row->failure,
                    style, Tint::red, gap);
    counts.erase(said);
  }
}

void write_rows(std::ostream& out, const Block& block, const TableStyle& style, Omitted& omitted) {
  const Layout layout = lay_out(block, style);
  omitted.add(block, layout, style.width);
  write_header(out, block, layout, style);
  std::vector<const Row*> shortened;
  for (const Row& row : block.rows) {
    if (row.begins_alternative) out << '\n';
    if (write_row(out, block, row, layout, style)) shortened.push_back(&row);
  }
  if (!block.common_flags.empty()) write_paragraph(out, "all cases: " + block.common_flags, style, Tint::yellow, gap);
  write_failures(out, shortened, style);
}

void write_block(std::ostream& out, const Block& block, const TableStyle& style, Omitted& omitted) {
  write_paragraph(out, block.full_title(), style, Tint::bold, gap);
  if (block.matrices.empty()) {
    write_rows(out, block, style, omitted);
  } else {
    write_matrices(out, block.matrices, style);
  }
  if (!block.common_failure.empty()) {
    write_paragraph(out, counted(block.rows.size(), "case") + " " + block.common_failure, style,
                    block.common_failure.starts_with("failed") ? Tint::red : Tint::yellow, gap);
  }
  write_timelines(out, block, style);
  if (!block.findings.empty()) out << '\n';
  for (const std::string& finding : block.findings) write_paragraph(out, one_line(finding), style, Tint::none, 0);
  if (style.picture) write_bank_pictures(out, block.pictures, style);
}

}  // namespace

void write_page(std::ostream& out, const Page& page, const TableStyle& requested) {
  TableStyle style = requested;
  style.width = std::max(style.width, narrowest_table);
  for (const auto& [text, tint] : page.before) write_paragraph(out, text, style, tint, gap);
  bool first = page.before.empty();
  Omitted omitted;
  for (const Block& block : page.blocks) {
    if (!first && !block.title.empty()) out << '\n';
    first = false;
    write_block(out, block, style, omitted);
  }
  if (!page.after.empty() && !first) out << '\n';
  for (const auto& [text, tint] : page.after) write_paragraph(out, one_line(text), style, tint, 0);
  const auto has_pictures = [](const Block& block) { return !block.pictures.empty(); };
  if (requested.picture && std::ranges::none_of(page.blocks, has_pictures)) {
    write_paragraph(out, "No case here has a picture: patterns of a tile in shared memory do.", style, Tint::dim, 0);
  }
  if (omitted.width == 0) return;
  if (page.after.empty()) out << '\n';
  write_paragraph(out, omitted.words(style.width), style, Tint::dim, 0);
}

void write_table(std::ostream& out, const Report& report, const TableStyle& style) {
  write_page(out, report.program ? program_page(report, style.width) : page(report, style.why), style);
}

}  // namespace gpumem::report
