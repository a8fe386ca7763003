#include "engine/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/suggest.hpp"

namespace gpumem {

namespace {

constexpr std::size_t most_levels = 16;          // a report is 6 deep
constexpr std::size_t most_members = 1000;       // of one object; a profile has some 50 rates
constexpr std::size_t most_values = 20'000'000;  // in all; a report of 100 000 cases has less, and they fit in memory
constexpr std::size_t longest_name = 100;        // that is quoted in full

bool is_plain(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_' || c == '-';
}

/// Returns the part of a JSON pointer for a member: "/name". Control characters are escaped as in JSON, so that a
/// message stays one line whatever a file calls its members.
std::string pointer_to(std::string_view name) {
  if (name.size() > longest_name) return pointer_to(name.substr(0, longest_name)) + "...";
  // Nearly all of them: escaping what needs no escape takes longer than reading the report.
  if (std::ranges::all_of(name, is_plain)) return "/" + std::string(name);
  const Json pointer = (Json::json_pointer() / std::string(name)).to_string();
  const std::string quoted = pointer.dump(-1, ' ', true, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

Error error_at(const std::string& source, const std::string& pointer, const std::string& wrong) {
  return usage_error(fmt::format("{}: {}: {}", source, pointer.empty() ? "/" : pointer, wrong));
}

/// Builds the value that the parser reads, and keeps track of the position in it for error messages.
class Builder {  // NOLINT(cppcoreguidelines-special-member-functions): has only what the library calls
 public:
  Builder(std::string_view text, const std::string& source, std::span<const std::string_view> emptied)
      : text_(text), source_(source), emptied_(emptied) {}

  [[nodiscard]] Json take() { return std::move(root_); }

  bool null() { return put(nullptr); }
  bool boolean(bool value) { return put(value); }
  bool number_integer(Json::number_integer_t value) { return put(value); }
  bool number_unsigned(Json::number_unsigned_t value) { return put(value); }
  bool number_float(Json::number_float_t value, const std::string& /*as_written*/) { return put(value); }
  bool string(std::string& value) { return put(std::move(value)); }
  bool binary(Json::binary_t& /*JSON has none*/) { return false; }

  bool start_object(std::size_t /*unknown in advance*/) { return open(Json::object()); }
  bool end_object() { return close(); }
  bool start_array(std::size_t /*unknown in advance*/) { return open(Json::array()); }
  bool end_array() { return close(); }

  bool key(std::string& name) {
    Level& level = levels_.back();
    level.name = name;
    Json& object = *level.value;
    if (object.contains(name)) throw error_at(source_, pointer(), "expected this member only once");
    if (object.size() == most_members) {
      throw error_at(source_, pointer(), fmt::format("expected at most {} members in an object", most_members));
    }
    level.member = &object[name];
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const Json::exception& error) {
    constexpr int number_out_of_range = 406;
    if (error.id == number_out_of_range) {
      step_into_item();
      throw error_at(source_, pointer(), "expected a number that fits a double");
    }
    const std::string foreign = foreign_text(text_, source_);
    if (!foreign.empty()) throw usage_error(fmt::format("{}: is {}", source_, foreign));
    // The byte counts from 1, and is one past the text when that ends too early.
    const std::string_view before = text_.substr(0, std::max<std::size_t>(std::min(byte, text_.size() + 1), 1) - 1);
    throw usage_error(fmt::format("{}: not valid JSON at line {}, column {}{}", source_,
                                  std::ranges::count(before, '\n') + 1, before.size() - (before.rfind('\n') + 1) + 1,
                                  before.size() == text_.size() ? ", where it ends" : ""));
  }

 private:
  struct Level {
    Json* value = nullptr;   ///< the object or array
    Json* member = nullptr;  ///< of an object: the one that the parser is at
    std::string name;        ///< and its name
    std::size_t items = 0;   ///< of an array: read so far
    bool emptied = false;    ///< of an array: holds no more than the item that the parser is at
  };

  bool put(Json value) {
    place() = std::move(value);
    count();
    return true;
  }

  bool open(Json value) {
    Json& added = place();
    if (levels_.size() == most_levels) {
      throw error_at(source_, pointer(), fmt::format("expected at most {} levels", most_levels));
    }
    added = std::move(value);
    count();
    const bool emptied = added.is_array() && !levels_.empty() && levels_.back().member != nullptr &&
                         std::ranges::find(emptied_, levels_.back().name) != emptied_.end();
    levels_.push_back({.value = &added, .member = nullptr, .name = {}, .items = 0, .emptied = emptied});
    return true;
  }

  bool close() {
    if (levels_.back().emptied) levels_.back().value->clear();
    levels_.pop_back();
    return true;
  }

  void count() {
    if (++values_ <= most_values) return;
    throw error_at(source_, pointer(), fmt::format("expected at most {} values in a file", most_values));
  }

  /// Returns the place for the next value. In an array it adds one.
  Json& place() {
    if (levels_.empty()) return root_;
    step_into_item();
    const Level& level = levels_.back();
    return level.value->is_array() ? level.value->back() : *level.member;
  }

  void step_into_item() {
    if (levels_.empty() || !levels_.back().value->is_array()) return;
    Level& level = levels_.back();
    ++level.items;
    if (level.emptied) level.value->clear();
    level.value->emplace_back();
  }

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const Level& level : levels_) {
      path += pointer_to(level.value->is_array() ? std::to_string(level.items - 1) : level.name);
    }
    return path;
  }

  std::string_view text_;
  const std::string& source_;
  std::span<const std::string_view> emptied_;
  Json root_;
  std::size_t values_ = 0;
  std::vector<Level> levels_;  // around where the parser is, outermost first
};

}  // namespace

Json parse_json(std::string_view text, const std::string& source, std::span<const std::string_view> emptied) {
  Builder builder(text, source, emptied);
  static_cast<void>(Json::sax_parse(text, &builder));
  return builder.take();
}

JsonText::JsonText(std::string_view text, std::string source, std::span<const std::string_view> emptied)
    : source_(std::move(source)), value_(std::make_shared<const Json>(parse_json(text, source_, emptied))) {}

bool JsonReader::is_null() const { return value_->is_null(); }

bool JsonReader::is_text() const { return value_->is_string(); }

bool JsonReader::is_number() const { return value_->is_number(); }

bool JsonReader::is_object() const { return value_->is_object(); }

bool JsonReader::is_array() const { return value_->is_array(); }

const Json& JsonReader::object() const {
  if (!value_->is_object()) fail("an object");
  return *value_;
}

JsonReader JsonReader::member(std::string_view name) const {
  const auto found = object().find(std::string(name));
  if (found == value_->end())
    throw error_at(*source_, pointer_ + pointer_to(name), "expected this member, which is missing");
  return {*found, *source_, pointer_ + pointer_to(name)};
}

std::optional<JsonReader> JsonReader::find(std::string_view name) const {
  if (!has(name)) return std::nullopt;
  const JsonReader found = member(name);
  return found.is_null() ? std::nullopt : std::optional(found);
}

bool JsonReader::has(std::string_view name) const { return object().contains(std::string(name)); }

std::vector<JsonReader::Named> JsonReader::members() const {
  std::vector<Named> all;
  for (const auto& [name, value] : object().items()) {
    all.push_back({name, JsonReader(value, *source_, pointer_ + pointer_to(name))});
  }
  return all;
}

std::vector<JsonReader> JsonReader::items() const {
  if (!value_->is_array()) fail("an array");
  std::vector<JsonReader> all;
  for (const Json& value : *value_) {
    all.push_back(JsonReader(value, *source_, pointer_ + pointer_to(std::to_string(all.size()))));
  }
  return all;
}

std::string JsonReader::text() const {
  if (!value_->is_string()) fail("a text");
  return value_->get<std::string>();
}

bool JsonReader::boolean() const {
  if (!value_->is_boolean()) fail("true or false");
  return value_->get<bool>();
}

double JsonReader::number() const {
  if (!value_->is_number()) fail("a number");
  return value_->get<double>();
}

double JsonReader::number_from(double least, double most) const {
  if (!value_->is_number() || !(value_->get<double>() >= least && value_->get<double>() <= most)) {
    fail(fmt::format("a number from {} to {}", least, most));
  }
  return value_->get<double>();
}

bool is_moderate(double value) {
  return value == 0 || (std::abs(value) >= smallest_number && std::abs(value) <= largest_number);
}

double JsonReader::moderate_number() const {
  const double value = number();
  if (!is_moderate(value)) {
    fail(fmt::format("a number that is 0 or of a magnitude from {} to {}", smallest_number, largest_number));
  }
  return value == 0 ? 0 : value;  // without the sign that zero may have
}

std::uint64_t JsonReader::whole(std::uint64_t least, std::uint64_t most) const {
  // The library would turn -1 into 2^64 - 1.
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() < least || value_->get<std::uint64_t>() > most) {
    fail(fmt::format("a whole number from {} to {}", least, most));
  }
  return value_->get<std::uint64_t>();
}

