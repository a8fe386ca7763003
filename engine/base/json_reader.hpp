#pragma once
// Reading JSON that anybody may have written: every complaint is one line with the source, the JSON pointer and what
// was expected there. The library that parses is for its sources alone: including it takes seconds to compile.

#include <cstdint>
#include <limits>
#include <memory>
#include <nlohmann/json_fwd.hpp>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem {

using Json = nlohmann::ordered_json;  // keeps the order of parameters and metrics

/// Text as JSON, strictly. Throws a usage error for text that is none (with line and column), for numbers that no
/// double holds, for a repeated member, of which other parsers take the last and say nothing, and for more levels or
/// members of an object than any file of ours has: nesting without end would exhaust the stack, and members without end
/// the time, for a member is looked up among those before it.
/// Arrays that are members of a name in `emptied` are read as strictly, and then kept without their items: of many
/// files, only what is asked of them has to fit in memory.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& source,
                              std::span<const std::string_view> emptied = {});

/// No quantity is so far from one that a product of several would leave what a double holds: what was computed from
/// numbers that somebody wrote has to be finite too. 0 is moderate, and so is either sign.
inline constexpr double smallest_number = 1e-60;
inline constexpr double largest_number = 1e60;
[[nodiscard]] bool is_moderate(double value);

/// A value of a JSON text and where it stands. Refers to the value and to the source's name.
class JsonReader {
 public:
  JsonReader(const Json& root, const std::string& source) : value_(&root), root_(&root), source_(&source) {}

  [[nodiscard]] bool is_null() const;
  [[nodiscard]] bool is_text() const;
  [[nodiscard]] bool is_number() const;
  [[nodiscard]] bool is_object() const;
  [[nodiscard]] bool is_array() const;

  /// A member of an object. Throws when it is missing.
  [[nodiscard]] JsonReader member(std::string_view name) const;
  /// A member that is there and not null.
  [[nodiscard]] std::optional<JsonReader> find(std::string_view name) const;
  [[nodiscard]] bool has(std::string_view name) const;

  struct Named;
  [[nodiscard]] std::vector<Named> members() const;
  [[nodiscard]] std::vector<JsonReader> items() const;

  [[nodiscard]] std::string text() const;
  [[nodiscard]] bool boolean() const;
  [[nodiscard]] double number() const;
  [[nodiscard]] double number_from(double least, double most) const;
  /// As is_moderate() takes it.
  [[nodiscard]] double moderate_number() const;
  [[nodiscard]] std::uint64_t whole(std::uint64_t least = 0,
                                    std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] unsigned small_whole(unsigned least = 0) const {
    return static_cast<unsigned>(whole(least, std::numeric_limits<unsigned>::max()));
  }

  /// null is absent.
  [[nodiscard]] std::optional<std::string> text_or_null() const;
  [[nodiscard]] std::optional<bool> boolean_or_null() const;
  [[nodiscard]] std::optional<double> number_or_null() const;

  [[nodiscard]] std::vector<std::string> texts() const;

  /// Throws for a member of another name, with the nearest of these where one is near.
  void allow_only(const std::vector<std::string>& names) const;

  /// Throws the usage error "SOURCE: POINTER: what is wrong".
  [[noreturn]] void refuse(const std::string& wrong) const;
  /// Throws the usage error "SOURCE: POINTER: expected ...".
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  JsonReader(const Json& value, const JsonReader& around)
      : value_(&value), root_(around.root_), source_(around.source_) {}
  [[nodiscard]] const Json& object() const;
  [[nodiscard]] const Json* value_of(std::string_view name) const;  ///< null if there is no such member
  [[nodiscard]] std::string pointer() const;

  const Json* value_;
  const Json* root_;  ///< of the text that the value is a part of
  const std::string* source_;
};

struct JsonReader::Named {
  std::string name;
  JsonReader value;
};

/// A text that is read as JSON, as parse_json does, which throws what this does. Readers refer to it.
class JsonText {
 public:
  JsonText(std::string_view text, std::string source, std::span<const std::string_view> emptied = {});

  [[nodiscard]] JsonReader root() const { return {*value_, source_}; }

 private:
  std::string source_;
  std::shared_ptr<const Json> value_;  // of a type that its destructor need not know
};

}  // namespace gpumem
