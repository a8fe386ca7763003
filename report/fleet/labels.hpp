#pragma once
// What people call the machines, kinds and cases of a fleet.

#include <string>
#include <vector>

#include "report/fleet/fleet.hpp"

namespace gpumem::report {

/// The name of a report's file, without its folders.
[[nodiscard]] std::string file_name(const FleetMachine& machine);
/// The host's name, or the file's where the report knows none.
[[nodiscard]] std::string host_words(const FleetMachine& machine);
/// "41:00.0", or the beginning of the UUID; empty where neither is known.
[[nodiscard]] std::string gpu_words(const FleetMachine& machine);

/// "NVIDIA H200", "NVIDIA H200 (predicted)"
[[nodiscard]] std::string kind_words(const FleetKind& kind);

/// "node042 41:00.0", for a person.
[[nodiscard]] std::string machine_label(const FleetMachine& machine);

/// Cases of one kind in words, by the parameters in which those of a probe differ: "offset: offset 3, write".
class FleetCaseLabels {
 public:
  FleetCaseLabels(const Fleet& fleet, const FleetKind& kind);
  [[nodiscard]] const std::string& operator[](std::size_t index) const { return labels_[index]; }

 private:
  std::vector<std::string> labels_;
};

}  // namespace gpumem::report
