#pragma once
// Lines of a table on a terminal, and the paragraphs and matrices between tables.

#include <algorithm>
#include <cstddef>
#include <iosfwd>
#include <span>
#include <string>

#include "report/text/text.hpp"
#include "report/write/matrix.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

inline constexpr std::size_t gap = 2;            ///< between columns, and of what is indented
inline constexpr std::size_t widest_text = 120;  ///< longer lines are hard to read, however wide the terminal

/// One line: never wider than the table, never with blanks at its end.
class TableLine {
 public:
  explicit TableLine(const TableStyle& style) : width_(style.width), color_(style.color) {}

  /// Blanks are kept back until something follows them.
  void space(std::size_t columns) { pending_ += columns; }

  void put(const std::string& text, Tint tint);

  /// Puts the text into a cell of this width.
  void put_cell(const std::string& text, std::size_t width, bool left, Tint tint);

  [[nodiscard]] std::size_t left() const { return width_ - std::min(width_, used_ + pending_); }

  void end(std::ostream& out) const;

 private:
  std::size_t width_;
  bool color_;
  std::size_t used_ = 0;
  std::size_t pending_ = 0;
  std::string text_;
};

/// Writes a paragraph with its further lines indented.
void write_paragraph(std::ostream& out, const std::string& text, const TableStyle& style, Tint tint,
                     std::size_t indent);

/// Writes matrices below each other. If the columns of a matrix do not fit beside each other even with few digits, it
/// is written in several parts, one below the other.
void write_matrices(std::ostream& out, std::span<const Matrix> matrices, const TableStyle& style);

}  // namespace gpumem::report
