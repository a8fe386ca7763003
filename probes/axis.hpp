#pragma once
// Axes, and the parameters of cases that they vary, by their types. A constant of each parameter says what reports call
// it and what its values are to the probe: numbers, or what its names stand for. The axis is made from the constant,
// and cases are read with it (Case::operator[]), so that what is mistyped does not compile:
//
//   namespace axis { constexpr Choice<Op> op{"op", {"read", "write", "copy"}}; }
//   probe.axes = {axis::op({.flag = "op", .purpose = "what the kernel does"})};
//   const Op op = tested[axis::op];

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <stdexcept>
#include <string>
#include <string_view>
#include <utility>
#include <variant>
#include <vector>

#include "engine/machine/device.hpp"

namespace gpumem {

/// The value of an axis: a non-negative integer or a name. The name "auto" stands for a choice yet to be made.
using Value = std::variant<std::uint64_t, std::string>;
[[nodiscard]] std::string to_string(const Value& value);

/// The words for a parameter: a phrase with its value, and a noun for several values. The value counts the unit, or the
/// label if `counts_label` is set; what it counts is in the singular for 1.
struct Phrase {
  const char* phrase;
  const char* noun;
  bool counts_label = false;
};
inline constexpr Phrase count_phrase{"{value} {label}", "number of {label}", true};  // "copies"
inline constexpr Phrase word_phrase{"{value}-byte words", "{label} size"};           // "word_bytes"

/// One thing a probe can vary. `flag` is what the user types (without dashes), `parameter` the name in reports: made
/// from a typed parameter, the axis has it, and with a Choice its names.
struct Axis {
  std::string flag;
  std::string parameter = {};
  const Phrase* phrase = nullptr;       ///< null: as the name's ending tells (report/text/names.cpp)
  std::string unit = {};                ///< "elements", "bytes", ...; empty for names
  std::string purpose;                  ///< one line: what it varies and why one would
  std::string defaults = {};            ///< in the syntax of the command line: "0..32"; of a Choice all names, if empty
  std::string quick = {};               ///< values in the quick default set; empty: as `defaults`
  std::vector<std::string> names = {};  ///< the names it takes; empty: it takes numbers
  std::vector<std::uint64_t> numbers = {};  ///< the only numbers it takes; empty: any in [minimum, maximum]
  std::uint64_t minimum = 0;
  std::uint64_t maximum = std::uint64_t{1} << 40U;
  bool sizes_case = false;  ///< a smaller value makes a case need less memory
  bool takes_auto = false;
  bool takes_share = false;  ///< of a device's memory: the name "90%" stands for a size that the probe's `size` decides
  /// With it the axis takes the name "all", which stands for these values on a device.
  std::function<std::vector<Value>(const Device&)> all = {};
  bool value_optional = false;  ///< the flag may stand alone, and then means the defaults
  std::string alone = {};       ///< or these values instead
  /// Headings omit this parameter when it is 0 (texts and names: the default), because its value then follows from
  /// another one or is the one that readers expect.
  bool zero_follows = false;
  /// With takes_auto: the values to try at the baseline case, in order of preference; the fastest is held for the whole
  /// sweep. Empty: the probe's `size` decides from the device instead.
  std::vector<std::uint64_t> candidates = {};
  /// For an axis that takes text of its own kind. Returns the values that one use of the flag stands for, at least one.
  /// Throws a usage error that begins with "--flag: ".
  std::function<std::vector<std::string>(std::string_view text)> texts = {};
  std::string takes = {};  ///< what that text is, in words: "expressions of i"

  [[nodiscard]] bool takes_numbers() const { return names.empty() && !texts; }
  [[nodiscard]] bool takes_range() const { return takes_numbers() && numbers.empty(); }
};

/// A parameter, by its name in reports.
struct TypedParameter {
  const char* name;
  const Phrase* phrase;

  explicit constexpr TypedParameter(const char* in_reports, const Phrase* said = nullptr)
      : name(in_reports), phrase(said) {}
  constexpr operator std::string_view() const { return name; }  // NOLINT(google-explicit-constructor): it is a name

  /// The axis that varies it.
  [[nodiscard]] Axis operator()(Axis axis) const {
    axis.parameter = name;
    axis.phrase = phrase;
    return axis;
  }
};

/// A parameter that takes numbers.
template <class T = std::uint64_t>
struct Number : TypedParameter {
  using Type = T;

  explicit constexpr Number(const char* in_reports, const Phrase* said = nullptr) : TypedParameter(in_reports, said) {}
};

/// A parameter that takes the bytes that a case works on.
struct Size : Number<> {
  using Number::Number;

  [[nodiscard]] Axis operator()(Axis axis) const {
    axis.unit = "bytes";
    axis.sizes_case = true;
    return Number::operator()(std::move(axis));
  }
};

/// A parameter that takes text.
struct Text : TypedParameter {
  using Type = std::string;

  using TypedParameter::TypedParameter;
};

/// A parameter that takes names, each of which stands for a value.
template <class T>
class Choice : public TypedParameter {
 public:
  using Type = T;

  struct Option {
    std::string_view name;
    T value;
  };
  template <std::size_t count>
  constexpr Choice(const char* in_reports, const Option (&options)[count]) : TypedParameter(in_reports), count_(count) {
    static_assert(count <= most);
    for (std::size_t i = 0; i < count; ++i) options_[i] = options[i];
  }
  /// A choice among all values of an enumeration. The names are in its order.
  template <std::size_t count>
  constexpr Choice(const char* in_reports, const char* const (&names)[count])
      : TypedParameter(in_reports), count_(count) {
    static_assert(count <= most);
    for (std::size_t i = 0; i < count; ++i) options_[i] = {names[i], static_cast<T>(i)};
  }

  [[nodiscard]] Axis operator()(Axis axis) const {
    axis.names = names();
    if (axis.defaults.empty()) {
      for (const std::string& each : axis.names) axis.defaults += (axis.defaults.empty() ? "" : ",") + each;
    }
    return TypedParameter::operator()(std::move(axis));
  }
  [[nodiscard]] std::vector<std::string> names() const {
    std::vector<std::string> all;
    for (const Option& option : options()) all.emplace_back(option.name);
    return all;
  }
  /// Both throw std::logic_error if there is none.
  [[nodiscard]] const T& value_of(std::string_view option) const { return find(option, &Option::name).value; }
  [[nodiscard]] std::string name_of(const T& value) const { return std::string(find(value, &Option::value).name); }

 private:
  [[nodiscard]] std::span<const Option> options() const { return std::span(options_).first(count_); }
  template <class Sought, class Member>
  [[nodiscard]] const Option& find(const Sought& sought, Member member) const {
    const auto found = std::ranges::find(options(), sought, member);
    if (found == options().end()) throw std::logic_error("there is no such value of " + std::string(name));
    return *found;
  }

  static constexpr std::size_t most = 16;

  std::array<Option, most> options_{};
  std::size_t count_;
};

}  // namespace gpumem
