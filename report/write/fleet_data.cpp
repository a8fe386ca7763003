// A fleet for programs: everything that was read and judged, as JSON and as CSV. Absent is null, or an empty field.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <ostream>

#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/fleet.hpp"
#include "report/write/json_values.hpp"

namespace gpumem::report {

namespace {

using namespace json_values;

Json to_json(const Fleet& fleet, const FleetCase& one) {
  const FleetCaseName& name = fleet.names->case_name(one.name);
  const auto of_values = [&](double value) { return one.count > 0 ? number(value) : Json(nullptr); };
  return {{"probe", name.probe},
          {"parameters", parameters(name.parameters)},
          {"repetition", name.repetition},
          {"quantity", name.quantity},
          {"better", to_string(name.better)},
          {"machines", one.machines},
          {"count", one.count},
          {"median", of_values(one.median)},
          {"mad", of_values(one.mad)},
          {"min", of_values(one.min)},
          {"max", of_values(one.max)},
          {"judged", one.judged},
          {"least_off", one.judged ? number(one.least_off) : Json(nullptr)},
          {"slow", one.slow},
          {"fast", one.fast},
          {"shapes_by_auto", one.shapes},
          {"usual_shape_by_auto", parameters(fleet.names->shape(one.usual_shape))}};
}

Json to_json(const FleetTally& tally, const Fleet& fleet) {
  Json values = Json::array();
  for (const FleetTally::Value& value : tally.values) {
    // Whoever has what most have need not be listed.
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
  for (const FleetCase& one : kind.cases) cases.push_back(to_json(fleet, one));
  return {{"gpu", kind.gpu},
          {"backend", kind.predicted ? "model" : "cuda"},
          {"machines", kind.machines.size()},
          {"properties", std::move(properties)},
          {"cases", std::move(cases)}};
}

Json to_json(const Fleet& fleet, const FleetReading& reading, const FleetJudgement& judgement) {
  Json json = {{"case", judgement.index},
               {"verdict", to_string(judgement.verdict)},
               {"value", number(judgement.value)},
               {"relative", number(judgement.relative)},
               {"z", number(judgement.z)},
               {"reason", known(reading.reason)},
               {"flags", reading.flags}};
  // A fleet has as many of these as machines times cases: what most decided stands with the case.
  if (judgement.other_shape) json["shape_by_auto"] = parameters(fleet.names->shape(reading.shape));
  return json;
}

Json to_json(const Fleet& fleet, std::size_t index) {
  const FleetMachine& machine = fleet.machines[index];
  const auto finding = std::ranges::find(fleet.findings, index, &FleetFinding::machine);
  Json missing = Json::array();
  if (finding != fleet.findings.end()) missing = finding->missing;
  Json cases = Json::array();
  for (std::size_t i = 0; i < machine.readings.size(); ++i) {
    cases.push_back(to_json(fleet, machine.readings[i], fleet.judgements[index][i]));
  }
  return {{"file", machine.file},
          {"host", known(machine.host)},
          {"device",
           {{"name", machine.gpu}, {"uuid", optional(machine.uuid)}, {"pci_bus_id", optional(machine.pci_bus_id)}}},
          {"started_at", known(machine.started_at)},
          {"kind", fleet.kind_of[index]},
          {"stands_out", finding != fleet.findings.end()},
          {"missing_cases", std::move(missing)},
          {"cases", std::move(cases)}};
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

/// RFC 4180: fields with separators, quotes or line breaks are quoted, and quotes doubled.
std::string quoted(const std::string& field) {
  if (field.find_first_of(",\"\r\n") == std::string::npos) return field;
  std::string text = "\"";
  for (const char c : field) {
    if (c == '"') text += '"';
    text += c;
  }
  return text + '"';
}

std::string field(std::optional<double> value) {
  return value && std::isfinite(*value) ? fmt::format("{}", *value) : std::string();
}

/// All names of parameters, in order of appearance.
std::vector<std::string> parameter_names(const Fleet& fleet) {
  std::vector<std::string> names;
  for (const FleetKind& kind : fleet.kinds) {
    for (const FleetCase& one : kind.cases) {
      for (const Parameter& parameter : fleet.names->case_name(one.name).parameters) {
        if (std::ranges::find(names, parameter.name) == names.end()) names.push_back(parameter.name);
      }
    }
  }
  return names;
}

/// Of a case, what every machine's row of it has: parameters, and below what the machines have together.
std::string case_fields(const Fleet& fleet, const FleetCase& one, const std::vector<std::string>& parameters) {
  const FleetCaseName& name = fleet.names->case_name(one.name);
  std::string text = quoted(name.probe);
  for (const std::string& parameter : parameters) {
    const auto found = std::ranges::find(name.parameters, parameter, &Parameter::name);
    text += ',';
    if (found != name.parameters.end()) text += quoted(gpumem::to_string(found->value));
  }
  return text + fmt::format(",{},{}", name.repetition, name.quantity);
}

std::string statistics_fields(const FleetCase& one) {
  const auto of_values = [&](double value) { return one.count > 0 ? field(value) : std::string(); };
  return fmt::format("{},{},{},{},{},{}", one.count, of_values(one.median), of_values(one.mad), of_values(one.min),
                     of_values(one.max), one.judged ? field(one.least_off) : "");
}

std::string shape_words(const std::vector<Parameter>& shape) {
  std::vector<std::string> parts;
  for (const auto& [name, value] : shape) parts.push_back(name + "=" + gpumem::to_string(value));
  return join(parts, ";");
}

std::string machine_fields(const FleetMachine& machine) {
  return fmt::format("{},{},{},{},{},{}", quoted(machine.file), quoted(machine.host), quoted(machine.gpu),
                     quoted(machine.uuid.value_or("")), quoted(machine.pci_bus_id.value_or("")),
                     quoted(machine.backend));
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
                 {"outlier_z", fleet_outlier_z},
                 {"fewest_values", fewest_fleet_values}});
  write_list(out, "kinds", fleet.kinds, [&](const FleetKind& kind) { return to_json(fleet, kind); });
  write_list(out, "unreadable", fleet.unreadable, [](const Unreadable& one) {
    return Json{{"file", one.file}, {"reason", one.reason}};
  });
  write_list(out, "duplicates", fleet.duplicates, [&](const std::vector<std::size_t>& machines) {
    Json files = Json::array();
    for (const std::size_t machine : machines) files.push_back(fleet.machines[machine].file);
    return files;
  });
  std::vector<std::size_t> indices(fleet.machines.size());
  for (std::size_t i = 0; i < indices.size(); ++i) indices[i] = i;
  write_list(out, "machines", indices, [&](std::size_t index) { return to_json(fleet, index); });
  out << "\n}\n";
}

void write_fleet_csv(std::ostream& out, const Fleet& fleet) {
  const std::vector<std::string> parameters = parameter_names(fleet);
  out << "file,host,device.name,device.uuid,device.pci_bus_id,backend,probe";
  for (const std::string& name : parameters) out << ',' << quoted("parameters." + name);
  out << ",repetition,quantity,verdict,value,relative,z,shape_by_auto,reason,flags,case.count,case.median,case.mad,"
         "case.min,case.max,case.least_off\n";
  std::vector<std::vector<std::pair<std::string, std::string>>> of_cases;  // per kind and case
  for (const FleetKind& kind : fleet.kinds) {
    auto& fields = of_cases.emplace_back();
    for (const FleetCase& one : kind.cases) {
      fields.emplace_back(case_fields(fleet, one, parameters), statistics_fields(one));
    }
  }
  for (std::size_t m = 0; m < fleet.machines.size(); ++m) {
    const FleetMachine& machine = fleet.machines[m];
    const std::string start = machine_fields(machine);
    for (std::size_t i = 0; i < machine.readings.size(); ++i) {
      const FleetReading& reading = machine.readings[i];
      const FleetJudgement& judgement = fleet.judgements[m][i];
      const auto& [before, after] = of_cases[fleet.kind_of[m]][judgement.index];
      out << start << ',' << before << ','
          << fmt::format("{},{},{},{},{},{},{},", to_string(judgement.verdict), field(judgement.value),
                         field(judgement.relative), field(judgement.z),
                         quoted(shape_words(fleet.names->shape(reading.shape))), quoted(reading.reason),
                         quoted(join(reading.flags, ";")))
          << after << '\n';
    }
  }
}

}  // namespace gpumem::report
