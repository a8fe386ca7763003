// A fleet for programs: everything that was read and judged, as JSON and as CSV. Absent is null, or an empty field.

#include <algorithm>
#include <ostream>
#include <ranges>

#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/csv_row.hpp"
#include "report/write/fleets/fleet.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using json_values::Json;
using json_values::known;
using json_values::number;
using json_values::optional;
using json_values::parameters;

Json to_json(const Fleet& fleet, const FleetCase& fleet_case) {
  const FleetCaseName& name = fleet.names->case_name(fleet_case.name);
  const auto of_values = [&](double value) { return fleet_case.count > 0 ? number(value) : Json(nullptr); };
  return {{"probe", name.asked.probe},
          {"parameters", parameters(name.asked.parameters)},
          {"repetition", name.repetition},
          {"quantity", name.quantity.name},
          {"better", to_string(name.quantity.better)},
          {"machines", fleet_case.machines},
          {"count", fleet_case.count},
          {"median", of_values(fleet_case.median)},
          {"mad", of_values(fleet_case.mad)},
          {"min", of_values(fleet_case.min)},
          {"max", of_values(fleet_case.max)},
          {"judged", fleet_case.judged},
          {"least_off", fleet_case.judged ? number(fleet_case.least_off) : Json(nullptr)},
          {"slow", fleet_case.slow},
          {"fast", fleet_case.fast},
          {"shapes_by_auto", fleet_case.shapes},
          {"usual_shape_by_auto", parameters(fleet.names->shape(fleet_case.usual_shape))}};
}

Json to_json(const FleetTally& tally, const Fleet& fleet) {
  Json values = Json::array();
  for (const FleetTally::Value& value : tally.values) {
    // The machines with the most frequent value are not listed.
    Json files = Json::array();
    if (&value != tally.values.data()) {
      for (const std::size_t machine : value.machines) files.push_back(fleet.machines[machine].file);
    }
    values.push_back({{"value", value.text}, {"machines", value.machines.size()}, {"files", std::move(files)}});
  }
  return {{"property", tally.property}, {"values", std::move(values)}};
}

Json to_json(const Fleet& fleet, const FleetKind& kind) {
  Json properties = Json::array();
  for (const FleetTally& tally : kind.properties) properties.push_back(to_json(tally, fleet));
  Json cases = Json::array();
  for (const FleetCase& fleet_case : kind.cases) cases.push_back(to_json(fleet, fleet_case));
  return {{"gpu", kind.gpu},
          {"gpus", kind.gpus},
          {"backend", kind.predicted ? "model" : "cuda"},
          {"machines", kind.machines.size()},
          {"properties", std::move(properties)},
          {"cases", std::move(cases)}};
}

/// Leaves out the values that `auto` decided: a fleet would have as many of these as machines times cases.
Json to_json(const FleetReading& reading, const FleetJudgement& judgement) {
  return {{"case", judgement.index},
          {"verdict", to_string(judgement.verdict)},
          {"value", number(judgement.value)},
          {"relative", number(judgement.relative)},
          {"z", number(judgement.z)},
          {"reason", known(reading.reason)},
          {"flags", reading.flags}};
}

Json to_json(const FleetMachine& machine) {
  return {{"file", machine.file},
          {"host", known(machine.host)},
          {"gpus", machine.gpus},
          {"device",
           {{"name", machine.gpu}, {"uuid", optional(machine.uuid)}, {"pci_bus_id", optional(machine.pci_bus_id)}}},
          {"backend", machine.backend},
          {"started_at", known(machine.started_at)}};
}

Json to_json(const Fleet& fleet, std::size_t index) {
  const FleetMachine& machine = fleet.machines[index];
  const auto finding = std::ranges::find(fleet.findings, index, &FleetFinding::machine);
  const bool stands_out = finding != fleet.findings.end();
  Json cases = Json::array();
  for (std::size_t i = 0; i < machine.readings.size(); ++i) {
    const FleetJudgement& judgement = fleet.judgements[index][i];
    Json& entry = cases.emplace_back(to_json(machine.readings[i], judgement));
    // The values that `auto` decided on most machines stand with the case; this machine has others.
    if (judgement.other_shape) entry["shape_by_auto"] = parameters(fleet.names->shape(machine.readings[i].shape));
  }
  Json json = to_json(machine);
  json["kind"] = fleet.kind_of[index];
  json["stands_out"] = stands_out;
  json["missing_cases"] = stands_out ? Json(finding->missing) : Json::array();
  json["cases"] = std::move(cases);
  return json;
}

std::string dumped(const Json& json) { return json.dump(-1, ' ', false, Json::error_handler_t::replace); }

