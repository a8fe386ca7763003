#include "app/command_line/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <optional>
#include <set>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

using std::string_view;

/// Removes a finite number from the start of the text and returns it; nullopt if there is none.
std::optional<double> leading_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

/// Reads the values of one axis, item by item of its lists.
class AxisReader {
 public:
  explicit AxisReader(const Axis& axis)
      : axis_(axis), place_{fmt::format("--{}: ", axis.flag), "an axis", example(), axis.minimum, words()} {}

  void read_list(string_view list) {
    if (axis_.texts && !(axis_.takes_auto && list == "auto")) {
      for (std::string& text : axis_.texts(list)) add(std::move(text));
      return;
    }
    for (const string_view item : list_items(list, place_)) read_item(item);
  }

  [[nodiscard]] std::vector<Value> take() {
    if (alone_ != nullptr && values_.size() > 1) {
      fail("'{}' stands alone; leave it out, or the other values", alone_);
    }
    return std::move(values_);
  }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> problem, Arguments&&... arguments) const {
    throw usage_error(place_.where + fmt::format(problem, std::forward<Arguments>(arguments)...));
  }

  [[nodiscard]] std::string amount(std::uint64_t value) const {
    return axis_.unit == "bytes" ? size_in_words(value) : std::to_string(value);
  }

  [[nodiscard]] std::string example() const {
    if (!axis_.names.empty()) return join(axis_.names, ",");
    const char* alternative = axis_.takes_auto ? " or auto" : "";
    if (!axis_.numbers.empty()) return fmt::format("{}{}", fmt::join(axis_.numbers, ","), alternative);
    if (axis_.takes_share) return fmt::format("64MiB, 4KiB..1GiB*4, 90%{}", alternative);
    if (axis_.unit == "bytes") return fmt::format("64MiB or 4KiB..1GiB*4{}", alternative);
    return fmt::format("4, 0..32, 0..32:4, 1..1024*2 or 1,2,8{}", alternative);
  }

  [[nodiscard]] std::vector<std::string> words() const {
    std::vector<std::string> words;
    if (axis_.takes_auto) words.emplace_back("auto");
    if (axis_.all) words.emplace_back("all");
    return words;
  }

  void read_item(string_view item) {
    if (axis_.takes_auto && item == "auto") return add_alone("auto");
    if (axis_.all && item == "all") return add_alone("all");
    if (!axis_.names.empty()) return read_name(item);
    if (axis_.unit == "bytes" && item.ends_with('%')) return read_share(item);
    if (axis_.takes_share) refuse_fraction(item);
    read_range(item, place_, [&](std::uint64_t value) { add_number(value, item); });
  }

  /// Adds a word that stands for values that are not known yet.
  void add_alone(const char* name) {
    alone_ = name;
    add(std::string(name));
  }

  void read_share(string_view item) {
    if (!axis_.takes_share) {
      fail("'{}' is a share of the GPU's memory, and only --buffer takes one; write a size such as 64MiB", item);
    }
    string_view rest = item;
    const auto percent = leading_number(rest);
    if (!percent || (rest != "%" && rest != " %") || !(*percent > 0 && *percent <= 100)) {
      fail("'{}' is no share of the GPU's memory; write more than 0% and at most 100%, such as 90%", item);
    }
    add(fmt::format("{}%", *percent));
  }

  /// 0.9 is probably 90% of the memory.
  void refuse_fraction(string_view item) {
    string_view rest = item;
    const auto number = leading_number(rest);
    if (!number || !rest.empty() || !(*number > 0 && *number < 1)) return;
    fail("'{}' is not a whole number; for a share of the GPU's memory write {:g}%", item, *number * 100);
  }

  void read_name(string_view item) {
    const std::string name(item);
    if (std::ranges::find(axis_.names, name) == axis_.names.end()) {
      const std::string other = name == "load" ? "read" : name == "store" ? "write" : name;
      fail("'{}' is not one of {}{}", name, join(axis_.names, ", "), did_you_mean(other, axis_.names));
    }
    add(name);
  }

  void add_number(std::uint64_t value, string_view item) {
    const std::string where = item == std::to_string(value) ? "" : fmt::format(" (in '{}')", item);
    if (!axis_.numbers.empty() && std::ranges::find(axis_.numbers, value) == axis_.numbers.end()) {
      fail("{} is not one of {}{}", value, fmt::join(axis_.numbers, ", "), where);
    }
    if (value < axis_.minimum) fail("{} is below the minimum of {}{}", value, axis_.minimum, where);
    if (value > axis_.maximum) fail("{} is above the maximum of {}{}", amount(value), amount(axis_.maximum), where);
    add(value);
  }

  void add(Value value) {
    if (!seen_.insert(value).second) return;
    if (seen_.size() > maximum_points)
      fail("its lists add up to more than the {} points an axis takes", maximum_points);
    values_.push_back(std::move(value));
  }

  const Axis& axis_;
  RangePlace place_;
  std::vector<Value> values_;
  std::set<Value> seen_;
  const char* alone_ = nullptr;  ///< the one of these names that was seen
};

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& why) {
  throw usage_error(fmt::format("--{}: '{}' {}", option, text, why));
}

