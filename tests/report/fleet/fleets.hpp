#pragma once
// Reports of fleets that are alike but for what a test changes, and their judgement.

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <memory>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "report/fleet/fleet.hpp"
#include "report/write/fleets/fleet.hpp"
#include "tests/report/examples.hpp"

namespace gpumem::report::fleets {

/// A verified case of 1 GB per launch.
inline Record offset_case(std::uint64_t offset, double gb_per_s) {
  Record record;
  record.probe = "offset";
  record.parameters = {{"offset_elements", offset}, {"op", "write"}, {"block_threads", std::uint64_t{256}}};
  record.chosen = {"block_threads"};
  record.swept = "offset_elements";
  record.verified = true;
  record.useful_bytes_written = 1'000'000'000;
  record.headline.measured = gb_per_s;
  record.headline.predicted = 1.0;  // that nobody may take for a measured one
  record.time = examples::time_record(1 / gb_per_s, 3);
  return record;
}

inline Report machine(std::size_t number, const std::vector<double>& gb_per_s) {
  Report report;
  report.tool.version = "0.1.0";
  report.backend = "cuda";
  report.host.name = "node" + std::to_string(number);
  report.device = Device{};
  report.device->name = "Example GPU";
  report.device->uuid = "GPU-" + std::to_string(number);
  report.device->pci_bus_id = "00000000:41:00.0";
  report.device->driver_version = "580.1";
  for (std::size_t i = 0; i < gb_per_s.size(); ++i) report.results.push_back(offset_case(i, gb_per_s[i]));
  return report;
}

/// So many alike, but for noise of about 0.1 % that repeats every few machines.
inline std::vector<Report> healthy(std::size_t machines, std::size_t cases = 3) {
  std::vector<Report> reports;
  for (std::size_t m = 0; m < machines; ++m) {
    std::vector<double> values;
    for (std::size_t c = 0; c < cases; ++c) {
      const double noise = static_cast<double>((m * 7 + c * 3) % 5) - 2;
      values.push_back(1000.0 * static_cast<double>(c + 1) * (1 + 0.001 * noise));
    }
    reports.push_back(machine(m, values));
  }
  return reports;
}

/// So many alike, with the pairs of four GPUs.
inline std::vector<Report> nodes(std::size_t count) {
  std::vector<Report> reports(count, examples::even_node(4));
  for (std::size_t i = 0; i < count; ++i) reports[i].host.name = "node" + std::to_string(i);
  return reports;
}

inline Fleet judged(const std::vector<Report>& reports, double tolerance = measure::outlier_tolerance) {
  const auto names = std::make_shared<FleetNames>();
  std::vector<FleetMachine> machines;
  for (const Report& report : reports) {
    std::ranges::move(fleet_machines(report, report.host.name + ".json", *names), std::back_inserter(machines));
  }
  return judge_fleet(std::move(machines), names, tolerance);
}

inline std::vector<std::size_t> found(const Fleet& fleet) {
  std::vector<std::size_t> machines;
  for (const FleetFinding& finding : fleet.findings) machines.push_back(finding.machine);
  return machines;
}

using Machines = std::vector<std::size_t>;

inline std::string text_of(const Fleet& fleet, Format format, unsigned width = 100) {
  std::ostringstream out;
  write_fleet(out, fleet, format, {.width = width});
  return out.str();
}

inline nlohmann::json json_of(const Fleet& fleet) { return nlohmann::json::parse(text_of(fleet, Format::json)); }

}  // namespace gpumem::report::fleets
