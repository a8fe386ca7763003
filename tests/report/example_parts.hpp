#pragma once
// Parts that the examples share.

#include <cstdint>
#include <span>
#include <string>

#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::report::examples {

/// A PCI Express link of the fifth generation with 16 lanes: 32 GT/s each, of which 128 of 130 bits are data.
constexpr double link_gb_per_s = 32e9 * 128 / 130 / 8 * 16 / 1e9;

/// A report without cases, of an H200.
[[nodiscard]] Report frame(const std::string& backend);

/// Lists so many of the report's GPU.
void add_devices(Report& report, std::uint64_t gpus);

/// Fills in what follows from the cases: headlines, baselines, conclusions and findings.
void finish(Report& report);

/// The conclusions of the probes "transfer" and "overlap" (find_example_probe()).
[[nodiscard]] Conclusion conclude_transfer(std::span<const Outcome> outcomes);
[[nodiscard]] Conclusion conclude_overlap(std::span<const Outcome> outcomes);

}  // namespace gpumem::report::examples
