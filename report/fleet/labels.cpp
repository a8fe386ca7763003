// Readable names of the machines and kinds of a fleet.

#include <fmt/format.h>

#include <algorithm>
#include <filesystem>

#include "report/fleet/fleet.hpp"
#include "report/record/gpus.hpp"
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

}  // namespace gpumem::report
