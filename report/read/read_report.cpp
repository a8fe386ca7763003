#include "report/read/read_report.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <istream>
#include <stdexcept>

#include "engine/base/documents.hpp"
#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "report/read/field_reader.hpp"
#include "report/record/cases.hpp"
#include "report/record/frames.hpp"
#include "report/record/kernels.hpp"

namespace gpumem::report {

namespace {

/// Reports of all probes together have some 30 of either.
constexpr std::size_t most_columns = 200;

void add_once(std::vector<std::string>& names, const std::string& name, const JsonReader& result) {
  if (std::ranges::find(names, name) != names.end()) return;
  if (names.size() == most_columns) {
    result.refuse(fmt::format("expected at most {} different parameters or metrics in a report", most_columns));
  }
  names.push_back(name);
}

/// Collects the names of the results' parameters and metrics, each once, in the order of first appearance.
void take_columns(Report& report, const JsonReader& json) {
  const std::vector<JsonReader> results = json.member("results").items();
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Record& record = report.results[i];
    for (const Parameter& parameter : record.parameters) {
      add_once(report.parameter_columns, parameter.name, results[i]);
    }
    for (const MetricRecord& metric : record.metrics) add_once(report.metric_columns, metric.name, results[i]);
  }
}

/// Throws a usage error if a check names a case by an index that the results do not have.
void require_cases_of_checks(const JsonReader& json, std::size_t results) {
  const auto checks = json.find("checks");
  if (!checks) return;
  for (const JsonReader& check : checks->items()) {
    for (const JsonReader& index : check.member("cases").items()) {
      if (index.whole() >= results) index.fail(fmt::format("the index of one of the {} results", results));
    }
  }
}

/// True if each entry of the advice names the kernel at its index in the results.
bool is_about_results(const std::vector<AdviceRecord>& advice, const std::vector<Record>& results) {
  return std::ranges::all_of(advice, [&](const AdviceRecord& entry) {
    if (entry.result >= results.size()) return false;
    const Parameter* name = find_parameter(results[entry.result], kernel_parameter);
    return name != nullptr && gpumem::to_string(name->value) == entry.kernel;
  });
}

/// Removes functions of the CUDA runtime from the callers of a kernel and the places that made its arrays. Earlier
/// versions recorded them if the runtime is linked into the program.
void leave_out_runtime(Record& record) {
  for (SiteRecord& site : record.access) {
    if (!site.array || !site.array->made_at) continue;
    const std::string& place = *site.array->made_at;
    const std::size_t in = place.find(" in ");
    if (in == std::string::npos || place.find(':') < in) continue;
    FrameRecord frame;
    frame.language = "native";
    frame.function = place.substr(in + 4);
    if (is_of_runtime(frame)) site.array->made_at.reset();
  }
  if (!record.called_from || std::erase_if(*record.called_from, is_of_runtime) == 0) return;
  const auto own = std::ranges::find(*record.called_from, false, &FrameRecord::library);
  record.caller = own == record.called_from->end() ? std::nullopt : std::optional(frame_words(*own));
  if (record.called_from->empty()) record.called_from.reset();
}

}  // namespace

Report read_report(std::string_view text, const std::string& source, std::span<const std::string_view> emptied) {
  const JsonText parsed(text, source, emptied);
  return read_report(parsed.root());
}

Report read_report(const JsonReader& json) {
  Report report;
  FieldReader reader(json, WrittenBy::any_version);
  fields(reader, report);
  std::ranges::for_each(report.results, leave_out_runtime);
  take_columns(report, json);
  require_cases_of_checks(json, report.results.size());
  if (report.advice && !is_about_results(*report.advice, report.results)) report.advice.reset();
  // Somebody may have left out results, and conclusions from all of them with them; they can be drawn anew.
  const auto is_beyond = [&](std::size_t index) { return index >= report.results.size(); };
  std::erase_if(report.conclusions, [&](ConclusionRecord& conclusion) {
    std::ranges::sort(conclusion.cases);
    return std::ranges::any_of(conclusion.cases, is_beyond) ||
           std::ranges::any_of(conclusion.facts,
                               [&](const FactRecord& fact) { return std::ranges::any_of(fact.cases, is_beyond); });
  });
  return report;
}

std::string read_text(const std::string& path, std::istream& standard_input) {
  return path == "-" ? read_input(standard_input, source_name(path)) : read_input_file(path);
}

Report read_report_file(const std::string& path, std::istream& standard_input,
                        std::span<const std::string_view> emptied) {
  const std::string text = read_text(path, standard_input);
  const std::string source = source_name(path);
  return read_document(text, source, "report", [&] { return read_report(text, source, emptied); });
}

Report read_report_line(std::string_view line) {
  try {
    return read_report(line, "not a report");
  } catch (const Error& error) {
    throw std::runtime_error(error.what());  // nobody's command line is at fault
  }
}

Record read_record_line(std::string_view line) {
  try {
    const JsonText text(line, "not a record");
    const JsonReader json = text.root();
    FieldReader reader(json, WrittenBy::this_version);
    Record record;
    fields(reader, record);
    return record;
  } catch (const Error& error) {
    throw std::runtime_error(error.what());  // nobody's command line is at fault
  }
}

}  // namespace gpumem::report
