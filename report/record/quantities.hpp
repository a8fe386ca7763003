#pragma once
// The numbers of a report by their names: what they are, and where a record has them.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "engine/machine/device.hpp"
#include "probes/probe.hpp"
#include "report/record/kernels.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// The probe of a name; null if there is none.
using ProbeLookup = std::function<const Probe*(std::string_view)>;

/// Everything that cases of a probe may be asked for: its headline, what every case has, its metrics, the counters.
[[nodiscard]] std::vector<Quantity> case_quantities(const Probe& probe);

/// Everything that occurs in the report, each once: headlines, metrics, conclusions, what every case has, and counters.
/// Of a probe that is not known, as its records say.
[[nodiscard]] std::vector<Quantity> quantities_in(const Report& report, const ProbeLookup& find = find_described_probe);

/// Puts the report's columns of parameters and metrics into the order of the registry, the same in every report; what
/// only this report has comes after them, and those of kernels of a user's program last. A headline that is no
/// bandwidth, and what several cases show, have columns too.
void order_columns(Report& report, const std::vector<Probe>& registry);

/// The value of a quantity in a record, absent where it is not known. Of a quantity in several readings the one that a
/// person reads first: measured or counted where there is one, else predicted. Of several access sites the largest, for
/// the worst decides. Never of a failed or skipped case, but for the times of a kernel whose accesses were not seen.
[[nodiscard]] std::optional<double> case_quantity(const Record& record, std::string_view name);

/// Whether it is one of accesses to memory of some kind, which a kernel that has none of these does not have.
[[nodiscard]] bool is_of_accesses(std::string_view quantity);

/// "pcie_generation", "pcie_width", ...
[[nodiscard]] std::vector<std::string> device_quantity_names();

/// Its value, absent where the device does not tell.
[[nodiscard]] std::optional<double> device_quantity(const Device& device, std::string_view name);

}  // namespace gpumem::report
