#include "report/fleet/labels.hpp"

#include <fmt/format.h>

#include <filesystem>
#include <map>

#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

std::string file_name(const FleetMachine& machine) {
  return one_line(std::filesystem::path(machine.file).filename().string());
}

std::string host_words(const FleetMachine& machine) {
  return machine.host.empty() ? file_name(machine) : one_line(machine.host);
}

/// "41:00.0" of "00000000:41:00.0": the domain is 0 on nearly every machine, and then says nothing.
std::string gpu_words(const FleetMachine& machine) {
  constexpr std::size_t uuid_length = 12;  // "GPU-7c890b39"
  if (machine.pci_bus_id) {
    std::string id = one_line(*machine.pci_bus_id);
    return id.starts_with("00000000:") ? id.substr(9) : id;
  }
  return machine.uuid ? truncated(one_line(*machine.uuid), uuid_length) : "";
}

std::string machine_label(const FleetMachine& machine) {
  const std::string gpu = gpu_words(machine);
  return host_words(machine) + (gpu.empty() ? "" : " " + gpu);
}

std::string kind_words(const FleetKind& kind) { return one_line(kind.gpu) + (kind.predicted ? " (predicted)" : ""); }

FleetCaseLabels::FleetCaseLabels(const Fleet& fleet, const FleetKind& kind) {
  // Of each probe and parameter the first value, until there is another one, or a case that has none.
  struct Seen {
    Value first;
    bool varies = false;
    std::size_t cases = 0;
  };
  std::map<std::string, std::map<std::string, Seen>> seen;
  std::map<std::string, std::size_t> cases;
  for (const FleetCase& one : kind.cases) {
    const FleetCaseName& name = fleet.names->case_name(one.name);
    ++cases[name.probe];
    for (const Parameter& parameter : name.parameters) {
      Seen& known = seen[name.probe].try_emplace(parameter.name, Seen{parameter.value}).first->second;
      known.varies = known.varies || known.first != parameter.value;
      ++known.cases;
    }
  }
  for (const FleetCase& one : kind.cases) {
    const FleetCaseName& name = fleet.names->case_name(one.name);
    std::vector<std::string> parts;
    for (const Parameter& parameter : name.parameters) {
      const Seen& known = seen[name.probe][parameter.name];
      if (known.varies || known.cases < cases[name.probe]) {
        parts.push_back(parameter.name == "op" ? parameter_phrase(parameter) : position_phrase(parameter));
      }
    }
    if (name.is_metric) parts.push_back(quantity_words(name.quantity));
    if (name.repetition > 0) parts.push_back(fmt::format("repetition {}", name.repetition));
    labels_.push_back(one_line(name.probe + (parts.empty() ? "" : ": ") + join(parts, ", ")));
  }
}

}  // namespace gpumem::report
