#pragma once
// Writers: each is a pure function of a report. Nothing else prints results, and none of them computes any.

#include <iosfwd>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// The options of a table, which depend on where it is written.
struct TableStyle {
  unsigned width = 80;   ///< columns available
  bool color = false;    ///< ANSI colours
  bool bars = false;     ///< a bar per row, drawn with Unicode block characters
  bool why = false;      ///< a last column that says what limits a case; as wide as there is room for
  bool brief = false;    ///< a line for each probe in place of its tables
  bool picture = false;  ///< the banks of tiles in shared memory as pictures, below the table of their cases
  std::vector<std::string> columns = {};  ///< as write_csv() takes them; with names, all cases are one table of these
};

/// The choice of every column: "all".
[[nodiscard]] bool is_all_columns(std::span<const std::string> columns);

void write_table(std::ostream& out, const Report& report, const TableStyle& style = {});
void write_json(std::ostream& out, const Report& report);
/// A row per case. `columns`: their names (CaseTable::chosen()), or "all"; without any, parameters, metrics and
/// counters are only those that hold something. Throws a usage error for a name that is no column's.
void write_csv(std::ostream& out, const Report& report, const std::vector<std::string>& columns = {});
/// Several reports as one table, with the report's name in a first column "report". The columns of parameters and
/// metrics are those of all reports.
void write_csv_of_several(std::ostream& out, std::span<const NamedReport> reports,
                          const std::vector<std::string>& columns = {});
void write_markdown(std::ostream& out, const Report& report, bool why = false);

/// The lines that are written of checks, behind the verdict on all of them.
enum class CheckLines {
  none,
  exceptions,  ///< what failed or was skipped; all that passed is one line
  all
};
/// The verdict, PASS or FAIL, with the suite, the GPU and the summary; then the lines, PASS, FAIL or SKIP first.
/// Without lines the verdict is one line, however long.
void write_checks(std::ostream& out, const Report& report, const TableStyle& style,
                  CheckLines lines = CheckLines::exceptions);
/// The verdict as a title, and a table.
void write_checks_markdown(std::ostream& out, const Report& report, CheckLines lines = CheckLines::exceptions);
/// The lines as above, each on a line of its own however long, and the annotations of a GitHub workflow: an error for a
/// check that failed, or that is required and was skipped; a notice for any other skip.
void write_checks_github(std::ostream& out, const Report& report, CheckLines lines = CheckLines::exceptions);

/// Cases explained one by one: which one it is, its readings in one line, what limits it and what would change that,
/// and the figures that this rests on. `cases` are indices into the results. Paragraphs are wrapped at `width` columns,
/// tables are not.
void write_explained(std::ostream& out, const Report& report, std::span<const std::size_t> cases, unsigned width);
void write_explained_markdown(std::ostream& out, const Report& report, std::span<const std::size_t> cases);
/// The same as JSON: {"cases": [{"index", "title", "probe", "parameters", "readings", "why", "figures": [{"figure",
/// "predicted", "counted", "measured"}]}], "facts": [text...]}. Figures are texts with their units.
void write_explained_json(std::ostream& out, const Report& report, std::span<const std::size_t> cases);

/// Checks as JUnit XML, which CI systems show as tests: a test suite per report, a test case per check. A test's time
/// is that of the launches measured for it, in seconds, which checks of the same cases share. Valid XML whatever the
/// texts hold: what XML cannot is replaced by U+FFFD.
void write_junit(std::ostream& out, std::span<const Report> reports);

/// Gauges in base units, in a text that is both OpenMetrics 1.0 and the classic Prometheus format, for node_exporter's
/// textfile collector. Values that are not known are absent. If a case was asked for twice, the later one counts.
void write_openmetrics(std::ostream& out, std::span<const Report> reports);

/// A JSON array of devices, each as the `device` of a JSON report.
void write_devices_json(std::ostream& out, std::span<const Device> devices);

/// When programs did what on their GPUs, in Chrome's trace event format: a process for each of theirs on each GPU, a
/// thread for each stream, events in microseconds. Launches slowed by being seen access by access have threads of their
/// own. Without single launches, how long kernels ran in bins of the run. Several reports are processes side by side,
/// each from its own begin. They have to be reports that `why_no_trace` has nothing against.
void write_trace(std::ostream& out, std::span<const NamedReport> reports);
/// The reason why a report cannot be a trace: "has cases of probes; ..."; nullopt if it can.
[[nodiscard]] std::optional<std::string> why_no_trace(const Report& report);

enum class Format { table, json, csv, markdown, junit, openmetrics, trace, html, svg, png, pdf };

/// A format as --format takes it, and the files that are in it.
struct NamedFormat {
  Format format;
  std::string_view name;
  std::vector<std::string_view> extensions;  ///< in small letters: ".json"
  /// Extensions that mean this format if it was asked for, and another format otherwise.
  std::vector<std::string_view> extensions_if_asked = {};
};
/// The formats of any report. The first is the default for stdout, and the first four, table_formats(), suit everything
/// that is shown in tables.
[[nodiscard]] std::span<const NamedFormat> all_formats();
[[nodiscard]] std::span<const NamedFormat> table_formats();
/// The formats of explanations: text, JSON and Markdown.
[[nodiscard]] std::span<const NamedFormat> explained_formats();
/// The formats of a portrait, and of the report that it is made of.
[[nodiscard]] std::span<const NamedFormat> portrait_formats();
/// The formats of pictures: their files are drawn (app/output/pictures.hpp).
[[nodiscard]] std::span<const NamedFormat> picture_formats();

/// Writes the report in the format, or nothing for svg, png and pdf, which are drawn.
void write(std::ostream& out, const Report& report, Format format, const TableStyle& style = {});

}  // namespace gpumem::report
