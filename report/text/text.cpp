#include "report/text/text.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

#include "engine/base/words.hpp"

namespace gpumem::report {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

bool is_control(char c) { return static_cast<unsigned char>(c) < 0x20 || c == 0x7F; }

constexpr char32_t not_utf8 = 0xFFFFFFFF;

struct Character {
  char32_t code = not_utf8;
  std::size_t bytes = 1;
};

/// The character that begins at a place of UTF-8 text. Longer forms than necessary, surrogates and what is beyond
/// Unicode are no characters (RFC 3629).
Character character_at(std::string_view text, std::size_t at) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(text[at + i]); };
  const unsigned first = byte(0);
  if (first < 0x80) return {first, 1};
  const std::size_t bytes = first >= 0xF0 ? 4 : first >= 0xE0 ? 3 : 2;
  if (first < 0xC2 || first > 0xF4 || text.size() - at < bytes) return {};
  char32_t code = first & (0xFFU >> (bytes + 1));
  for (std::size_t i = 1; i < bytes; ++i) {
    if (starts_character(text[at + i])) return {};
    code = code << 6U | (byte(i) & 0x3FU);
  }
  const char32_t least = bytes == 4 ? 0x10000 : bytes == 3 ? 0x800 : 0x80;
  if (code < least || code > 0x10FFFF || (code >= 0xD800 && code <= 0xDFFF)) return {};
  return {code, bytes};
}

/// Control characters, of which ESC and its one-character form (U+009B) begin what moves the cursor or sets colours;
/// separators of lines; and marks that are not seen or turn the direction of the text around them.
bool steers_terminal(char32_t code) {
  return code < 0x20 || (code >= 0x7F && code < 0xA0) || code == 0xAD || code == 0x61C ||
         (code >= 0x200B && code <= 0x200F) || (code >= 0x2028 && code <= 0x202E) ||
         (code >= 0x2060 && code <= 0x206F) || code == 0xFEFF;
}

/// The text with what `written` makes of each character and of each byte that belongs to none.
template <class Written>
std::string rewritten(std::string_view text, const Written& written) {
  std::string result;
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    result += written(code, text.substr(at, bytes));
    at += bytes;
  }
  return result;
}

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string padded(std::string text, std::size_t width) {
  text.append(width - std::min(width, display_width(text)), ' ');
  return text;
}

std::string truncated(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && columns++ == width - 1) break;
  }
  // Half a number is another number.
  const auto in_number = [&](std::size_t at) {
    return std::string_view("0123456789.,").find(text[at]) != std::string_view::npos;
  };
  if (in_number(end)) {
    while (end > 0 && in_number(end - 1)) --end;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string without_controls(std::string_view text) {
  return rewritten(text, [](char32_t code, std::string_view character) {
    return code == not_utf8 ? "?" : code != '\n' && steers_terminal(code) ? " " : character;
  });
}

std::string valid_utf8(std::string_view text, bool (*is_barred)(char32_t)) {
  return rewritten(text, [&](char32_t code, std::string_view character) {
    const bool replaced = code == not_utf8 || (is_barred != nullptr && is_barred(code));
    return replaced ? "\xEF\xBF\xBD" : character;
  });
}

std::string one_line(std::string_view text) {
  std::string line = without_controls(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::string escaped(std::string_view text, std::initializer_list<std::pair<char, std::string_view>> replacements) {
  std::string result;
  for (const char& c : text) {
    const auto* const found = std::ranges::find(replacements, c, &std::pair<char, std::string_view>::first);
    result += found == replacements.end() ? std::string_view(&c, 1) : found->second;
  }
  return result;
}

std::string xml_escaped(std::string_view text) {
  const std::string valid = valid_utf8(text, [](char32_t code) {
    const bool breaks = code == '\t' || code == '\n' || code == '\r';
    return (code < 0x20 && !breaks) || code == 0x7F || code == 0xFFFE || code == 0xFFFF;
  });
  return escaped(valid, {{'&', "&amp;"},
                         {'<', "&lt;"},
                         {'>', "&gt;"},
                         {'"', "&quot;"},
                         {'\t', "&#9;"},
                         {'\n', "&#10;"},
                         {'\r', "&#13;"}});
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    // A list that no line can hold goes on after a comma.
    while (display_width(word) > width) {
      const std::size_t comma = word.substr(0, width).rfind(',');
      if (comma == std::string_view::npos || comma + 1 == word.size()) break;
      lines.emplace_back(word.substr(0, comma + 1));
      word.remove_prefix(comma + 1);
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

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
  if (std::ranges::none_of(argument, is_control)) return "'" + escaped(argument, {{'\'', "'\\''"}}) + "'";
  std::string line;  // in a form that shells read back
  for (const char c : escaped(argument, {{'\'', "\\'"}, {'\\', "\\\\"}})) {
    line += is_control(c) ? fmt::format("\\{:03o}", static_cast<unsigned char>(c)) : std::string(1, c);
  }
  return "$'" + line + "'";
}

std::string command_line(std::span<const std::string> words) {
  std::vector<std::string> quoted;
  for (const std::string& word : words) quoted.push_back(shell_quoted(word));
  return join(quoted, " ");
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  return fmt::format("{}", fmt::join(parts, separator));
}

std::string join_first(std::span<const std::string> parts, std::size_t most) {
  std::string text = join(parts.first(std::min(most, parts.size())), ", ");
  if (parts.size() > most) text += fmt::format(", and {} more", parts.size() - most);
  return text;
}

std::vector<std::string> split(std::string_view text, char separator) {
  std::vector<std::string> parts;
  std::size_t begin = 0;
  for (std::size_t end = 0; end != text.npos; begin = end + 1) {
    end = text.find(separator, begin);
    parts.emplace_back(text.substr(begin, end - begin));
  }
  return parts;
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

std::string whole_percent(double fraction) { return fixed(fraction * 100, 0) + " %"; }

std::string percent_with_tenths(double fraction) { return fixed(fraction * 100, 1) + " %"; }

std::string first_sentence(const std::string& text) {
  std::string sentence = text.substr(0, text.find(". "));
  if (sentence.ends_with('.')) sentence.pop_back();
  return sentence;
}

}  // namespace gpumem::report
