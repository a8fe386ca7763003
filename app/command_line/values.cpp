#include "app/command_line/values.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <cmath>
#include <limits>
#include <optional>
#include <ranges>
#include <set>
#include <string_view>
#include <utility>

#include "probes/error.hpp"
#include "probes/suggest.hpp"
#include "probes/words.hpp"
#include "report/text/text.hpp"

namespace gpumem::app {

namespace {

using report::join;

using std::string_view;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr string_view digits = "0123456789";

struct SizeUnit {
  string_view suffix;
  std::uint64_t bytes;
};
constexpr std::array size_units = {
    SizeUnit{"KiB", 1ULL << 10U},     SizeUnit{"MiB", 1ULL << 20U},
    SizeUnit{"GiB", 1ULL << 30U},     SizeUnit{"TiB", 1ULL << 40U},
    SizeUnit{"KB", 1'000ULL},         SizeUnit{"MB", 1'000'000ULL},
    SizeUnit{"GB", 1'000'000'000ULL}, SizeUnit{"TB", 1'000'000'000'000ULL},
};

string_view trimmed(string_view text) {
  while (text.starts_with(' ')) text.remove_prefix(1);
  while (text.ends_with(' ')) text.remove_suffix(1);
  return text;
}

/// Reads the values of one axis, item by item of its lists.
class AxisReader {
 public:
  explicit AxisReader(const Axis& axis) : axis_(axis) {}

  void read_list(string_view list) {
    if (trimmed(list).empty()) fail("needs a value, such as {}", example());
    for (const auto part : std::views::split(list, ',')) {
      const string_view item = trimmed({part.begin(), part.end()});
      if (item.empty()) fail("'{}' has a comma without a value beside it", list);
      read_item(item);
    }
  }

  [[nodiscard]] std::vector<Value> take() {
    if (seen_auto_ && values_.size() > 1) fail("'auto' stands alone; leave it out, or the other values");
    return std::move(values_);
  }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> problem, Arguments&&... arguments) const {
    throw usage_error(fmt::format("--{}: ", axis_.flag) + fmt::format(problem, std::forward<Arguments>(arguments)...));
  }

  [[nodiscard]] std::string amount(std::uint64_t value) const {
    return axis_.unit == "bytes" ? size_in_words(value) : std::to_string(value);
  }

  [[nodiscard]] std::string example() const {
    if (!axis_.names.empty()) return join(axis_.names, ",");
    const char* alternative = axis_.takes_auto ? " or auto" : "";
    if (!axis_.numbers.empty()) return fmt::format("{}{}", fmt::join(axis_.numbers, ","), alternative);
    if (axis_.unit == "bytes") return fmt::format("64MiB or 4KiB..1GiB*4{}", alternative);
    return fmt::format("4, 0..32, 0..32:4, 1..1024*2 or 1,2,8{}", alternative);
  }

  void read_item(string_view item) {
    if (axis_.takes_auto && item == "auto") {
      seen_auto_ = true;
      return add(std::string("auto"));
    }
    if (!axis_.names.empty()) return read_name(item);
    const std::size_t dots = item.find("..");
    if (dots != string_view::npos) return read_range(item, trimmed(item.substr(0, dots)), item.substr(dots + 2));
    if (item.find(':') != string_view::npos) fail("'{}' has a step but no range; write it as 0..32:4", item);
    if (item.find('*') != string_view::npos) fail("'{}' has a factor but no range; write it as 1..1024*2", item);
    add_number(number(item, item), item);
  }

  void read_name(string_view item) {
    const std::string name(item);
    if (std::ranges::find(axis_.names, name) == axis_.names.end()) {
      fail("'{}' is not one of {}{}", name, join(axis_.names, ", "), did_you_mean(name, axis_.names));
    }
    add(name);
  }

  void read_range(string_view item, string_view first_text, string_view rest) {
    const std::size_t sign = rest.find_first_of(":*");
    const string_view last_text = trimmed(rest.substr(0, sign));
    if (rest.find("..") != string_view::npos) fail("'{}' has more than one '..'; separate ranges by commas", item);
    if (first_text.empty() && last_text.empty()) fail("'{}' has neither start nor end; write it as 0..32", item);
    if (first_text.empty()) fail("'{}' has no start; write 0{}", item, item);
    if (last_text.empty()) {
      fail("'{}' has no end; write it as {}..{}, or {} for one value", item, first_text, above(first_text), first_text);
    }
    const std::uint64_t first = number(first_text, item);
    const std::uint64_t last = number(last_text, item);
    if (first > last) fail("'{}' runs backwards; write {}..{}", item, last_text, first_text);
    if (sign == string_view::npos) return add_steps(item, first, last, 1);

    const bool multiplies = rest[sign] == '*';
    const string_view by_text = trimmed(rest.substr(sign + 1));
    if (by_text.find_first_of(":*") != string_view::npos) fail("'{}' has more than one step or factor; give one", item);
    if (by_text.empty()) {
      fail("'{}' has no {}; write it as {}", item, multiplies ? "factor" : "step",
           multiplies ? "1..1024*2" : "0..32:4");
    }
    const std::uint64_t by = number(by_text, item);
    if (multiplies) return add_factors(item, first, last, by);
    if (by == 0) fail("'{}' never ends: its step is 0; leave the step out, or make it 1 or more", item);
    add_steps(item, first, last, by);
  }

  void add_steps(string_view item, std::uint64_t first, std::uint64_t last, std::uint64_t step) {
    const std::uint64_t steps = (last - first) / step;
    if (steps >= maximum_points) {
      const std::string points = steps == largest ? "2^64" : std::to_string(steps + 1);
      fail("'{}' is {} points, more than the {} an axis takes; a step helps: {}..{}:{}", item, points, maximum_points,
           first, last, (last - first) / maximum_points + 1);
    }
    for (std::uint64_t i = 0; i <= steps; ++i) add_number(first + i * step, item);
  }

  void add_factors(string_view item, std::uint64_t first, std::uint64_t last, std::uint64_t factor) {
    if (factor < 2) fail("'{}' never ends: its factor is {}; make it 2 or more", item, factor);
    if (first == 0) fail("'{}' never ends: it multiplies 0; start from 1, or list 0 first as in 0,1..32*2", item);
    for (std::uint64_t value = first;; value *= factor) {
      add_number(value, item);
      if (value > last / factor) return;
    }
  }

  /// A number, with a size suffix or without. `item` is what the user wrote around it.
  [[nodiscard]] std::uint64_t number(string_view text, string_view item) const {
    const std::size_t end = std::min(text.find_first_not_of(digits), text.size());
    if (end == 0) refuse_number(text);
    std::uint64_t value = 0;
    const bool overflows = std::from_chars(text.data(), text.data() + end, value).ec != std::errc();
    const string_view suffix = trimmed(text.substr(end));
    std::uint64_t unit = 1;
    if (!suffix.empty()) {
      const auto* const found = std::ranges::find(size_units, suffix, &SizeUnit::suffix);
      if (found == size_units.end()) refuse_suffix(text, suffix);
      unit = found->bytes;
    }
    if (overflows || value > largest / unit) fail("'{}' is too large a number; the largest is {}", item, largest);
    return value * unit;
  }

  [[noreturn]] void refuse_number(string_view text) const {
    if (text.size() > 1 && text[0] == '-' && digits.find(text[1]) != string_view::npos) {
      fail("'{}' is negative; values are whole numbers from {}", text, axis_.minimum);
    }
    const std::vector<std::string> names(axis_.takes_auto ? 1 : 0, "auto");
    fail("'{}' is not a number; write {}{}", text, example(), did_you_mean(text, names));
  }

  [[noreturn]] void refuse_suffix(string_view text, string_view suffix) const {
    if (suffix.front() == '.' || suffix.front() == 'e') fail("'{}' is not a whole number", text);
    if (suffix.front() == '-') fail("'{}' is not a number; a range is written with two dots, as in 0..32", text);
    fail(
        "'{}' ends in '{}', which is no size; use KiB, MiB, GiB, TiB (powers of two) or KB, MB, GB, TB (powers of ten)",
        text, suffix);
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

  /// An end that would suit a range starting at `text`, for an error line.
  [[nodiscard]] static std::string above(string_view text) {
    std::uint64_t value = 0;
    const auto parsed = std::from_chars(text.data(), text.data() + text.size(), value);
    const bool plain = parsed.ec == std::errc() && parsed.ptr == text.data() + text.size() && value < largest / 2;
    return plain ? std::to_string(value < 32 ? 32 : value * 2) : "END";
  }

  const Axis& axis_;
  std::vector<Value> values_;
  std::set<Value> seen_;
  bool seen_auto_ = false;
};

/// A finite number at the start of the text, which is then what follows it.
std::optional<double> leading_number(std::string_view& text) {
  double number = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), number);
  if (error != std::errc() || !std::isfinite(number)) return std::nullopt;
  text.remove_prefix(static_cast<std::size_t>(end - text.data()));
  return number;
}

[[noreturn]] void refuse(std::string_view option, std::string_view text, const std::string& why) {
  throw usage_error(fmt::format("--{}: '{}' {}", option, text, why));
}

}  // namespace

std::vector<Value> parse_axis_values(const Axis& axis, std::span<const std::string> texts) {
  AxisReader reader(axis);
  for (const std::string& text : texts) reader.read_list(text);
  return reader.take();
}

double parse_fraction(std::string_view option, std::string_view text) {
  constexpr double probably_percent = 0.2;
  std::string_view rest = text;
  const auto number = leading_number(rest);
  const bool percent = rest == "%" || rest == " %";
  if (!number || (!rest.empty() && !percent)) refuse(option, text, "is not a share; write it as 0.5% or 0.005");
  const double fraction = percent ? *number / 100 : *number;
  if (fraction <= 0 || fraction >= 1) refuse(option, text, "is not between 0% and 100%; write it as 0.5% or 0.005");
  if (!percent && fraction > probably_percent) {
    refuse(option, text, fmt::format("would be {0:g}%; write {1}%, or {0:g}% if that is meant", fraction * 100, text));
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
  }
  refuse(option, text, "is not a time; write it as 2s or 500ms");
}

}  // namespace gpumem::app
