#include "engine/base/ranges.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <limits>
#include <ranges>
#include <utility>

#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"
#include "engine/base/words.hpp"

namespace gpumem {

namespace {

using std::string_view;

constexpr std::uint64_t largest = std::numeric_limits<std::uint64_t>::max();
constexpr string_view digits = "0123456789";
constexpr string_view hexadecimal_digits = "0123456789abcdefABCDEF";

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

/// Takes these characters off the beginning of a text.
string_view leading(string_view& text, string_view characters) {
  const string_view found = text.substr(0, text.find_first_not_of(characters));
  text.remove_prefix(found.size());
  return found;
}

bool begins_with_digit_behind(string_view text, char mark) {
  return text.size() > 1 && text[0] == mark && digits.find(text[1]) != string_view::npos;
}

/// As written, or more than any number has digits.
std::int64_t exponent(string_view text) {
  std::int64_t value = 0;
  const bool fits = std::from_chars(text.data(), text.data() + text.size(), value).ec == std::errc();
  return fits ? std::min<std::int64_t>(value, 100) : 100;
}

bool same_letters(string_view left, string_view right) {
  const auto lower = [](char c) { return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c; };
  return std::ranges::equal(left, right, {}, lower, lower);
}

/// Returns true if a number ends in a unit: "4KiB", but not "1e6" or "0x1f".
bool has_unit(string_view text) {
  if (text.starts_with("0x") || text.starts_with("0X")) return false;
  return std::ranges::any_of(text, [](char c) { return (c >= 'a' && c <= 'z' && c != 'e') || (c >= 'A' && c <= 'Z'); });
}

std::string size_word(std::uint64_t bytes) {
  std::string word = size_in_words(bytes);
  std::erase(word, ' ');
  return word;
}

/// A range of steps, in the words that somebody wrote it with.
struct SteppedRange {
  string_view first_text;
  string_view last_text;
  string_view step_text;  ///< empty: there is none
  std::uint64_t first = 0;
  std::uint64_t last = 0;
  std::uint64_t step = 1;

  [[nodiscard]] std::uint64_t steps() const { return (last - first) / step; }
  [[nodiscard]] bool of_sizes() const { return has_unit(first_text) || has_unit(last_text) || has_unit(step_text); }
};

/// The least of 1, 2, 5, 10, 20, ..., or of bytes of 1, 2, 4, 8, ..., that is at least so much; 0: none.
std::uint64_t rounded_up(std::uint64_t least, bool bytes) {
  std::uint64_t value = 1;
  for (std::size_t i = 1; value < least; ++i) {
    if (value > largest / 4) return 0;
    value = bytes || i % 3 != 2 ? 2 * value : value / 2 * 5;
  }
  return value;
}

/// The range with as many of its values as `points`, or fewer.
std::vector<std::string> thinner(const SteppedRange& range, std::uint64_t points) {
  constexpr std::uint64_t factor_of_sizes = 4;
  const auto factor_suits = [&](std::uint64_t factor) {
    std::uint64_t values = 1;
    for (std::uint64_t value = range.first; value > 0 && value <= range.last / factor; value *= factor) ++values;
    return range.first > 0 && range.step_text.empty() && values <= points;
  };
  const std::string ends = fmt::format("{}..{}", range.first_text, range.last_text);
  const bool sizes = range.of_sizes();
  if (sizes && factor_suits(factor_of_sizes)) return {fmt::format("{}*{}", ends, factor_of_sizes)};
  std::vector<std::string> forms;
  const std::uint64_t times = rounded_up(range.steps() / points + 1, sizes);
  if (times > 0 && times <= largest / range.step) {
    const std::uint64_t step = range.step * times;
    forms.push_back(fmt::format("{}:{}", ends, sizes ? size_word(step) : std::to_string(step)));
  }
  if (!sizes && factor_suits(2)) forms.push_back(ends + "*2");
  return forms;
}

class RangeReader {
 public:
  RangeReader(const RangePlace& place, const std::function<void(std::uint64_t)>& add) : place_(place), add_(add) {}

