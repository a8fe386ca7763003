// Any text as a report: refused in one clear line, or written in every format, explained, and read back the same.

#include <numeric>
#include <sstream>
#include <string>
#include <vector>

#include "app/calibrate/calibration.hpp"
#include "engine/model/profile.hpp"
#include "report/explain/explain.hpp"
#include "report/read/read_report.hpp"
#include "report/text/text.hpp"
#include "report/write/json_values.hpp"
#include "report/write/portraits/portrait.hpp"
#include "report/write/writers.hpp"
#include "tests/fuzz/mutate_json.hpp"
#include "tests/fuzz/require.hpp"

namespace gpumem::fuzz {

namespace {

using namespace report;

template <class Write>
std::string written(const Write& write) {
  std::ostringstream out;
  write(out);
  return out.str();
}

std::string json_of(const Report& report) {
  return written([&](std::ostream& out) { write_json(out, report); });
}

/// Text for a terminal: lines of characters that it shows.
void require_plain(const std::string& text, std::string_view what) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) require(one_line(line) == line, what, line);
}

void require_width(const std::string& text, std::size_t width) {
  std::istringstream lines(text);
  for (std::string line; std::getline(lines, line);) {
    require(display_width(line) <= width, "a table keeps to its width", line);
  }
}

/// Every row of CSV (RFC 4180) has as many fields as its header.
void require_rectangle(const std::string& csv) {
  std::size_t fields = 1;
  std::size_t header = 0;
  bool quoted = false;
  for (const char c : csv) {
    if (c == '"') quoted = !quoted;
    if (quoted) continue;
    if (c == ',') ++fields;
    if (c != '\n') continue;
    if (header == 0) header = fields;
    require(fields == header, "rows of CSV have the header's fields", csv);
    fields = 1;
  }
  require(!quoted && csv.ends_with('\n'), "CSV is whole", csv);
}

/// One of several widths and styles, to have more reports in the same time.
TableStyle style_of(std::size_t choice) {
  constexpr unsigned widths[] = {20, 80, 200};
  return {.width = widths[choice % 3], .color = false, .bars = choice % 2 == 0, .why = choice % 5 < 2};
}

void write_all(const Report& report, std::size_t choice) {
  const TableStyle style = style_of(choice);
  const std::string table = written([&](std::ostream& out) { write_table(out, report, style); });
  require_plain(table, "a table is plain text");
  require_width(table, style.width);
  require_rectangle(written([&](std::ostream& out) { write_csv(out, report); }));
  require_plain(written([&](std::ostream& out) { write_markdown(out, report, true); }), "Markdown is plain text");

  std::vector<std::size_t> cases(report.results.size());
  std::iota(cases.begin(), cases.end(), std::size_t{0});
  require_plain(written([&](std::ostream& out) { write_explained(out, report, cases, 80); }),
                "an explanation is plain text");
  const NamedReport named{"report", report};
  const std::span portraits(&named, 1);
  require_plain(written([&](std::ostream& out) { write_portrait_page(out, portraits); }), "a portrait is plain text");
  require_plain(written([&](std::ostream& out) { write_portrait_table(out, portraits, {}); }), "and so is its table");
  if (!why_no_trace(report)) {
    require_plain(written([&](std::ostream& out) { write_trace(out, portraits); }), "a trace is plain text");
  }
  require_plain(written([&](std::ostream& out) { write_explained_markdown(out, report, cases); }),
                "an explanation in Markdown is plain text");
}

/// Strict JSON (the reader knows neither NaN nor infinity) that says what the report does.
void require_read_back(const Report& report) {
  const std::string json = json_of(report);
  const std::string again = json_of(read_report(json, "what was written"));
  require(json == again, "a report survives the way through JSON", json + again);
  for (const Record& record : report.results) {
    const auto line = [](const Record& given) { return json_values::record_json(given).dump(); };
    require(line(read_record_line(line(record))) == line(record), "a record survives the way through JSON");
  }
}

}  // namespace

}  // namespace gpumem::fuzz

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t most, unsigned seed) {
  return gpumem::fuzz::mutate_json(data, size, most, seed);
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  using namespace gpumem;
  report::Report report;
  try {
    report = report::read_report({reinterpret_cast<const char*>(data), size}, "r.json");
  } catch (const Error& error) {
    fuzz::require_clear(error);
    return -1;  // not worth keeping
  }
  fuzz::write_all(report, size);
  fuzz::require_read_back(report);
  const report::Report whole = report::completed(report);
  fuzz::write_all(whole, size / 2);
  fuzz::require_read_back(whole);

  model::Profile profile = model::load_profile("h200");
  static_cast<void>(app::read_rates(report.results, profile));
  static_cast<void>(model::parse_profile(model::to_json(profile), "fitted"));
  return 0;
}
