#include "report/json_reader.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "probes/error.hpp"

namespace gpumem::report {

namespace {

constexpr int deepest = 16;  // a report is 6 deep

/// What is appended to a JSON pointer for a member. Control characters are escaped as in JSON, so that a message stays
/// one line whatever a file calls its members.
std::string pointer_to(std::string_view name) {
  const Json pointer = (Json::json_pointer() / std::string(name)).to_string();
  const std::string quoted = pointer.dump(-1, ' ', true, Json::error_handler_t::replace);
  return quoted.substr(1, quoted.size() - 2);
}

Error error_at(const std::string& source, const std::string& pointer, const std::string& expected) {
  return usage_error(fmt::format("{}: {}: expected {}", source, pointer.empty() ? "/" : pointer, expected));
}

/// Follows the parser, to know where it is when a value has to be refused.
class Place {
 public:
  void follow(Json::parse_event_t event, const Json& parsed) {
    using Event = Json::parse_event_t;
    if (event == Event::object_start || event == Event::array_start) {
      around_.push_back({.array = event == Event::array_start, .name = {}});
    } else if (event == Event::key) {
      around_.back().name = parsed.get_ref<const std::string&>();
    } else {
      if (event != Event::value) around_.pop_back();
      if (!around_.empty()) ++around_.back().index;
    }
  }

  [[nodiscard]] std::string pointer() const {
    std::string path;
    for (const Level& level : around_) path += pointer_to(level.array ? std::to_string(level.index) : level.name);
    return path;
  }

 private:
  struct Level {
    bool array = false;
    std::string name;       ///< of the member that the parser is at
    std::size_t index = 0;  ///< of the item that it is at
  };
  std::vector<Level> around_;  // outermost first
};

}  // namespace

Json parse_json(std::string_view text, const std::string& source) {
  Place place;
  const auto follow = [&](int depth, Json::parse_event_t event, const Json& parsed) {
    if (depth > deepest) throw error_at(source, place.pointer(), fmt::format("at most {} levels", deepest));
    place.follow(event, parsed);
    return true;
  };
  try {
    return Json::parse(text, follow);
  } catch (const Json::parse_error& error) {
    // The byte counts from 1, and is one past the text when that ends too early.
    const std::string_view before = text.substr(0, std::max<std::size_t>(std::min(error.byte, text.size() + 1), 1) - 1);
    throw usage_error(fmt::format("{}: not valid JSON at line {}, column {}{}", source,
                                  std::ranges::count(before, '\n') + 1, before.size() - (before.rfind('\n') + 1) + 1,
                                  before.size() == text.size() ? ", where it ends" : ""));
  } catch (const Json::out_of_range&) {
    throw error_at(source, place.pointer(), "a number that fits a double");
  }
}

const Json& JsonReader::object() const {
  if (!value_->is_object()) fail("an object");
  return *value_;
}

JsonReader JsonReader::member(std::string_view name) const {
  const auto found = object().find(std::string(name));
  if (found == value_->end()) throw error_at(*source_, pointer_ + pointer_to(name), "this member, which is missing");
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

std::uint64_t JsonReader::whole(std::uint64_t most) const {
  // The library would turn -1 into 2^64 - 1.
  if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > most) {
    fail(fmt::format("a whole number from 0 to {}", most));
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

void JsonReader::fail(const std::string& expected) const { throw error_at(*source_, pointer_, expected); }

}  // namespace gpumem::report
