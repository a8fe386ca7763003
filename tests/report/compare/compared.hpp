#pragma once
// Reports of cases that took a known time, and their comparison in words.

#include <cstdint>
#include <optional>
#include <sstream>
#include <string>
#include <utility>
#include <vector>

#include "report/compare/compare.hpp"
#include "report/write/comparisons/comparison.hpp"

namespace gpumem::report::compared {

/// A case of the probe "offset" that took 1 ms / `speed`, with an interval of so much each way.
inline Record timed(std::uint64_t offset, double speed, double half_width = 0.001) {
  Record record;
  record.probe = "offset";
  record.swept = "offset_elements";
  record.parameters = {{"offset_elements", offset}, {"op", std::string("read")}};
  record.verified = true;
  record.useful_bytes_read = 4'000'000'000;
  const double median = 1e-3 / speed;
  record.time = TimeRecord{.summary = {.median = measure::Seconds(median),
                                       .ci95_low = measure::Seconds(median * (1 - half_width)),
                                       .ci95_high = measure::Seconds(median * (1 + half_width)),
                                       .count = 15},
                           .samples = {}};
  record.headline.measured = 4 / median;
  record.headline.ci95_low = 4 / (median * (1 + half_width));
  record.headline.ci95_high = 4 / (median * (1 - half_width));
  return record;
}

inline NamedReport named(const std::string& name, std::vector<Record> results, const std::string& backend = "cuda") {
  Report report;
  report.backend = backend;
  report.started_at = "2026-11-20T10:00:00Z";
  report.device.emplace().name = "NVIDIA H200";
  report.results = std::move(results);
  return {name, std::move(report)};
}

inline Record without_time(Record record, Status status, const std::string& reason) {
  record.status = status;
  record.reason = reason;
  record.verified = std::nullopt;
  record.time = std::nullopt;
  record.headline.measured = std::nullopt;
  return record;
}

inline std::string text_of(const Comparison& comparison, Format format = Format::table, unsigned width = 80,
                           bool changed_only = false) {
  std::ostringstream out;
  write_comparison(out, comparison, format, {.width = width}, changed_only);
  return out.str();
}

inline bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace gpumem::report::compared
