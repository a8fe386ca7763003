#include "report/write/table_line.hpp"

#include <fmt/format.h>

#include <array>
#include <ostream>

namespace gpumem::report {

std::string tinted(const std::string& text, Tint tint) {
  constexpr std::array codes = {0, 1, 2, 31, 32, 33, 36};  // in the order of the tints
  if (tint == Tint::none) return text;
  return fmt::format("\x1b[{}m{}\x1b[0m", codes.at(static_cast<std::size_t>(tint)), text);
}

void TableLine::put(const std::string& text, Tint tint) {
  std::string fitting = truncated(one_line(text), left());  // whatever a report calls its things
  const std::size_t blanks = fitting.size() - (fitting.find_last_not_of(' ') + 1);
  fitting.resize(fitting.size() - blanks);
  if (fitting.empty()) {
    pending_ += display_width(text);
    return;
  }
  text_.append(pending_, ' ');
  used_ += pending_ + display_width(fitting);
  pending_ = blanks;
  text_ += color_ ? tinted(fitting, tint) : fitting;
}

void TableLine::put_cell(const std::string& text, std::size_t width, bool left, Tint tint) {
  const std::size_t padding = width - std::min(width, display_width(text));
  if (!left) space(padding);
  put(text, tint);
  if (left) space(padding);
}

void TableLine::end(std::ostream& out) const { out << text_ << '\n'; }

void write_paragraph(std::ostream& out, const std::string& text, const TableStyle& style, Tint tint,
                     std::size_t indent) {
  bool first = true;
  const std::size_t width = std::min<std::size_t>(style.width, widest_text);
  for (const std::string& part : wrapped(text, width - indent)) {
    TableLine line(style);
    if (!first) line.space(indent);
    first = false;
    line.put(part, tint);
    line.end(out);
  }
}

}  // namespace gpumem::report
