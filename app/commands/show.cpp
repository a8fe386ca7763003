#include "app/commands/show.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <sstream>

#include "app/output/result_outputs.hpp"
#include "probes/error.hpp"
#include "report/explain/findings.hpp"
#include "report/explain/why.hpp"
#include "report/read/report_file.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/csv.hpp"
#include "report/write/junit.hpp"
#include "report/write/openmetrics.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

using report::NamedReport;

/// A file of tests without any would look like a pass.
void refuse_unchecked(const std::vector<NamedReport>& reports) {
  for (const NamedReport& one : reports) {
    if (!one.report.checks.empty()) return;
  }
  throw usage_error(fmt::format("'{}' has no checks to show as JUnit; make some with: gpumem check SUITE {}",
                                reports.front().name, reports.front().name));
}

/// The registry's names in its order, as 'probe' writes them, then those that only the report knows.
void put_first(std::vector<std::string>& columns, std::vector<std::string> registered) {
  for (const std::string& name : columns) {
    if (std::ranges::find(registered, name) == registered.end()) registered.push_back(name);
  }
  columns = std::move(registered);
}

void order_columns(report::Report& report, const std::vector<Probe>& registry) {
  std::vector<std::string> parameters;
  std::vector<std::string> metrics;
  const auto add_once = [](std::vector<std::string>& names, const std::string& name) {
    if (std::ranges::find(names, name) == names.end()) names.push_back(name);
  };
  for (const Probe& probe : registry) {
    for (const Axis& axis : probe.axes) add_once(parameters, axis.parameter);
    for (const Metric& metric : probe.metrics) add_once(metrics, metric.name);
  }
  put_first(report.parameter_columns, std::move(parameters));
  put_first(report.metric_columns, std::move(metrics));
}

/// What follows from the readings and is not in the report: short explanations never are, the rest is not in those of
/// older versions.
void add_missing(report::Report& report) {
  std::vector<report::Explanation> made = report::explanations(report.results);
  for (std::size_t i = 0; i < made.size(); ++i) {
    report::Record& record = report.results[i];
    if (record.why.empty()) record.why = std::move(made[i].full);
    record.why_brief = std::move(made[i].brief);
  }
  if (report.findings.empty() && !report::is_plan(report)) report.findings = report::findings(report.results);
}

std::vector<NamedReport> read_reports(const std::vector<std::string>& paths, const Environment& environment) {
  if (std::ranges::count(paths, "-") > 1) throw usage_error("standard input ('-') holds only one report");
  std::vector<NamedReport> reports;
  for (const std::string& path : paths) {
    reports.push_back({path, report::read_report_file(path, environment.in)});
    order_columns(reports.back().report, environment.registry);
    add_missing(reports.back().report);
  }
  return reports;
}

std::string title(const std::string& name) { return name == "-" ? "standard input" : report::one_line(name); }

std::string shown(const std::vector<NamedReport>& reports, report::Format format, const report::TableStyle& style) {
  using report::Format;
  if (format == Format::junit) refuse_unchecked(reports);
  std::ostringstream out;
  if (reports.size() == 1) {
    report::write(out, reports.front().report, format, style);
    return out.str();
  }
  std::vector<report::Report> plain;
  for (const NamedReport& one : reports) plain.push_back(one.report);
  switch (format) {
    case Format::csv:
      report::write_csv_of_several(out, reports);
      return out.str();
    case Format::json:
      throw usage_error("one JSON document holds one report; name one, or use --format csv");
    case Format::junit:
      report::write_junit(out, plain);
      return out.str();
    case Format::openmetrics:
      report::write_openmetrics(out, plain);
      return out.str();
    case Format::table:
    case Format::markdown:
      break;
  }
  for (const NamedReport& one : reports) {
    if (&one != reports.data()) out << '\n';
    out << (format == Format::markdown ? "# " : "== ") << title(one.name)
        << (format == Format::markdown ? "\n\n" : " ==\n");
    report::write(out, one.report, format, style);
  }
  return out.str();
}

}  // namespace

int run_show_command(const ShowArguments& arguments, const Environment& environment) {
  const ResultOutputs outputs({.outputs = arguments.outputs,
                               .format = arguments.format,
                               .quiet = !arguments.outputs.empty(),
                               .no_color = arguments.no_color},
                              report::all_formats(), standard_output(environment));
  const std::vector<NamedReport> reports = read_reports(arguments.reports, environment);
  outputs.write([&](report::Format format, report::TableStyle style) {
    style.why = arguments.why;
    return shown(reports, format, style);
  });
  return 0;
}

}  // namespace gpumem::app
