// Readable names of the machines, kinds and cases of a fleet.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>

#include "report/fleet/fleet.hpp"
#include "report/record/cases.hpp"
#include "report/record/gpus.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::string file_name(const FleetMachine& machine) {
  return one_line(std::filesystem::path(machine.file).filename().string());
}

std::string host_words(const FleetMachine& machine) {
  return machine.host.empty() ? file_name(machine) : one_line(machine.host);
}

std::string gpu_words(const FleetMachine& machine) {
  constexpr std::size_t uuid_length = 12;  // "GPU-7c890b39"
  if (machine.gpus > 1) return "";
  if (machine.pci_bus_id) return short_pci_bus_id(*machine.pci_bus_id);
  return machine.uuid ? truncated(one_line(*machine.uuid), uuid_length) : "";
}

std::string machine_label(const FleetMachine& machine) {
  const std::string gpu = gpu_words(machine);
  return host_words(machine) + (gpu.empty() ? "" : " " + gpu);
}

std::string kind_words(const FleetKind& kind) {
  const std::string name = one_line(kind.gpu) + (kind.predicted ? " (predicted)" : "");
  return kind.gpus > 1 ? fmt::format("node with {} {}", kind.gpus, name) : name;
}

std::string_view machine_noun(const FleetKind& kind) { return kind.gpus > 1 ? "node" : "GPU"; }

std::string_view machine_noun(const Fleet& fleet) {
  const auto is_node = [](const FleetKind& kind) { return kind.gpus > 1; };
  if (std::ranges::none_of(fleet.kinds, is_node)) return "GPU";
  return std::ranges::all_of(fleet.kinds, is_node) ? "node" : "machine";
}

std::vector<std::string> case_labels(const Fleet& fleet, const FleetKind& kind) {
  std::vector<Record> records(kind.cases.size());
  std::map<std::string, Cases> of_probe;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const FleetCaseName& name = fleet.names->case_name(kind.cases[i].name);
    records[i].probe = name.probe;
    records[i].parameters = name.parameters;
    of_probe[name.probe].push_back(&records[i]);
  }
  std::map<std::string, std::set<std::string>> telling;
  for (const auto& [probe, cases] : of_probe) telling[probe] = varying(cases);
  std::vector<std::string> labels;
  for (std::size_t i = 0; i < records.size(); ++i) {
    const FleetCaseName& name = fleet.names->case_name(kind.cases[i].name);
    std::vector<std::string> parts = {parameter_words(records[i], telling[name.probe])};
    if (name.is_metric) parts.push_back(quantity_words(name.quantity));
    if (name.repetition > 0) parts.push_back(fmt::format("repetition {}", name.repetition));
    if (parts.front().empty()) parts.erase(parts.begin());
    labels.push_back(one_line(name.probe + (parts.empty() ? "" : ": ") + join(parts, ", ")));
  }
  return labels;
}

}  // namespace gpumem::report
