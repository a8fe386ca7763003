#include "report/text/text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/words.hpp"

namespace gpumem::report {

namespace {

bool starts_character(char c) { return (static_cast<unsigned char>(c) & 0xC0U) != 0x80U; }

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

}  // namespace

std::size_t display_width(std::string_view text) {
  return static_cast<std::size_t>(std::ranges::count_if(text, starts_character));
}

std::string truncated(std::string_view text, std::size_t width) {
  if (display_width(text) <= width) return std::string(text);
  if (width == 0) return {};
  std::size_t end = 0;
  for (std::size_t columns = 0; end < text.size(); ++end) {
    if (starts_character(text[end]) && columns++ == width - 1) break;
  }
  while (end > 0 && text[end - 1] == ' ') --end;
  return std::string(text.substr(0, end)) + "…";
}

std::string without_controls(std::string_view text) {
  std::string result;
  result.reserve(text.size());
  for (std::size_t at = 0; at < text.size();) {
    const auto [code, bytes] = character_at(text, at);
    if (code == not_utf8) {
      result += '?';
    } else if (code != '\n' && steers_terminal(code)) {
      result += ' ';
    } else {
      result += text.substr(at, bytes);
    }
    at += bytes;
  }
  return result;
}

std::string one_line(std::string_view text) {
  std::string line = without_controls(text);
  std::ranges::replace(line, '\n', ' ');
  return line;
}

std::vector<std::string> wrapped(std::string_view text, std::size_t width) {
  std::vector<std::string> lines;
  std::string line;
  for (std::size_t begin = 0; begin < text.size();) {
    const std::size_t end = std::min(text.find(' ', begin), text.size());
    const std::string_view word = text.substr(begin, end - begin);
    begin = end + 1;
    if (word.empty()) continue;
    if (!line.empty() && display_width(line) + 1 + display_width(word) > width) {
      lines.push_back(std::move(line));
      line.clear();
    }
    if (!line.empty()) line += ' ';
    line += word;
  }
  if (!line.empty()) lines.push_back(std::move(line));
  return lines;
}

std::string join(std::span<const std::string> parts, std::string_view separator) {
  std::string text;
  for (const std::string& part : parts) {
    if (&part != parts.data()) text += separator;
    text += part;
  }
  return text;
}

std::string size_in_words(std::uint64_t bytes) {
  struct Unit {
    std::uint64_t bytes;
    std::string_view name;
  };
  constexpr Unit units[] = {{std::uint64_t{1} << 40U, "TiB"}, {1'000'000'000'000, "TB"},
                            {std::uint64_t{1} << 30U, "GiB"}, {1'000'000'000, "GB"},
                            {std::uint64_t{1} << 20U, "MiB"}, {1'000'000, "MB"},
                            {std::uint64_t{1} << 10U, "KiB"}};
  for (const Unit& unit : units) {
    if (bytes >= unit.bytes && bytes % unit.bytes == 0) return fmt::format("{} {}", bytes / unit.bytes, unit.name);
    // Binary fractions like 1.5 GiB; anything else falls through to a smaller unit, at last to bytes.
    if (bytes >= unit.bytes && unit.name.size() == 3 && bytes % (unit.bytes / 4) == 0) {
      return fmt::format("{} {}", trimmed(static_cast<double>(bytes) / static_cast<double>(unit.bytes), 2), unit.name);
    }
  }
  return fmt::format("{} bytes", bytes);
}

std::string decimal_size(double bytes) {
  struct Unit {
    double bytes;
    const char* name;
  };
  constexpr std::array units = {Unit{1e12, "TB"}, Unit{1e9, "GB"}, Unit{1e6, "MB"}, Unit{1e3, "kB"}};
  for (const Unit& unit : units) {
    if (bytes >= unit.bytes) return significant(bytes / unit.bytes, 3) + " " + unit.name;
  }
  return fixed(bytes, 0) + " bytes";
}

int decimals_for(std::span<const double> values, int significant, int maximum) {
  double smallest = 0;
  for (const double value : values) {
    const double magnitude = std::abs(value);
    if (magnitude > 0 && (smallest == 0 || magnitude < smallest)) smallest = magnitude;
  }
  if (smallest == 0) return 0;
  return std::clamp(significant - 1 - static_cast<int>(std::floor(std::log10(smallest))), 0, maximum);
}

std::string fixed(double value, int decimals) { return fmt::format("{:.{}f}", value, decimals); }

std::string trimmed(double value, int decimals) {
  std::string text = fixed(value, decimals);
  if (text.find('.') == std::string::npos) return text;
  text.erase(text.find_last_not_of('0') + 1);
  if (text.back() == '.') text.pop_back();
  return text;
}

TimeUnit time_unit(double seconds) {
  if (seconds < 1e-6) return {"ns", 1e9};
  if (seconds < 1e-3) return {"us", 1e6};
  return seconds < 1 ? TimeUnit{"ms", 1e3} : TimeUnit{"s", 1};
}

std::string counted(std::size_t count, std::string_view noun) {
  return fmt::format("{} {}{}", count, noun, count == 1 ? "" : "s");
}

}  // namespace gpumem::report
