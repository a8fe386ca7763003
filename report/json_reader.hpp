#pragma once
// Reading JSON that anybody may have written: every complaint is one line with the source, the JSON pointer and what
// was expected there.

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gpumem::report {

using Json = nlohmann::ordered_json;  // keeps the order of parameters and metrics

/// Text as JSON. Throws a usage error for text that is none (with line and column), for numbers that no double holds,
/// and for nesting beyond what a report needs: the library copies what an object holds recursively, so nesting without
/// end would exhaust the stack.
[[nodiscard]] Json parse_json(std::string_view text, const std::string& source);

/// A value of a JSON text and where it stands. Refers to the value and to the source's name.
class JsonReader {
 public:
  JsonReader(const Json& value, const std::string& source) : JsonReader(value, source, "") {}

  [[nodiscard]] bool is_null() const { return value_->is_null(); }
  [[nodiscard]] bool is_text() const { return value_->is_string(); }

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
  [[nodiscard]] std::uint64_t whole(std::uint64_t most = std::numeric_limits<std::uint64_t>::max()) const;
  [[nodiscard]] unsigned small_whole() const {
    return static_cast<unsigned>(whole(std::numeric_limits<unsigned>::max()));
  }

  /// null is absent.
  [[nodiscard]] std::optional<std::string> text_or_null() const;
  [[nodiscard]] std::optional<bool> boolean_or_null() const;
  [[nodiscard]] std::optional<double> number_or_null() const;

  [[nodiscard]] std::vector<std::string> texts() const;

  /// Throws the usage error "SOURCE: POINTER: expected ...".
  [[noreturn]] void fail(const std::string& expected) const;

 private:
  JsonReader(const Json& value, const std::string& source, std::string pointer)
      : value_(&value), source_(&source), pointer_(std::move(pointer)) {}
  [[nodiscard]] const Json& object() const;

  const Json* value_;
  const std::string* source_;
  std::string pointer_;
};

struct JsonReader::Named {
  std::string name;
  JsonReader value;
};

}  // namespace gpumem::report
