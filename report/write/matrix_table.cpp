// A matrix on a terminal: as many digits as there is room for, all columns side by side if that can be.

#include <algorithm>
#include <array>
#include <ostream>

#include "report/write/table_line.hpp"

namespace gpumem::report {

namespace {

/// The digits of the numbers, and the blanks between columns.
struct Spacing {
  int digits;
  int most_decimals;
  std::size_t between;
};

/// From the most readable to the shortest.
constexpr std::array<Spacing, 4> spacings = {{{3, 2, gap}, {3, 1, gap}, {3, 1, 1}, {3, 0, 1}}};

/// A matrix with the texts that it will have.
class Grid {
 public:
  Grid(const Matrix& matrix, const Spacing& spacing)
      : matrix_(matrix),
        texts_(matrix.texts(spacing.digits, spacing.most_decimals)),
        between_(spacing.between),
        names_width_(std::max(display_width(matrix.rows.name), display_width(matrix.rows.unit))) {
    for (const std::string& name : matrix.row_names) names_width_ = std::max(names_width_, display_width(name));
    for (std::size_t c = 0; c < matrix.column_names.size(); ++c) {
      widths_.push_back(display_width(matrix.column_names[c]));
      for (const auto& row : texts_) widths_[c] = std::max(widths_[c], display_width(row[c]));
    }
  }

  /// So many columns, from this one on, fit into a line.
  [[nodiscard]] std::size_t fitting(std::size_t first, std::size_t width) const {
    std::size_t used = names_width_;
    std::size_t column = first;
    while (column < widths_.size() && used + between_ + widths_[column] <= width) {
      used += between_ + widths_[column++];
    }
    return column - first;
  }

  void write(std::ostream& out, std::size_t first, std::size_t count, const TableStyle& style) const {
    const bool has_unit = !matrix_.rows.unit.empty();
    if (has_unit) write_line(out, matrix_.rows.name, style, Tint::dim, [](TableLine&) {});
    write_line(out, has_unit ? matrix_.rows.unit : matrix_.rows.name, style, Tint::dim, [&](TableLine& line) {
      for (std::size_t c = first; c < first + count; ++c) put(line, matrix_.column_names[c], c, Tint::dim);
    });
    for (std::size_t row = 0; row < texts_.size(); ++row) {
      write_line(out, matrix_.row_names[row], style, Tint::none, [&](TableLine& line) {
        for (std::size_t c = first; c < first + count; ++c) put(line, texts_[row][c], c, matrix_.cells[row][c].tint);
      });
    }
  }

 private:
  template <class Columns>
  void write_line(std::ostream& out, const std::string& name, const TableStyle& style, Tint tint,
                  const Columns& columns) const {
    TableLine line(style);
    line.put_cell(name, names_width_, false, tint);
    columns(line);
    line.end(out);
  }

  void put(TableLine& line, const std::string& text, std::size_t column, Tint tint) const {
    line.space(between_);
    line.put_cell(text, widths_[column], false, tint);
  }

  const Matrix& matrix_;
  std::vector<std::vector<std::string>> texts_;
  std::vector<std::size_t> widths_;  ///< of the columns
  std::size_t between_;
  std::size_t names_width_;
};

void write_cells(std::ostream& out, const Matrix& matrix, const TableStyle& style) {
  const std::size_t columns = matrix.column_names.size();
  for (const Spacing& spacing : spacings) {
    const Grid grid(matrix, spacing);
    if (grid.fitting(0, style.width) == columns) return grid.write(out, 0, columns, style);
  }
  const Grid grid(matrix, spacings.front());
  for (std::size_t first = 0; first < columns;) {
    const std::size_t count = std::max<std::size_t>(1, grid.fitting(first, style.width));
    if (first > 0) out << '\n';
    grid.write(out, first, count, style);
    first += count;
  }
}

}  // namespace

void write_matrices(std::ostream& out, std::span<const Matrix> matrices, const TableStyle& style) {
  for (const Matrix& matrix : matrices) {
    if (&matrix != matrices.data()) out << '\n';
    write_paragraph(out, matrix.title, style, Tint::none, gap);
    write_cells(out, matrix, style);
    for (const auto& [text, tint] : matrix.notes) write_paragraph(out, text, style, tint, gap);
  }
}

}  // namespace gpumem::report
