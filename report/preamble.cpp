// What is said around the blocks: which GPU, what was read how, and what is left to say at the end.

#include <algorithm>

#include "report/blocks.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"

namespace gpumem::report {

namespace {

std::string measured_how(const Report& report) {
  std::size_t least = 0;
  std::size_t most = 0;
  bool verified = std::ranges::none_of(report.results, [](const Record& record) { return record.verified == false; });
  for (const Record& record : report.results) {
    if (!record.time) continue;
    const std::size_t count = record.time->summary.count;
    least = most == 0 ? count : std::min(least, count);
    most = std::max(most, count);
    verified = verified && record.verified == true;
  }
  if (most == 0) return {};
  const std::string samples =
      least == most ? std::to_string(least) : std::to_string(least) + " to " + std::to_string(most);
  return "Measured: median of " + samples + " samples per case, ± half its 95 % confidence interval" +
         (verified ? "; every output verified." : ".");
}

}  // namespace

bool is_plan(const Report& report) {
  return !report.results.empty() && std::ranges::all_of(report.results, [](const Record& record) {
    return record.status == Status::skipped && record.reason == "dry run";
  });
}

std::vector<std::string> preamble(const Report& report) {
  std::vector<std::string> lines;
  if (report.device) {
    const Device& device = *report.device;
    std::string line = one_line(device.name);
    const double bandwidth = device.theoretical_bandwidth_bytes_per_s() / 1e9;
    if (bandwidth > 0) line += ", " + fixed(bandwidth, 0) + " GB/s theoretical bandwidth";
    if (device.multiprocessors > 0) line += ", " + counted(device.multiprocessors, "multiprocessor");
    if (device.l2_bytes > 0) line += ", " + about_size(device.l2_bytes) + " L2";
    lines.push_back(std::move(line));
  }
  if (is_plan(report)) {
    lines.emplace_back("Dry run: the cases that would run. Nothing was run.");
    return lines;
  }
  const std::string source =
      report.profile ? "from profile '" + one_line(*report.profile) + "'" : "from the device's own attributes";
  if (report.backend == "model") {
    lines.push_back("PREDICTED by the model " + source + ". Nothing was measured.");
    return lines;
  }
  if (std::string how = measured_how(report); !how.empty()) lines.push_back(std::move(how));
  if (std::ranges::any_of(report.results, [](const Record& record) { return record.predicted_gb_per_s.has_value(); })) {
    lines.push_back("Predicted: by the model, " + source + ".");
  }
  return lines;
}

std::vector<std::string> closing(const Report& report) {
  if (is_plan(report)) {
    std::vector<std::string> counts;
    for (const Block& block : blocks(report)) {
      counts.push_back(std::to_string(block.rows.size()) + " of " + block.probe);
    }
    std::string line = counted(report.results.size(), "case");
    if (counts.size() > 1) line += ": " + join_in_words(counts);
    return {line + "."};
  }
  if (report.findings.size() == sweeps(report.results).size()) return {};
  return report.findings;
}

}  // namespace gpumem::report
