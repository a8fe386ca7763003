#pragma once
// The numbers of a report by name: their descriptions, and their values in a record.

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

/// All quantities that cases of a probe may be asked for: its headline, those of every case, its metrics, the counters.
[[nodiscard]] std::vector<Quantity> case_quantities(const Probe& probe);

/// All quantities that occur in the report, each once: headlines, metrics, conclusions, those of every case, and
/// counters. If the probe is not known, the records describe them.
[[nodiscard]] std::vector<Quantity> quantities_in(const Report& report, const ProbeLookup& find = find_described_probe);

/// Puts the report's columns of parameters and metrics into the order of the registry, which is the same in every
/// report. Columns that only this report has come after them, and those of a user's kernels last. A headline other than
/// the bandwidth has a column too, and so have the quantities that several cases show together.
void order_columns(Report& report, const std::vector<Probe>& registry);

/// Returns the value of a quantity in a record, or nullopt if it is not known. A measured or counted value goes before
/// a predicted one. With several access sites it is the largest value, because the worst site decides. A failed or
/// skipped case has no value, but a kernel whose accesses were not seen has its times.
[[nodiscard]] std::optional<double> case_quantity(const Record& record, std::string_view name);

/// True if the quantity is about memory accesses; a kernel without accesses does not have it.
[[nodiscard]] bool is_of_accesses(std::string_view quantity);

/// The names that device_quantity() knows: "pcie_generation", "pcie_width", ...
[[nodiscard]] std::vector<std::string> device_quantity_names();

/// Returns the value of the quantity, or nullopt if the device does not tell.
[[nodiscard]] std::optional<double> device_quantity(const Device& device, std::string_view name);

}  // namespace gpumem::report
