#include "report/write/csv_row.hpp"

#include <fmt/format.h>

#include <cmath>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// RFC 4180: fields with separators, quotes or line breaks are quoted, and quotes doubled.
std::string quoted(const std::string& text) {
  const std::string field = without_controls(text);  // it may go to a terminal
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string result = "\"";
  for (const char c : field) {
    if (c == '"') result += '"';
    result += c;
  }
  return result + '"';
}

}  // namespace

void CsvRow::add(const std::string& name, const std::string& value) {
  names_.push_back(quoted(name));
  values_.push_back(quoted(value));
}

std::string CsvRow::header() const { return join(names_, ","); }
std::string CsvRow::line() const { return join(values_, ","); }

std::string csv_number(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
}

}  // namespace gpumem::report
