// The values that GPUs should reach, for programs: as JSON and as CSV. Absent is null, or an empty field.

#include <ostream>

#include "report/text/names.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/expected/expected.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::number;
using json_values::optional;

Json to_json(const ExpectedValue& value) {
  return {{"quantity", value.quantity},
          {"value", number(value.value)},
          {"low", number(value.low)},
          {"high", number(value.high)},
          {"peak", number(value.peak)},
          {"unit", unit_of(value.quantity)},
          {"source", value.source},
          {"how", value.how},
          {"command", value.command},
          {"rate", value.rate},
          {"source_words", value.source_words}};
}

Json to_json(const ExpectedGpu& gpu) {
  Json expected = Json::array();
  for (const ExpectedValue& value : gpu.values) expected.push_back(to_json(value));
  return {{"gpu", gpu.device.name},
          {"profile", optional(gpu.profile)},
          {"own", gpu.is_own},
          {"label", gpu.label},
          {"expected", std::move(expected)}};
}

void write_document(std::ostream& out, const Json& members) {
  Json document = {{"schema_version", 1}};
  document.update(members);
  out << document.dump(2, ' ', false, Json::error_handler_t::replace) << '\n';
}

}  // namespace

void write_expected_json(std::ostream& out, const ExpectedGpu& gpu) { write_document(out, to_json(gpu)); }

void write_all_expected_json(std::ostream& out, std::span<const ExpectedGpu> gpus) {
  Json all = Json::array();
  for (const ExpectedGpu& gpu : gpus) all.push_back(to_json(gpu));
  write_document(out, {{"gpus", std::move(all)}});
}

void write_expected_csv(std::ostream& out, std::span<const ExpectedGpu> gpus) {
  std::vector<CsvPath> paths;
  add_paths(paths, {},
            {"gpu", "profile", "quantity", "value", "low", "high", "peak", "unit", "source", "how", "command", "label",
             "rate", "source_words"});
  out << csv_names(paths) << '\n';
  for (const ExpectedGpu& gpu : gpus) {
    for (const ExpectedValue& value : gpu.values) {
      Json row = {{"gpu", gpu.device.name}, {"profile", optional(gpu.profile)}, {"label", gpu.label}};
      row.update(to_json(value));
      out << csv_fields(row, paths) << '\n';
    }
  }
}

}  // namespace gpumem::report
