#include "report/write/writers.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>
#include <string>

#include "report/write/checks.hpp"

namespace gpumem::report {

namespace {

struct Entry {
  Format format;
  std::string_view name;
};

constexpr std::array<Entry, 4> formats = {{
    {Format::table, "table"},
    {Format::json, "json"},
    {Format::csv, "csv"},
    {Format::markdown, "markdown"},
}};

}  // namespace

std::string_view to_string(Format format) { return std::ranges::find(formats, format, &Entry::format)->name; }

std::optional<Format> format_from_name(std::string_view name) {
  const auto* const found = std::ranges::find(formats, name, &Entry::name);
  if (found == formats.end()) return std::nullopt;
  return found->format;
}

void write(std::ostream& out, const Report& report, Format format, const TableStyle& style) {
  switch (format) {
    case Format::table:
      write_table(out, report, style);
      if (!report.checks.empty()) write_checks(out << '\n', report, style);
      return;
    case Format::json:
      return write_json(out, report);
    case Format::csv:
      return write_csv(out, report);
    case Format::markdown:
      write_markdown(out, report, style.why);
      if (!report.checks.empty()) write_checks_markdown(out << '\n', report);
      return;
  }
  throw std::logic_error("unknown report format");
}

}  // namespace gpumem::report
