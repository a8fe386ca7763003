#include "report/write/csv_row.hpp"

#include <algorithm>
#include <charconv>
#include <nlohmann/json.hpp>
#include <string_view>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// RFC 4180: fields with separators, quotes or line breaks are quoted, and quotes doubled.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  return '"' + escaped(field, {{'"', "\"\""}}) + '"';
}

bool reads_as_number(const std::string& text) {
  double number = 0;
  const char* const end = text.data() + text.size();
  return std::from_chars(text.data(), end, number).ptr == end;
}

/// Text that spreadsheets and readers take for text: they compute what begins as a formula does, whoever wrote it, and
/// a column of texts may begin with one that looks like a number. The mark goes before itself too, so that taking it
/// off once gives the text back.
std::string marked(const std::string& text) {
  constexpr std::string_view formulas = "=+-@'";
  const bool is_plain =
      text.empty() || (formulas.find(text.front()) == std::string_view::npos && !reads_as_number(text));
  return is_plain ? text : "'" + text;
}

std::string field_of_text(const std::string& text) {
  return quoted(marked(without_controls(text)));  // it may go to a terminal
}

std::string text_of(const nlohmann::ordered_json& value) {
  return value.is_string() ? value.get<std::string>() : value.dump();
}

}  // namespace

std::string csv_field(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return field_of_text(value.get<std::string>());
  if (!value.is_array()) return value.dump();  // of a whole float "1.0": readers take the type of the first rows
  std::vector<std::string> parts;
  for (const auto& part : value) parts.push_back(text_of(part));
  return field_of_text(join(parts, ";"));
}

void add_paths(std::vector<CsvPath>& paths, const CsvPath& of, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    CsvPath path = of;
    path.push_back(name);
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  }
}

const nlohmann::ordered_json& value_at(const nlohmann::ordered_json& object, const CsvPath& path) {
  static const nlohmann::ordered_json absent;
  const nlohmann::ordered_json* found = &object;
  for (const std::string& key : path) {
    const auto member = found->find(key);
    if (member == found->end()) return absent;
    found = &*member;
  }
  return *found;
}

std::string csv_fields(const nlohmann::ordered_json& object, std::span<const CsvPath> paths) {
  std::vector<std::string> fields;
  for (const CsvPath& path : paths) fields.push_back(csv_field(value_at(object, path)));
  return join(fields, ",");
}

std::string csv_names(std::span<const CsvPath> paths) {
  std::vector<std::string> names;
  for (const CsvPath& path : paths) names.push_back(field_of_text(join(path, ".")));
  return join(names, ",");
}

}  // namespace gpumem::report
