#include "probes/words.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdlib>

namespace gpumem {

std::string size_text(std::uint64_t bytes) {
  constexpr std::array<std::string_view, 5> units = {"bytes", "KiB", "MiB", "GiB", "TiB"};
  auto value = static_cast<double>(bytes);
  std::size_t unit = 0;
  const auto tenths = [&] { return std::round(value * 10) / 10; };
  while (tenths() >= 1024 && unit + 1 < units.size()) {  // what rounds up to the next unit is said in it
    value /= 1024;
    ++unit;
  }
  return fmt::format("{} {}", tenths(), units[unit]);
}

std::pair<std::string, std::string> sizes_apart(std::uint64_t one_bytes, std::uint64_t other_bytes) {
  std::pair texts(size_text(one_bytes), size_text(other_bytes));
  if (texts.first == texts.second) texts = {fmt::format("{} bytes", one_bytes), fmt::format("{} bytes", other_bytes)};
  return texts;
}

std::string significant(double value, int digits) {
  constexpr double readable = 1e9;
  if (value == 0) return "0";
  if (!(std::abs(value) < readable)) return fmt::format("{:.{}g}", value, digits);
  // Rounded first, for 9.96 rounds to one more digit: 10, not 10.0.
  const double rounded = std::strtod(fmt::format("{:.{}e}", value, digits - 1).c_str(), nullptr);
  const int decimals = digits - 1 - static_cast<int>(std::floor(std::log10(std::abs(rounded))));
  return fmt::format("{:.{}f}", value, std::clamp(decimals, 0, 9));
}

std::string duration_words(double seconds, int digits) {
  constexpr std::array<std::string_view, 4> units = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  // What the digits would round up to the next unit is said in it: 0.9996 ms is 1.0 ms.
  while (unit + 1 < units.size() && std::abs(seconds) < 0.9995) {
    seconds *= 1000;
    ++unit;
  }
  return fmt::format("{} {}", significant(seconds, digits), units[unit]);
}

std::string times_words(double ratio) { return fmt::format("{:.{}f} x", ratio, ratio < 9.995 ? 2 : 0); }

std::string capitalised(std::string_view text) {
  std::string result(text);
  if (!result.empty() && result[0] >= 'a' && result[0] <= 'z') result[0] = static_cast<char>(result[0] - 'a' + 'A');
  return result;
}

std::string join_in_words(std::span<const std::string> parts) {
  std::string text;
  for (std::size_t i = 0; i < parts.size(); ++i) {
    if (i > 0) text += i + 1 == parts.size() ? " and " : ", ";
    text += parts[i];
  }
  return text;
}

std::string paragraph(std::span<const std::string> sentences) {
  std::string text;
  for (const std::string& sentence : sentences) {
    if (!text.empty() && !sentence.empty()) text += ' ';
    text += sentence;
  }
  return text;
}

}  // namespace gpumem