  void read(string_view item) {
    const std::size_t dots = item.find("..");
    if (dots != string_view::npos) return read_range(item, trimmed(item.substr(0, dots)), item.substr(dots + 2));
    if (item.find(':') != string_view::npos) refuse_colons(item);
    if (item.find('*') != string_view::npos) fail("'{}' has a factor but no range; write it as 1..1024*2", item);
    add_(number(item, item));
  }

  /// The last range of steps that was read.
  [[nodiscard]] const std::optional<SteppedRange>& range() const { return range_; }

 private:
  template <class... Arguments>
  [[noreturn]] void fail(fmt::format_string<Arguments...> problem, Arguments&&... arguments) const {
    throw usage_error(place_.where + fmt::format(problem, std::forward<Arguments>(arguments)...));
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
    SteppedRange range{.first_text = first_text, .last_text = last_text, .step_text = {}, .first = first, .last = last};
    if (sign == string_view::npos) return add_steps(item, range);

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
    range.step = by;
    range.step_text = by_text;
    add_steps(item, range);
  }

  void add_steps(string_view item, const SteppedRange& range) {
    range_ = range;
    const std::uint64_t steps = range.steps();
    if (steps >= maximum_points) {
      const std::string count = steps == largest ? "2^64" : std::to_string(steps + 1);
      fail("'{}' is {} points, more than the {} {} takes; write {}", item, count, maximum_points, place_.taker,
           fmt::join(thinner(range, maximum_points), " or "));
    }
    for (std::uint64_t i = 0; i <= steps; ++i) add_(range.first + i * range.step);
  }

  void add_factors(string_view item, std::uint64_t first, std::uint64_t last, std::uint64_t factor) {
    if (factor < 2) fail("'{}' never ends: its factor is {}; make it 2 or more", item, factor);
    if (first == 0) {
      const string_view rest = item.substr(item.find("..") + 2);
      fail("'{0}' never ends: it multiplies 0; write 1..{1}, or with the 0 as well 0,1..{1}", item, trimmed(rest));
    }
    for (std::uint64_t value = first;; value *= factor) {
      add_(value);
      if (value > last / factor) return;
    }
  }

  /// A number, with a size suffix or without. `item` is what the user wrote around it.
  [[nodiscard]] std::uint64_t number(string_view text, string_view item) const {
    string_view rest = text;
    const bool hexadecimal = text.starts_with("0x") || text.starts_with("0X");
    if (hexadecimal) rest.remove_prefix(2);
    std::string all(leading(rest, hexadecimal ? hexadecimal_digits : digits));
    if (all.empty()) refuse_number(text);
    std::int64_t tens = 0;
    if (!hexadecimal && begins_with_digit_behind(rest, '.')) {
      rest.remove_prefix(1);
      const string_view decimals = leading(rest, digits);
      all += decimals;
      tens = -static_cast<std::int64_t>(decimals.size());
    }
    if (!hexadecimal && begins_with_digit_behind(rest, 'e')) {
      rest.remove_prefix(1);
      tens += exponent(leading(rest, digits));
    }
    std::uint64_t value = 0;
    bool fits = std::from_chars(all.data(), all.data() + all.size(), value, hexadecimal ? 16 : 10).ec == std::errc();
    const auto multiply = [&](std::uint64_t by) {
      fits = fits && value <= largest / by;
      value *= by;
    };
    multiply(unit_of(text, trimmed(rest)));
    for (; tens > 0 && fits && value > 0; --tens) multiply(10);
    if (!fits) fail("'{}' is too large a number; the largest is {}", item, largest);
    for (; tens < 0; ++tens) {
      if (value % 10 != 0) fail("'{}' is not a whole number{}", text, rest.empty() ? "" : " of bytes");
      value /= 10;
    }
    return value;
  }

