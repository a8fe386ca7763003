#include "app/command_line/shares_and_times.hpp"

#include <fmt/format.h>

#include <charconv>
#include <cmath>
#include <optional>
#include <utility>

#include "probes/error.hpp"

namespace gpumem::app {

namespace {

/// A finite number at the start of the text, which is then what follows it.
std::optional<double> leading_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

}  // namespace

double parse_fraction(std::string_view option, std::string_view text) {
  constexpr double probably_percent = 0.2;
  std::string_view rest = text;
  const auto number = leading_number(rest);
  const bool percent = rest == "%" || rest == " %";
  if (!number || (!rest.empty() && !percent)) {
    throw usage_error(fmt::format("--{}: '{}' is not a share; write it as 0.5% or 0.005", option, text));
  }
  const double fraction = percent ? *number / 100 : *number;
  if (fraction <= 0 || fraction >= 1) {
    throw usage_error(fmt::format("--{}: '{}' is not between 0% and 100%; write it as 0.5% or 0.005", option, text));
  }
  if (!percent && fraction > probably_percent) {
    throw usage_error(fmt::format("--{}: '{}' would be {:g}%; write {}%, or {:g}% if that is meant", option, text,
                                  fraction * 100, text, fraction * 100));
  }
  return fraction;
}

measure::Seconds parse_duration(std::string_view option, std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}};
  std::string_view rest = text;
  if (const auto number = leading_number(rest)) {
    if (*number < 0) throw usage_error(fmt::format("--{}: '{}' is negative; write it as 2s or 500ms", option, text));
    if (*number == 0 && rest.empty()) return measure::Seconds{0};
    for (const auto& [unit, seconds] : units) {
      if (rest == unit) return measure::Seconds{*number * seconds};
    }
    if (rest.empty())
      throw usage_error(fmt::format("--{}: '{}' has no unit; write {}s or {}ms", option, text, text, text));
  }
  throw usage_error(fmt::format("--{}: '{}' is not a time; write it as 2s or 500ms", option, text));
}

}  // namespace gpumem::app
