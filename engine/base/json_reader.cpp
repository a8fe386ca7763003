#include "engine/base/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>
#include <iterator>
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

/// Returns the JSON pointer from a value to a part of it; nothing if it is none. It is sought for the sake of errors
/// alone: noting the pointer of each value that is read takes longer than reading the value.
std::optional<std::string> pointer_between(const Json& whole, const Json& part) {
  if (&whole == &part) return "";
  if (!whole.is_structured()) return std::nullopt;
  for (const auto& [name, value] : whole.items()) {
    if (const auto pointer = pointer_between(value, part)) return pointer_to(name) + *pointer;
  }
  return std::nullopt;
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
  bool string(const std::string& value) { return put(value); }  // a copy: the parser's own is room for the next text
  bool binary(Json::binary_t& /*JSON has none*/) { return false; }

  bool start_object(std::size_t /*unknown in advance*/) { return open(false); }
  bool end_object() {
    Level& level = levels_[--depth_];
    if (!keeps()) return true;
    Json::object_t object;
    object.reserve(level.members.size());  // an object that grows copies all that is in it
    for (auto& [name, value] : level.members) object.emplace_back(std::move(name), std::move(value));
    place(std::move(object));
    return true;
  }
  bool start_array(std::size_t /*unknown in advance*/) { return open(true); }
  bool end_array() {
    std::vector<Json>& items = levels_[--depth_].items;
    if (keeps()) place(Json::array_t(std::move_iterator(items.begin()), std::move_iterator(items.end())));
    return true;
  }

  bool key(const std::string& name) {
    Level& level = levels_[depth_ - 1];
    const bool repeated = std::ranges::find(level.members, name, &Member::first) != level.members.end();
    const bool full = level.members.size() == most_members;
    level.members.emplace_back(name, nullptr);
    if (repeated) throw error_at(source_, pointer(), "expected this member only once");
    if (full) throw error_at(source_, pointer(), fmt::format("expected at most {} members in an object", most_members));
    return true;
  }

  bool parse_error(std::size_t byte, const std::string& /*token*/, const Json::exception& error) {
    constexpr int number_out_of_range = 406;
    if (error.id == number_out_of_range) {
      step();
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
  using Member = std::pair<std::string, Json>;

  /// An object or array that the parser is in. Its room is used again by the next one at the same depth.
  struct Level {
    bool is_array = false;
    bool kept = true;             ///< false: it stays empty, and so does all in it
    std::size_t steps = 0;        ///< of an array: items that the parser has come to
    std::vector<Json> items;      ///< of an array
    std::vector<Member> members;  ///< of an object; the parser is at the last one
  };

  template <class T>
  bool put(const T& value) {
    step();
    count();
    if (keeps()) place(value);
    return true;
  }

  bool open(bool is_array) {
    step();
    if (depth_ == most_levels)
      throw error_at(source_, pointer(), fmt::format("expected at most {} levels", most_levels));
    count();
    const Level* around = depth_ == 0 ? nullptr : &levels_[depth_ - 1];
    const bool emptied = is_array && around != nullptr && !around->is_array &&
                         std::ranges::find(emptied_, around->members.back().first) != emptied_.end();
    Level& level = levels_[depth_];
    level.is_array = is_array;
    level.kept = !emptied && keeps();
    level.steps = 0;
    level.items.clear();
    level.members.clear();
    ++depth_;
    return true;
  }

  void count() {
    if (++values_ <= most_values) return;
    throw error_at(source_, pointer(), fmt::format("expected at most {} values in a file", most_values));
  }

  /// True if a value is kept where the parser is.
  [[nodiscard]] bool keeps() const { return depth_ == 0 || levels_[depth_ - 1].kept; }

  void place(Json value) {
    if (depth_ == 0) {
      root_ = std::move(value);
    } else if (Level& level = levels_[depth_ - 1]; level.is_array) {
      level.items.push_back(std::move(value));
    } else {
      level.members.back().second = std::move(value);
    }
  }

  void step() {
    if (depth_ > 0) ++levels_[depth_ - 1].steps;
  }

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const Level& level : std::span(levels_).first(depth_)) {
      path += pointer_to(level.is_array ? std::to_string(level.steps - 1) : level.members.back().first);
    }
    return path;
  }

  std::string_view text_;
  const std::string& source_;
  std::span<const std::string_view> emptied_;
  Json root_;
  std::size_t values_ = 0;
  std::array<Level, most_levels> levels_;  // around where the parser is, outermost first
  std::size_t depth_ = 0;                  // of them
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

const Json* JsonReader::value_of(std::string_view name) const {
  const auto& members = object().get_ref<const Json::object_t&>();
  const auto found = std::ranges::find(members, name, &Json::object_t::value_type::first);
  return found == members.end() ? nullptr : &found->second;
}

JsonReader JsonReader::member(std::string_view name) const {
  const Json* const found = value_of(name);
  if (found == nullptr)
    throw error_at(*source_, pointer() + pointer_to(name), "expected this member, which is missing");
  return {*found, *this};
}

std::optional<JsonReader> JsonReader::find(std::string_view name) const {
  const Json* const found = value_of(name);
  return found == nullptr || found->is_null() ? std::nullopt : std::optional(JsonReader(*found, *this));
}

bool JsonReader::has(std::string_view name) const { return value_of(name) != nullptr; }

std::vector<JsonReader::Named> JsonReader::members() const {
  std::vector<Named> all;
  all.reserve(object().size());
  for (const auto& [name, value] : object().get_ref<const Json::object_t&>()) {
    all.push_back({name, JsonReader(value, *this)});
  }
  return all;
}

std::vector<JsonReader> JsonReader::items() const {
  if (!value_->is_array()) fail("an array");
  std::vector<JsonReader> all;
  all.reserve(value_->size());
  for (const Json& value : *value_) all.push_back(JsonReader(value, *this));
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

std::string JsonReader::pointer() const { return pointer_between(*root_, *value_).value_or(""); }

void JsonReader::refuse(const std::string& wrong) const { throw error_at(*source_, pointer(), wrong); }

void JsonReader::fail(const std::string& expected) const { refuse("expected " + expected); }

}  // namespace gpumem
