#include "report/text/layout.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

}  // namespace

std::string wrap(std::string_view text, std::size_t width, std::size_t indent) {
  const std::size_t columns = width > indent ? width - indent : 1;
  std::string separator(1 + indent, ' ');
  separator.front() = '\n';
  return join(wrapped(text, columns), separator);
}

std::string two_columns(std::string_view left, std::string_view text, std::size_t width, std::size_t column) {
  std::string line(left);
  if (text.empty()) return line + '\n';
  if (line.size() + 2 > column) line += '\n' + std::string(column, ' ');
  line.resize(std::max(line.size(), column), ' ');
  return line + wrap(text, width, column) + '\n';
}

std::string shell_quoted(std::string_view argument) {
  constexpr std::string_view plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_=+.,:/@%";
  if (!argument.empty() && argument.find_first_not_of(plain) == std::string_view::npos) return std::string(argument);
  const bool controls = std::ranges::any_of(argument, is_control);
  std::string quoted = controls ? "$'" : "'";  // in the first form, which shells read back, it stays on one line
  for (const char c : argument) {
    if (is_control(c)) {
      quoted += fmt::format("\\{:03o}", static_cast<unsigned char>(c));
    } else if (controls && (c == '\'' || c == '\\')) {
      quoted.append("\\").append(1, c);
    } else {
      quoted += c == '\'' ? std::string("'\\''") : std::string(1, c);
    }
  }
  return quoted + "'";
}

}  // namespace gpumem::report
