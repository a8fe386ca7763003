#include "report/write/csv_row.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// RFC 4180: fields with separators, quotes or line breaks are quoted, and quotes doubled.
std::string quoted(const std::string& text) {
  const std::string field = without_controls(text);  // it may go to a terminal
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  return '"' + escaped(field, {{'"', "\"\""}}) + '"';
}

std::string text_of(const nlohmann::ordered_json& value) {
  if (value.is_null()) return "";
  if (value.is_string()) return value.get<std::string>();
  if (value.is_number_float()) return fmt::format("{}", value.get<double>());
  if (!value.is_array()) return value.dump();
  std::vector<std::string> parts;
  for (const auto& part : value) parts.push_back(text_of(part));
  return join(parts, ";");
}

}  // namespace

void add_paths(std::vector<CsvPath>& paths, const CsvPath& of, const std::vector<std::string>& names) {
  for (const std::string& name : names) {
    CsvPath path = of;
    path.push_back(name);
    if (std::ranges::find(paths, path) == paths.end()) paths.push_back(std::move(path));
  }
}

std::string csv_fields(const nlohmann::ordered_json& object, std::span<const CsvPath> paths) {
  std::vector<std::string> fields;
  for (const CsvPath& path : paths) {
    const nlohmann::ordered_json* found = &object;
    for (auto key = path.begin(); key != path.end() && found != nullptr; ++key) {
      const auto member = found->find(*key);
      found = member == found->end() ? nullptr : &*member;
    }
    fields.push_back(found == nullptr ? "" : quoted(text_of(*found)));
  }
  return join(fields, ",");
}

std::string csv_names(std::span<const CsvPath> paths) {
  std::vector<std::string> names;
  for (const CsvPath& path : paths) names.push_back(quoted(join(path, ".")));
  return join(names, ",");
}

}  // namespace gpumem::report