std::optional<std::string> JsonReader::text_or_null() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_string()) fail("a text or null");
  return text();
}

std::optional<bool> JsonReader::boolean_or_null() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_boolean()) fail("true, false or null");
  return boolean();
}

std::optional<double> JsonReader::number_or_null() const {
  if (is_null()) return std::nullopt;
  if (!value_->is_number()) fail("a number or null");
  return number();
}

std::vector<std::string> JsonReader::texts() const {
  std::vector<std::string> all;
  for (const JsonReader& item : items()) all.push_back(item.text());
  return all;
}

void JsonReader::allow_only(const std::vector<std::string>& names) const {
  constexpr std::size_t most_listed = 16;
  for (const auto& [name, value] : members()) {
    if (std::ranges::find(names, name) != names.end()) continue;
    std::string hint = did_you_mean(name, names);
    if (hint.empty()) {
      hint = names.size() <= most_listed ? fmt::format("; there are: {}", fmt::join(names, ", "))
                                         : "; remove it, or mend its name";
    }
    value.refuse("there is no such member" + hint);
  }
}

void JsonReader::refuse(const std::string& wrong) const { throw error_at(*source_, pointer_, wrong); }

void JsonReader::fail(const std::string& expected) const { refuse("expected " + expected); }

}  // namespace gpumem