/// Returns the percentage that "0,5 %", "3 percent" or "3pct" means, as it has to be written: "0.5%"; empty if the text
/// means none.
std::string meant_percent(std::string_view text) {
  std::string point(text);
  std::ranges::replace(point, ',', '.');
  std::string_view rest = point;
  const auto number = leading_number(rest);
  const std::size_t behind = std::min(rest.find_first_not_of(' '), rest.size());
  const std::string_view unit = rest.substr(behind);
  const bool meant = number && *number > 0 && (unit.empty() || unit.starts_with('%') || unit.starts_with('p'));
  return meant ? fmt::format("{:g}%", *number) : "";
}

}  // namespace

std::vector<Value> parse_axis_values(const Axis& axis, std::span<const std::string> texts) {
  AxisReader reader(axis);
  for (const std::string& text : texts) reader.read_list(text);
  return reader.take();
}

double parse_fraction(std::string_view option, std::string_view text, double below) {
  constexpr double probably_percent = 0.2;
  constexpr const char* example = "is not a share; write it as 0.5% or 0.005";
  const auto is_within = [&](double fraction) { return fraction > 0 && fraction < below; };
  std::string_view rest = text;
  const auto number = leading_number(rest);
  if (!number) refuse(option, text, example);
  const bool percent = rest == "%" || rest == " %";
  const std::string as_percent = fmt::format("{:g}%", std::abs(*number));
  if (!rest.empty() && !percent) {
    const std::string meant = meant_percent(text);
    refuse(option, text, meant.empty() ? example : "is not a share; write " + meant);
  }
  const double fraction = percent ? *number / 100 : *number;
  if (!percent && fraction > probably_percent && is_within(*number / 100)) {
    refuse(option, text,
           is_within(fraction) ? fmt::format("would be {:g}%; write {}, or {:g}% if that is meant", fraction * 100,
                                             as_percent, fraction * 100)
                               : fmt::format("would be {:g}%; write {}", fraction * 100, as_percent));
  }
  if (!is_within(fraction)) {
    const std::string range = std::isinf(below) ? "more than 0%" : fmt::format("between 0% and {:g}%", below * 100);
    const bool only_sign = *number < 0 && is_within(std::abs(*number) / 100);
    refuse(option, text, "is not " + range + "; write it as " + (only_sign ? as_percent : "0.5% or 0.005"));
  }
  return fraction;
}

measure::Seconds parse_duration(std::string_view option, std::string_view text) {
  constexpr std::pair<std::string_view, double> units[] = {{"s", 1}, {"ms", 1e-3}, {"us", 1e-6}, {"min", 60}};
  std::string_view rest = text;
  if (const auto number = leading_number(rest)) {
    if (*number < 0) refuse(option, text, "is negative; write it as 2s or 500ms");
    if (*number == 0 && rest.empty()) return measure::Seconds{0};
    for (const auto& [unit, seconds] : units) {
      if (rest == unit) return measure::Seconds{*number * seconds};
    }
    if (rest.empty()) refuse(option, text, fmt::format("has no unit; write {0}s or {0}ms", text));
    if (rest == "m") refuse(option, text, fmt::format("has an unclear unit; write {0}min or {0}ms", *number));
    if (rest.starts_with("h")) refuse(option, text, fmt::format("has no known unit; write {}min", *number * 60));
    const auto near = std::ranges::find_if(units, [&](const auto& unit) { return rest.substr(0, 1) == unit.first; });
    if (near != std::end(units)) refuse(option, text, fmt::format("has no known unit; write {}s", *number));
  }
  refuse(option, text, "is not a time; write it as 2s or 500ms");
}

std::uint64_t parse_count(std::string_view option, std::string_view things, std::string_view text) {
  std::uint64_t count = 0;
  const auto [end, failed] = std::from_chars(text.data(), text.data() + text.size(), count);
  if (failed != std::errc() || end != text.data() + text.size()) {
    throw usage_error(fmt::format("--{}: '{}' is no number of {}; give one such as 3", option, text, things));
  }
  return count;
}

}  // namespace gpumem::app