/// `"name": [...]`, an item on each line.
template <typename Items, typename ToJson>
void write_list(std::ostream& out, const char* name, const Items& items, const ToJson& to_item) {
  out << ",\n  \"" << name << "\": [";
  const char* separator = "\n    ";
  for (const auto& item : items) {
    out << separator << dumped(to_item(item));
    separator = ",\n    ";
  }
  out << (items.empty() ? "]" : "\n  ]");
}

/// The columns before the verdict of a reading: the case, with every parameter that any case has.
std::vector<CsvPath> case_paths(const Fleet& fleet) {
  std::vector<CsvPath> paths = {{"probe"}};
  for (const FleetKind& kind : fleet.kinds) {
    for (const FleetCase& fleet_case : kind.cases) {
      for (const auto& [name, value] : fleet.names->case_name(fleet_case.name).asked.parameters) {
        add_paths(paths, {"parameters"}, {name});
      }
    }
  }
  paths.insert(paths.end(), {{"repetition"}, {"quantity"}});
  return paths;
}

std::string shape_words(const std::vector<Parameter>& shape) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : shape) parts.push_back(name + "=" + gpumem::to_string(value));
  return join(parts, ";");
}

}  // namespace

void write_fleet_json(std::ostream& out, const Fleet& fleet) {
  const Tool& tool = fleet.tool;
  out << "{\n  \"schema_version\": 1,\n  \"tool\": "
      << dumped({{"name", "gpumem"}, {"version", known(tool.version)}, {"git_commit", known(tool.git_commit)}})
      << ",\n  \"fleet\": "
      << dumped({{"machines", fleet.machines.size()},
                 {"stand_out", fleet.findings.size()},
                 {"tolerance", number(fleet.tolerance)},
                 {"outlier_z", measure::outlier_z},
                 {"fewest_values", measure::fewest_comparable}});
  write_list(out, "kinds", fleet.kinds, [&](const FleetKind& kind) { return to_json(fleet, kind); });
  write_list(out, "unreadable", fleet.unreadable, [](const Unreadable& unreadable) {
    return Json{{"file", unreadable.file}, {"reason", unreadable.reason}};
  });
  write_list(out, "duplicates", fleet.duplicates, [&](const std::vector<std::size_t>& machines) {
    Json files = Json::array();
    for (const std::size_t machine : machines) files.push_back(fleet.machines[machine].file);
    return files;
  });
  write_list(out, "machines", std::views::iota(std::size_t{0}, fleet.machines.size()),
             [&](std::size_t index) { return to_json(fleet, index); });
  out << "\n}\n";
}

void write_fleet_csv(std::ostream& out, const Fleet& fleet) {
  static const std::vector<CsvPath> machine_paths = {
      {"file"}, {"host"}, {"device", "name"}, {"device", "uuid"}, {"device", "pci_bus_id"}, {"backend"}};
  static const std::vector<CsvPath> reading_paths = {{"verdict"},       {"value"},  {"relative"}, {"z"},
                                                     {"shape_by_auto"}, {"reason"}, {"flags"}};
  std::vector<CsvPath> statistics_paths;
  add_paths(statistics_paths, {"case"}, {"count", "median", "mad", "min", "max", "least_off"});
  const std::vector<CsvPath> paths_of_case = case_paths(fleet);
  out << csv_names(machine_paths) << ',' << csv_names(paths_of_case) << ',' << csv_names(reading_paths) << ','
      << csv_names(statistics_paths) << '\n';
  std::vector<std::vector<std::pair<std::string, std::string>>> of_cases;  // per kind and case: before, after
  for (const FleetKind& kind : fleet.kinds) {
    auto& fields = of_cases.emplace_back();
    for (const FleetCase& fleet_case : kind.cases) {
      const Json json = to_json(fleet, fleet_case);
      fields.emplace_back(csv_fields(json, paths_of_case), csv_fields({{"case", json}}, statistics_paths));
    }
  }
  for (std::size_t m = 0; m < fleet.machines.size(); ++m) {
    const FleetMachine& machine = fleet.machines[m];
    const std::string start = csv_fields(to_json(machine), machine_paths);
    for (std::size_t i = 0; i < machine.readings.size(); ++i) {
      const FleetJudgement& judgement = fleet.judgements[m][i];
      Json reading = to_json(machine.readings[i], judgement);
      reading["shape_by_auto"] = shape_words(fleet.names->shape(machine.readings[i].shape));
      const auto& [before, after] = of_cases[fleet.kind_of[m]][judgement.index];
      out << start << ',' << before << ',' << csv_fields(reading, reading_paths) << ',' << after << '\n';
    }
  }
}

}  // namespace gpumem::report
