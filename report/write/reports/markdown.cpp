// GitHub-flavoured Markdown: the blocks of the table, with every column and no width.

#include <algorithm>
#include <ostream>

#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t code_width = 80;

void write_row(std::ostream& out, const std::vector<std::string>& cells, const std::vector<Column>& columns = {}) {
  for (std::size_t c = 0; c < cells.size(); ++c) {
    const bool is_code = c < columns.size() && columns[c].code && !cells[c].empty();
    // A pipe ends a cell even within code.
    out << "| " << (is_code ? escaped(markdown_code(cells[c]), {{'|', "\\|"}}) : markdown_escaped(cells[c]))
        << (cells[c].empty() ? "" : " ");
  }
  out << "|\n";
}

void write_matrix(std::ostream& out, const Matrix& matrix) {
  constexpr int digits = 3;
  constexpr int most_decimals = 2;
  out << markdown_escaped(matrix.title) << "\n\n";
  std::vector<std::string> header = {heading_words(matrix.rows)};
  header.insert(header.end(), matrix.column_names.begin(), matrix.column_names.end());
  write_row(out, header);
  write_row(out, std::vector<std::string>(header.size(), "---:"));
  const auto texts = matrix.texts(digits, most_decimals);
  for (std::size_t row = 0; row < texts.size(); ++row) {
    std::vector<std::string> cells = {matrix.row_names[row]};
    cells.insert(cells.end(), texts[row].begin(), texts[row].end());
    write_row(out, cells);
  }
  for (const Note& note : matrix.notes) out << '\n' << markdown_escaped(note.text) << '\n';
}

void write_rows(std::ostream& out, const Block& block) {
  if (!block.common_failure.empty()) {
    out << counted(block.rows.size(), "case") << ' ' << markdown_escaped(block.common_failure) << "\n\n";
  }
  if (!block.common_flags.empty()) out << "All cases: " << markdown_escaped(block.common_flags) << "\n\n";
  const bool notes =
      std::ranges::any_of(block.rows, [](const Row& row) { return !row.flags.empty() || !row.failure.empty(); });
  std::vector<Column> columns = block.columns;
  if (notes) columns.push_back({.heading = {"notes", ""}, .names = true});
  std::vector<std::string> header;
  std::vector<std::string> rule;
  for (const Column& column : columns) {
    header.push_back(heading_words(column.heading));
    rule.emplace_back(column.names ? "---" : "---:");
  }
  write_row(out, header);
  write_row(out, rule);
  for (const Row& row : block.rows) {
    std::vector<std::string> cells = row.cells;
    if (notes) {
      const bool both = !row.failure.empty() && !row.flags.empty();
      cells.push_back(row.failure + (both ? "; " : "") + row.flags);
    }
    write_row(out, cells, columns);
  }
}

void write_block(std::ostream& out, const Block& block) {
  if (!block.title.empty()) out << "\n### " << markdown_escaped(block.full_title()) << '\n';
  out << '\n';
  if (block.matrices.empty()) write_rows(out, block);
  for (const Matrix& matrix : block.matrices) {
    if (&matrix != block.matrices.data()) out << '\n';
    write_matrix(out, matrix);
  }
  const auto lines = drawn(block.timelines, code_width, true);
  if (!lines.empty()) out << "\n```text\n" << join(lines, "\n") << "\n```\n";
  for (const std::string& finding : block.findings) out << '\n' << markdown_escaped(finding) << '\n';
}

}  // namespace

std::string markdown_code(std::string_view text) {
  const std::string line = one_line(text);
  std::size_t longest = 0;
  for (std::size_t i = 0, run = 0; i < line.size(); ++i) {
    run = line[i] == '`' ? run + 1 : 0;
    longest = std::max(longest, run);
  }
  if (line.empty()) return "` `";
  const std::string fence(longest + 1, '`');
  const bool is_apart = longest > 0 || (line.starts_with(' ') && line.ends_with(' '));
  const std::string blank = is_apart ? " " : "";
  return fence + blank + line + blank + fence;
}

std::string markdown_escaped(std::string_view text) {
  std::string result;
  for (const char c : one_line(text)) {
    if (std::string_view("\\|*`[]<>").find(c) != std::string_view::npos) result += '\\';
    result += c;
  }
  return result;
}

void write_markdown_page(std::ostream& out, const Page& page) {
  for (const Note& note : page.before) {
    out << (&note == page.before.data() ? "## " : "\n") << markdown_escaped(note.text) << '\n';
  }
  for (const Block& block : page.blocks) write_block(out, block);
  for (const Note& note : page.after) out << '\n' << markdown_escaped(note.text) << '\n';
}

void write_markdown(std::ostream& out, const Report& report, bool why) {
  if (report.program) return write_program_markdown(out, report);
  write_markdown_page(out, page(report, why));
}

}  // namespace gpumem::report
