#include "engine/base/words.hpp"

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

std::string duration_words(double seconds, int digits) {
  constexpr std::array<std::string_view, 4> units = {"s", "ms", "us", "ns"};
  std::size_t unit = 0;
  // A time that the digits round up to the next unit is given in that unit: 999.6 us is 1.0 ms.
  while (unit + 1 < units.size() && std::abs(seconds) < 0.9995) {
    seconds *= 1000;
    ++unit;
  }
  return fmt::format("{} {}", significant(seconds, digits), units[unit]);
}

TimeUnit time_unit(double seconds) {
  if (seconds < 1e-6) return {"ns", 1e9};
  if (seconds < 1e-3) return {"us", 1e6};
  return seconds < 1 ? TimeUnit{"ms", 1e3} : TimeUnit{"s", 1};
}

std::string times_words(double ratio) { return fmt::format("{:.{}f} x", ratio, ratio < 9.995 ? 2 : 0); }

std::string rate_words(double gb_per_s) { return significant(gb_per_s, 3) + " GB/s"; }

bool is_among(std::string_view word, std::string_view words) {
  return fmt::format(" {} ", words).find(fmt::format(" {} ", word)) != std::string::npos;
}

std::string lower(std::string_view text) {
  std::string result(text);
  std::ranges::transform(text, result.begin(),
                         [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; });
  return result;
}

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
