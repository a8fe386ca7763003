#pragma once
// Cases and expectations of the tests' own, for checks and their writers.

#include <string>
#include <vector>

#include "report/check/check.hpp"

namespace gpumem::report::checked {

/// A measured case of the probe `shift` in `op` that moved so many GB/s.
inline Record shifted(std::uint64_t offset, const std::string& op, double gb_per_s) {
  Record record;
  record.probe = "shift";
  record.parameters = {{"offset_elements", offset}, {"op", op}, {"block_threads", std::uint64_t{256}}};
  record.chosen = {"block_threads"};
  record.swept = "offset_elements";
  record.baseline = std::uint64_t{0};
  record.verified = true;
  record.time = TimeRecord{};
  record.time->summary.median = measure::Seconds(1 / gb_per_s);
  record.time->samples = {measure::Seconds(1 / gb_per_s), measure::Seconds(1 / gb_per_s)};
  record.headline.measured = gb_per_s;
  record.headline.predicted = 4600;
  record.headline.peak = 5000;
  record.fraction_of_peak = gb_per_s / 5000;
  record.access = {{.site = "source",
                    .space = "global",
                    .op = "load",
                    .word_bytes = 4,
                    .costs = {{sectors, {offset % 8 == 0 ? 4.0 : 5.0, std::nullopt}}}}};
  record.metrics = {{"cycles_per_request", 4.0 + static_cast<double>(offset), {}}, {"never_known_ns", {}, {}}};
  return record;
}

/// Offsets 0, 1, 3 and 8, read and written.
inline Report measured() {
  Report report;
  report.tool = {.version = "0.1.0", .git_commit = "abc", .compiler = "", .cuda_compiler = "", .build_type = ""};
  report.backend = "cuda";
  report.started_at = "2026-11-21T10:00:00Z";
  report.host.name = "gpu17";
  report.device.emplace();
  report.device->name = "NVIDIA H200";
  report.device->uuid = "GPU-1";
  report.device->pcie_width = 16;
  report.devices = {*report.device};
  report.suite = "mine";
  report.watched = {"wide_interval", "throttled"};
  report.results = {shifted(0, "read", 4580),  shifted(1, "read", 4500),  shifted(3, "read", 4480),
                    shifted(8, "read", 4570),  shifted(0, "write", 4500), shifted(1, "write", 2400),
                    shifted(3, "write", 2300), shifted(8, "write", 4400)};
  return report;
}

inline Selection select(const std::vector<std::uint64_t>& offsets, const std::vector<std::string>& ops = {}) {
  Selection selection{.probes = {"shift"}};
  if (!offsets.empty()) selection.parameters.push_back({{"offset_elements"}, {offsets.begin(), offsets.end()}});
  if (!ops.empty()) selection.parameters.push_back({{"op"}, {ops.begin(), ops.end()}});
  return selection;
}

/// Expects shifted reads to reach at least 0.8 of the one that is not shifted.
inline Expectation shifted_reads() {
  Expectation expectation;
  expectation.name = "shifted reads lose little";
  expectation.cases = select({1, 3}, {"read"});
  expectation.quantity = "bandwidth_gb_per_s";
  expectation.relative_to = Selection{.parameters = {{{"offset_elements"}, {std::uint64_t{0}}}}};
  expectation.at_least = 0.8;
  return expectation;
}

inline Expectation of_device(const std::string& quantity, double at_least) {
  Expectation expectation;
  expectation.name = "the link has all its lanes";
  expectation.subject = Expectation::Subject::device;
  expectation.quantity = quantity;
  expectation.at_least = at_least;
  return expectation;
}

inline Expectation without(const std::vector<std::string>& flags) {
  Expectation expectation;
  expectation.name = "nothing disturbed it";
  expectation.subject = Expectation::Subject::flags;
  expectation.flags = flags;
  return expectation;
}

}  // namespace gpumem::report::checked
