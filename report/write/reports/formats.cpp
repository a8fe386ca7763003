#include <ostream>

#include "report/write/blocks.hpp"
#include "report/write/portraits/portrait.hpp"
#include "report/write/writers.hpp"

namespace gpumem::report {

std::span<const NamedFormat> all_formats() {
  static const std::vector<NamedFormat> formats = {{Format::table, "table", {".txt"}},
                                                   {Format::json, "json", {".json"}},
                                                   {Format::csv, "csv", {".csv"}},
                                                   {Format::markdown, "markdown", {".md", ".markdown"}},
                                                   {Format::junit, "junit", {".xml"}},
                                                   {Format::openmetrics, "openmetrics", {".prom"}},
                                                   {Format::trace, "trace", {".trace"}, {".json"}}};
  return formats;
}

std::span<const NamedFormat> table_formats() { return all_formats().first(4); }

std::span<const NamedFormat> explained_formats() {
  static const std::vector<NamedFormat> formats = {
      {Format::table, "text", {".txt"}}, all_formats()[1], all_formats()[3]};
  return formats;
}

std::span<const NamedFormat> portrait_formats() {
  static const std::vector<NamedFormat> formats = {
      all_formats()[0], all_formats()[1], {Format::html, "html", {".html", ".htm"}}};
  return formats;
}

std::span<const NamedFormat> picture_formats() {
  static const std::vector<NamedFormat> formats = {{Format::html, "html", {".html", ".htm"}},
                                                   {Format::svg, "svg", {".svg"}},
                                                   {Format::png, "png", {".png"}},
                                                   {Format::pdf, "pdf", {".pdf"}}};
  return formats;
}

void write(std::ostream& out, const Report& report, Format format, const TableStyle& style) {
  const bool is_list = !style.columns.empty() && !is_all_columns(style.columns);
  if (is_list && format == Format::table) {
    return write_page(out, case_list(report, style.columns), style);
  }
  if (is_list && format == Format::markdown) {
    return write_markdown_page(out, case_list(report, style.columns));
  }
  if (style.brief && format == Format::table) return write_page(out, page_in_brief(report), style);
  if (style.brief && format == Format::markdown) return write_markdown_page(out, page_in_brief(report));
  switch (format) {
    case Format::table:
      write_table(out, report, style);
      if (!report.checks.empty()) write_checks(out << '\n', report, style);
      return;
    case Format::json:
      return write_json(out, report);
    case Format::csv:
      return write_csv(out, report, style.columns);
    case Format::markdown:
      write_markdown(out, report, style.why);
      if (!report.checks.empty()) write_checks_markdown(out << '\n', report);
      return;
    case Format::junit:
      return write_junit(out, std::span(&report, 1));
    case Format::openmetrics:
      return write_openmetrics(out, std::span(&report, 1));
    case Format::trace:
    case Format::html: {
      const NamedReport named{"report", report};
      if (format == Format::trace) return write_trace(out, std::span(&named, 1));
      return write_portrait_page(out, std::span(&named, 1));
    }
    case Format::svg:
    case Format::png:
    case Format::pdf:
      break;
  }
}

}  // namespace gpumem::report
