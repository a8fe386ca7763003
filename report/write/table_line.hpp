#pragma once
// One line of a table on a terminal: never wider than the table, never with blanks at its end.

#include <algorithm>
#include <ostream>
#include <string>

#include "report/text/text.hpp"
#include "report/write/tint.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

class TableLine {
 public:
  explicit TableLine(const TableStyle& style) : width_(style.width), color_(style.color) {}

  /// Blanks are kept back until something follows them.
  void space(std::size_t columns) { pending_ += columns; }

  void put(const std::string& text, Tint tint) {
    const std::string fitting = truncated(one_line(text), left());  // whatever a report calls its things
    if (fitting.empty()) {
      pending_ += display_width(text);
      return;
    }
    text_.append(pending_, ' ');
    used_ += pending_ + display_width(fitting);
    pending_ = 0;
    const bool tinted = color_ && tint != Tint::none;
    if (tinted) text_ += code(tint);
    text_ += fitting;
    if (tinted) text_ += "\x1b[0m";
  }

  [[nodiscard]] std::size_t left() const { return width_ - std::min(width_, used_ + pending_); }

  void end(std::ostream& out) const { out << text_ << '\n'; }

 private:
  [[nodiscard]] static const char* code(Tint tint) {
    switch (tint) {
      case Tint::none:
        return "";
      case Tint::bold:
        return "\x1b[1m";
      case Tint::dim:
        return "\x1b[2m";
      case Tint::red:
        return "\x1b[31m";
      case Tint::yellow:
        return "\x1b[33m";
      case Tint::cyan:
        return "\x1b[36m";
    }
    return "";
  }

  std::size_t width_;
  bool color_;
  std::size_t used_ = 0;
  std::size_t pending_ = 0;
  std::string text_;
};

}  // namespace gpumem::report
