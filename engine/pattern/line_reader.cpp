#include "engine/pattern/line_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace gpumem::pattern {

bool LineReader::read_more() {
  constexpr std::size_t piece = std::size_t{1} << 20U;
  if (ended_) return false;
  text_.erase(0, at_);
  at_ = 0;
  if (text_.size() > piece) {
    ++number_;
    refuse("is longer than 1 MiB; is it the right file?");
  }
  const std::string more = take_begin(source_.read, piece);
  ended_ = more.size() < piece;
  text_ += more;
  return true;
}

std::optional<std::string_view> LineReader::next() {
  constexpr std::string_view byte_order_mark = "\xEF\xBB\xBF";
  std::size_t end = text_.find('\n', at_);
  while (end == std::string::npos && read_more()) end = text_.find('\n');
  if (at_ == text_.size()) return std::nullopt;
  std::string_view line = std::string_view(text_).substr(at_, end == std::string::npos ? end : end - at_);
  at_ = std::min(text_.size(), at_ + line.size() + 1);
  if (line.ends_with('\r')) line.remove_suffix(1);
  if (++number_ == 1 && line.starts_with(byte_order_mark)) line.remove_prefix(byte_order_mark.size());
  return line;
}

std::optional<std::string_view> LineReader::next_content(char comment) {
  while (const auto line = next()) {
    const std::string_view content = without_blanks(*line);
    if (!content.empty() && content.front() != comment) return line;
  }
  return std::nullopt;
}

void LineReader::refuse(const std::string& wrong) const {
  throw usage_error(fmt::format("{}: line {}: {}", source_.name, number_, wrong));
}

std::string_view without_blanks(std::string_view text) {
  constexpr std::string_view blanks = " \t";
  const std::size_t first = text.find_first_not_of(blanks);
  return first == std::string_view::npos ? text.substr(0, 0)
                                         : text.substr(first, text.find_last_not_of(blanks) - first + 1);
}

}  // namespace gpumem::pattern
