#pragma once
// The quantities that an expectation can be about, by their names in suites.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "probes/device.hpp"
#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

inline constexpr const char* default_quantity = "bandwidth_gb_per_s";

/// Those of every case, then the probe's metrics, then the counters.
[[nodiscard]] std::vector<std::string> case_quantity_names(const Probe& probe);

/// Its value in a record, absent where it is not known. Of a quantity in several readings the one that a person reads
/// first: measured or counted where there is one, else predicted. Of several access sites the largest, for the worst
/// decides. Never of a failed or skipped case.
[[nodiscard]] std::optional<double> case_quantity(const Record& record, std::string_view name);

/// "pcie_generation", "pcie_width", ...
[[nodiscard]] std::vector<std::string> device_quantity_names();

/// Its value, absent where the device does not tell.
[[nodiscard]] std::optional<double> device_quantity(const Device& device, std::string_view name);

}  // namespace gpumem::report