  /// The bytes of a size suffix; 1 of none.
  [[nodiscard]] std::uint64_t unit_of(string_view text, string_view suffix) const {
    if (suffix.empty()) return 1;
    const auto is_called = [&](const SizeUnit& unit) {
      const bool binary = unit.suffix[1] == 'i';  // the i says enough
      return same_letters(suffix, unit.suffix) || (binary && same_letters(suffix, unit.suffix.substr(0, 2)));
    };
    const auto* const found = std::ranges::find_if(size_units, is_called);
    if (found == size_units.end()) refuse_suffix(text, suffix);
    return found->bytes;
  }

  [[noreturn]] void refuse_number(string_view text) const {
    if (text.size() > 1 && text[0] == '-' && digits.find(text[1]) != string_view::npos) {
      fail("'{}' is negative; values are whole numbers from {}", text, place_.minimum);
    }
    fail("'{}' is not a number; write {}{}", text, place_.example, did_you_mean(text, place_.words));
  }

  [[noreturn]] void refuse_suffix(string_view text, string_view suffix) const {
    if (suffix.front() == '.' || suffix.front() == 'e') fail("'{}' is not a whole number", text);
    const string_view before = trimmed(text.substr(0, text.size() - suffix.size()));
    if (suffix.front() == '-') {
      fail("'{}' is not a number; a range is written with two dots: {}..{}", text, before, suffix.substr(1));
    }
    for (const SizeUnit& unit : size_units) {
      if (!same_letters(suffix, unit.suffix.substr(0, 1))) continue;
      const char letter = unit.suffix.front();
      fail("'{0}' may be {1}{2}iB, by powers of two, or {1}{2}B, by powers of ten; write one of them", text, before,
           letter);
    }
    fail(
        "'{}' ends in '{}', which is no size; use KiB, MiB, GiB, TiB (powers of two) or KB, MB, GB, TB (powers of ten)",
        text, suffix);
  }

  /// For what other languages write as first:last or first:last:step.
  [[noreturn]] void refuse_colons(string_view item) const {
    const std::size_t colon = item.find(':');
    const string_view first = trimmed(item.substr(0, colon));
    const string_view rest = trimmed(item.substr(colon + 1));
    if (first.empty() || rest.empty() || rest.front() == ':') {
      fail("'{}' has a step but no range; write it as 0..32:4", item);
    }
    fail("'{}' has no '..'; a range, with its last value, is {}..{}", item, first, rest);
  }

  /// An end that would suit a range starting at `text`, for an error line.
  [[nodiscard]] std::string above(string_view text) const {
    constexpr std::uint64_t least = 32;
    const std::uint64_t value = number(text, text);
    if (value > largest / 1024) return "END";
    return has_unit(text) ? size_word(1024 * value) + "*4" : std::to_string(std::max(least, 2 * value));
  }

  const RangePlace& place_;
  const std::function<void(std::uint64_t)>& add_;
  std::optional<SteppedRange> range_;
};

}  // namespace

std::vector<string_view> list_items(string_view list, const RangePlace& place) {
  if (trimmed(list).empty()) throw usage_error(fmt::format("{}needs a value, such as {}", place.where, place.example));
  std::vector<string_view> items;
  for (const auto part : std::views::split(list, ',')) {
    items.push_back(trimmed({part.begin(), part.end()}));
    if (items.back().empty()) {
      throw usage_error(fmt::format("{}'{}' has a comma without a value beside it", place.where, list));
    }
  }
  return items;
}

void read_range(string_view item, const RangePlace& place, const std::function<void(std::uint64_t)>& add) {
  RangeReader(place, add).read(item);
}

std::optional<std::string> thinned(std::string_view item, std::uint64_t points) {
  const RangePlace nowhere;
  const std::function<void(std::uint64_t)> ignore = [](std::uint64_t) {};
  RangeReader reader(nowhere, ignore);
  reader.read(item);
  if (!reader.range() || points == 0) return std::nullopt;
  std::vector<std::string> forms = thinner(*reader.range(), points);
  return forms.empty() ? std::nullopt : std::optional(std::move(forms.front()));
}

}  // namespace gpumem
