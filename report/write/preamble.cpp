// What is said around the blocks: which GPU, what was read how, and what is left to say at the end.

#include <algorithm>
#include <cmath>

#include "probes/words.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"
#include "report/write/blocks.hpp"

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

/// Whether a case's bandwidth is a share of the link's, one way or both.
bool refers_to_link(const Record& record, double link_gb_per_s) {
  if (record.headline.quantity != bandwidth_name) return false;
  const double ways = record.headline.peak.value_or(0) / link_gb_per_s;
  return std::abs(ways - 1) < 0.001 || std::abs(ways - 2) < 0.001;
}

/// Whether any case is about memory of the host. What moves data without a kernel that touches it is a transfer.
bool uses_host(const Report& report) {
  const auto link = report.device ? report.device->link_bytes_per_s() : std::nullopt;
  return report.host_placement || std::ranges::any_of(report.results, [&](const Record& record) {
           const bool copies = record.access.empty() && record.useful_bytes() > 0;
           return copies || (link && refers_to_link(record, *link * per_giga)) ||
                  std::ranges::any_of(record.access, &SiteRecord::in_host_memory);
         });
}

std::string link_in_words(const Device& device) {
  if (device.integrated) return "none, the GPU shares the host's memory";
  if (!device.link_is_pcie) return "not PCIe, so that its theoretical bandwidth is not known";
  std::string text = "PCIe";
  if (device.pcie_generation) text += " gen" + std::to_string(*device.pcie_generation);
  if (device.pcie_width) text += " x" + std::to_string(*device.pcie_width);
  const auto bandwidth = device.link_bytes_per_s();
  return text + (bandwidth ? ", " + significant(*bandwidth * per_giga, 3) + " GB/s theoretical each way"
                           : ", theoretical bandwidth not known");
}

std::string placement_in_words(const HostPlacement& placement, const std::optional<unsigned>& gpu_node) {
  const std::string how = one_line(placement.how);
  if (!placement.numa_node) {
    return "host memory " + (how.starts_with("not bound") ? how : "not bound to a NUMA node (" + how + ")");
  }
  const std::string other = gpu_node.value_or(*placement.numa_node) == *placement.numa_node
                                ? ""
                                : "; the GPU's is " + std::to_string(*gpu_node);
  return "host memory on NUMA node " + std::to_string(*placement.numa_node) + " (" + how + other + ")";
}

/// Empty where no case is about it.
std::string host_link(const Report& report) {
  if (!report.device || !uses_host(report)) return {};
  std::string line = "Host link: " + link_in_words(*report.device);
  if (report.host_placement) line += "; " + placement_in_words(*report.host_placement, report.device->numa_node);
  return line + ".";
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
    const double bandwidth = device.theoretical_bandwidth_bytes_per_s() * per_giga;
    if (bandwidth > 0) line += ", " + fixed(bandwidth, 0) + " GB/s theoretical bandwidth";
    if (device.multiprocessors > 0) line += ", " + counted(device.multiprocessors, "multiprocessor");
    if (device.l2_bytes > 0) line += ", " + size_text(device.l2_bytes) + " L2";
    lines.push_back(std::move(line));
  }
  if (is_plan(report)) {
    lines.emplace_back("Dry run: the cases that would run. Nothing was run.");
    return lines;
  }
  if (std::string link = host_link(report); !link.empty()) lines.push_back(std::move(link));
  const std::string source =
      report.profile ? "from profile '" + one_line(*report.profile) + "'" : "from the device's own attributes";
  if (report.is_prediction()) {
    lines.push_back("PREDICTED by the model " + source + ". Nothing was measured.");
    return lines;
  }
  if (std::string how = measured_how(report); !how.empty()) lines.push_back(std::move(how));
  if (std::ranges::any_of(report.results, [](const Record& record) { return record.headline.predicted.has_value(); })) {
    lines.push_back("Predicted: by the model, " + source + ".");
  }
  return lines;
}

std::vector<std::string> closing(const Report& report) {
  if (is_plan(report)) {
    std::vector<std::string> counts;
    for (const Block& block : blocks(report)) {
      counts.push_back(std::to_string(block.rows.size()) + " of " + block.title);
    }
    std::string line = counted(report.results.size(), "case");
    if (counts.size() > 1) line += ": " + join_in_words(counts);
    return {line + "."};
  }
  if (report.findings.size() == tables(report.results).size()) return {};
  return report.findings;
}

}  // namespace gpumem::report
