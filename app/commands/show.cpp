#include <fmt/format.h>

#include <algorithm>
#include <ostream>
#include <utility>

#include "app/command_line/command_options.hpp"
#include "app/command_line/values.hpp"
#include "app/commands/case_filter.hpp"
#include "app/commands/case_order.hpp"
#include "app/commands/commands.hpp"
#include "engine/base/error.hpp"
#include "report/explain/explain.hpp"
#include "report/record/joined.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"
#include "report/write/writers.hpp"

namespace gpumem::app {

namespace {

using report::NamedReport;

struct ShowArguments : ResultRequest {
  std::vector<std::string> reports;  ///< files; one may be "-" for standard input
  std::vector<std::string> cases;    ///< as CaseWords takes them
  std::optional<CaseOrder> order;
  std::optional<std::size_t> top;  ///< so many cases of each report
};

/// Throws a usage error if no report has checks: JUnit without tests would look like a pass.
void refuse_unchecked(const std::vector<NamedReport>& reports) {
  for (const NamedReport& named : reports) {
    if (!named.report.checks.empty()) return;
  }
  throw usage_error(fmt::format("'{}' has no checks to show as JUnit; make some with: gpumem check SUITE {}",
                                reports.front().name, reports.front().name));
}

/// Throws a usage error for a report that cannot be shown as a trace, before anything is written.
void refuse_untraceable(const std::vector<NamedReport>& reports) {
  for (const NamedReport& named : reports) {
    if (const auto why = report::why_no_trace(named.report)) {
      throw usage_error(fmt::format("'{}' {}", report::one_line(named.name), *why));
    }
  }
}

std::string title(const std::string& name) { return name == "-" ? "standard input" : report::one_line(name); }

/// `order`: that of the cases, if the user asked for one.
void write(std::ostream& out, const std::vector<NamedReport>& reports, report::Format format,
           const report::TableStyle& style, const std::optional<CaseOrder>& order) {
  using report::Format;
  if (format == Format::junit) refuse_unchecked(reports);
  if (format == Format::trace) {
    refuse_untraceable(reports);
    return report::write_trace(out, reports);
  }
  const auto write_one = [&](const report::Report& report) {
    report::TableStyle own = style;
    const bool is_table = format == Format::table || format == Format::markdown;
    if (order && is_table && own.columns.empty()) own.columns = columns_in_order(report, *order);
    report::write(out, report, format, own);
  };
  if (reports.size() == 1) return write_one(reports.front().report);
  std::vector<report::Report> plain;
  for (const NamedReport& named : reports) plain.push_back(named.report);
  switch (format) {
    case Format::csv:
      return report::write_csv_of_several(out, reports, style.columns);
    case Format::json:
      throw usage_error("one JSON document holds one report; name one, or use --format csv");
    case Format::junit:
      return report::write_junit(out, plain);
    case Format::openmetrics:
      return report::write_openmetrics(out, plain);
    default:  // of tables, one below the other
      break;
  }
  for (const NamedReport& named : reports) {
    if (&named != reports.data()) out << '\n';
    out << (format == Format::markdown ? "# " : "== ") << title(named.name)
        << (format == Format::markdown ? "\n\n" : " ==\n");
    write_one(named.report);
  }
}

/// Throws a usage error if columns are chosen of a format that has none.
void refuse_columns_of(const std::optional<report::Format>& format, const std::vector<std::string>& columns) {
  if (columns.empty() || !format) return;
  const auto tables = report::table_formats();
  const bool is_table = std::ranges::find(tables, *format, &report::NamedFormat::format) != tables.end();
  if (is_table && *format != report::Format::json) return;
  const auto named = std::ranges::find(report::all_formats(), *format, &report::NamedFormat::format);
  throw usage_error(fmt::format("--columns: {} has no columns; use table, csv or markdown", named->name));
}

/// Leaves these cases in this order, and draws the conclusions and findings anew from those.
void leave(report::Report& report, std::span<const std::size_t> cases) {
  report = report::chosen(std::move(report), cases);
  if (report::is_plan(report)) return;
  report::Report made = report::completed(report);
  report.conclusions = std::move(made.conclusions);
  report.findings = std::move(made.findings);
}

/// Leaves the cases that the words choose.
void keep_cases(std::vector<NamedReport>& reports, const CaseWords& words) {
  std::size_t most = 0;
  std::size_t all = 0;
  for (const NamedReport& named : reports) {
    most = std::max(most, named.report.results.size());
    all += named.report.results.size();
  }
  const report::Selection selection = words.among(reports, most);
  for (NamedReport& named : reports) {
    std::vector<std::size_t> kept;
    for (std::size_t i = 0; i < named.report.results.size(); ++i) {
      if (report::selects(selection, named.report.results[i], i)) kept.push_back(i);
    }
    leave(named.report, kept);
  }
  const auto is_empty = [](const NamedReport& named) { return named.report.results.empty(); };
  if (std::ranges::all_of(reports, is_empty)) words.refuse_none_of(all);
}

/// Writes the reports, one after another; in CSV, as one table.
int run_show_command(const ShowArguments& arguments, const Environment& environment) {
  const ResultOutputs outputs(reading(arguments, arguments.reports), report::all_formats(), environment.out,
                              environment.out_terminal);
  std::vector<NamedReport> reports = read_reports(arguments.reports, environment);
  const CaseWords words(arguments.cases, environment.registry);
  if (!words.empty()) keep_cases(reports, words);
  for (NamedReport& named : reports) {
    if (!arguments.order && !arguments.top) break;
    std::vector<std::size_t> cases = in_order(named.report, arguments.order);
    cases.resize(std::min(cases.size(), arguments.top.value_or(cases.size())));
    leave(named.report, cases);
  }
  outputs.finish([&](std::ostream& out, report::Format format,
                     const report::TableStyle& style) { write(out, reports, format, style, arguments.order); },
                 reports);
  return 0;
}

}  // namespace

MakeRequest show_options(CommandOptions& options, const KnownNames&) {
  const auto arguments = std::make_shared<ShowArguments>();
  const auto no_word = std::make_shared<std::optional<std::string>>();
  options.add_argument("REPORT...", arguments->reports,
                       "JSON reports that gpumem wrote, also those of older versions; - is standard input");
  // REPORT takes all words (take_case_words).
  options.add_argument(
      "[CASE...]", *no_word,
      "Only these cases: by parameter (offset=1 op=write), or by position (3, 0..5); without any, all. "
      "A word that names an existing file is a report");
  options.add_format(report::all_formats(), arguments->format,
                     "Format on stdout: a table for people (default), or a format for programs, e.g. --format csv. "
                     "trace shows in ui.perfetto.dev when a program's kernels ran. Several reports share one trace, "
                     "and one CSV with a first column 'report'");
  options.add_value("-o,--output", "FILE", arguments->outputs,
                    "Write to a file instead of stdout, in the format of its extension (.json, .csv, .md, .txt, .xml, "
                    ".prom, .trace; a page .html; a figure .svg, .png, .pdf); repeatable, - is stdout, e.g. --output "
                    "run.md. With --format trace, a .json file "
                    "is a trace");
  options.add_value(
      "columns", "all|NAME,...",
      [target = &*arguments](const std::string& text) { target->columns = column_names(text); },
      "Show all cases as one list with these columns, as CSV names them, or a word of the name, e.g. --columns "
      "offset,op,bandwidth. all: every column of CSV, also those that hold nothing");
  options.add_value(
      "sort", "COLUMN[:up]",
      [target = &*arguments](const std::string& text) { target->order = CaseOrder::parse(text); },
      "Show all cases as one list in the order of a column, the largest value first, with :up the smallest, e.g. "
      "--sort seconds");
  options.add_value(
      "top", "N", [target = &*arguments](const std::string& text) { target->top = parse_count("top", "cases", text); },
      "Only the first N cases of each report, e.g. --sort seconds --top 5 for the slowest");
  options.add_switch("why", arguments->why, "Add a last column to the table: the limit of each case and its cure");
  options.add_switch("picture", arguments->picture,
                     "Show the tiles of patterns in shared memory below the table, as 'gpumem probe --picture' does, "
                     "e.g. show tile.json 4..7 --picture");
  options.add_value("figure", "NAME", arguments->choices.figure,
                    "Draw one figure only: a probe of the reports, roofline, or of a program savings or timeline, e.g. "
                    "--figure roofline -o roofline.svg");
  options.add_value(
      "y", "NAME", arguments->choices.y,
      "The quantity on the y axis of figures that have it: its name in the report, or that name's first or "
      "last words, e.g. --y time -o time.svg");
  options.add_choice("scale", "linear|log", arguments->choices.scale,
                     "The scale of the y axis, which follows from the values otherwise, e.g. --scale log -o log.svg");
  add_color_options(options, *arguments);
  options.footer(
      "Examples:\n"
      "  gpumem show run.json --why              the table of a run, and what limits it\n"
      "  gpumem show run.json offset=1 op=write  these cases alone\n"
      "  gpumem show run.json --sort seconds --top 5 --columns offset,op,seconds\n"
      "  gpumem show a.json b.json --format csv  for one data frame\n"
      "  gpumem show run.json --output run.md    for an issue\n"
      "  gpumem show run.json --output run.html  its curves, as a page to send\n"
      "  gpumem show a.json b.json -o two.html   two GPUs side by side\n"
      "  gpumem show run.json --figure roofline -o roofline.svg\n"
      "  gpumem show app.json --output app.trace when the kernels of gpumem run ran");
  return [arguments, no_word] {
    arguments->cases = take_case_words(arguments->reports);
    if (arguments->reports.empty()) {
      throw usage_error("show needs a report; write one with: gpumem probe ... --output run.json");
    }
    refuse_directories(arguments->reports, "gpumem show");
    refuse_columns_of(arguments->format, arguments->columns);
    arguments->quiet = true;  // files are instead of stdout
    return Request(*arguments, run_show_command);
  };
}

}  // namespace gpumem::app
