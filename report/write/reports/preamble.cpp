// The beginning of a report's page: the GPU, its links to the host and to other GPUs, and what was measured or
// predicted and how.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/gpus.hpp"
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

/// True if the peak of a case's bandwidth is that of the host link, one way or both ways.
bool refers_to_link(const Record& record, double link_gb_per_s) {
  if (record.headline.quantity != bandwidth_name) return false;
  const double ways = record.headline.peak.value_or(0) / link_gb_per_s;
  return std::abs(ways - 1) < 0.001 || std::abs(ways - 2) < 0.001;
}

/// True if any case uses memory of the host.
bool uses_host(const Report& report) {
  const auto link = report.device ? report.device->link_bytes_per_s() : std::nullopt;
  return report.host_placement || std::ranges::any_of(report.results, [&](const Record& record) {
           return record.uses_host() || (link && refers_to_link(record, *link * per_giga));
         });
}

std::string link_in_words(const Device& device) {
  if (device.integrated) return "none, the GPU shares the host's memory";
  if (!device.link_is_pcie) return "not PCIe, so that its theoretical bandwidth is not known";
  std::string text = "PCIe";
  if (device.pcie_generation) text += " gen" + std::to_string(*device.pcie_generation);
  if (device.pcie_width) text += " x" + std::to_string(*device.pcie_width);
  const auto bandwidth = device.link_bytes_per_s();
  return text + (bandwidth ? ", " + rate_words(*bandwidth * per_giga) + " theoretical each way"
                           : ", theoretical bandwidth not known");
}

std::string placement_in_words(const HostPlacement& placement, const std::optional<unsigned>& gpu_node) {
  const std::string how = one_line(placement.how);
  if (!placement.numa_node) {
    const bool said = how.starts_with("not bound") || how.starts_with("bound");
    return "host memory " + (said ? how : "not bound to a NUMA node (" + how + ")");
  }
  const std::string other = gpu_node.value_or(*placement.numa_node) == *placement.numa_node
                                ? ""
                                : "; the GPU's is " + std::to_string(*gpu_node);
  return "host memory on NUMA node " + std::to_string(*placement.numa_node) + " (" + how + other + ")";
}

/// Describes the host link; empty if no case uses it.
std::string host_link(const Report& report) {
  if (!report.device || !uses_host(report)) return {};
  std::string line = "Host link: " + link_in_words(*report.device);
  if (report.host_placement) line += "; " + placement_in_words(*report.host_placement, report.device->numa_node);
  return line + ".";
}

/// Describes the links between the report's GPUs: the most frequent kind, then the others with their pairs. Empty if
/// they are not known.
std::string links_between_gpus(const Report& report) {
  struct Kind {
    std::string words;
    std::vector<std::string> pairs = {};
  };
  std::vector<Kind> kinds;
  const auto index_of = [&](std::size_t place) { return report.devices[place].index.value_or(place); };
  for (std::size_t i = 0; i < report.devices.size(); ++i) {
    const std::vector<PeerLink>& links = report.devices[i].links;
    for (std::size_t j = 0; j < report.devices.size(); ++j) {
      const std::size_t from = index_of(i);
      const std::size_t to = index_of(j);
      if (to == from || to >= links.size()) continue;
      const auto peak = links[to].theoretical_bytes_per_s();
      std::string words =
          in_words(links[to]) + (peak ? ", " + rate_words(*peak * per_giga) + " theoretical each way" : "");
      auto kind = std::ranges::find(kinds, words, &Kind::words);
      if (kind == kinds.end()) kind = kinds.insert(kind, {std::move(words)});
      kind->pairs.push_back(fmt::format("{} to {}", from, to));
    }
  }
  if (kinds.empty()) return {};
  constexpr std::size_t few = 4;
  std::ranges::stable_sort(kinds, std::ranges::greater{}, [](const Kind& kind) { return kind.pairs.size(); });
  std::string line = fmt::format("Between {} GPUs: {}", report.devices.size(), kinds.front().words);
  for (std::size_t i = 1; i < kinds.size(); ++i) {
    const std::vector<std::string>& pairs = kinds[i].pairs;
    line += fmt::format("; {}: {}", pairs.size() <= few ? "GPU " + join(pairs, ", ") : counted(pairs.size(), "pair"),
                        kinds[i].words);
  }
  return line + ".";
}

}  // namespace

std::vector<std::string> preamble(const Report& report) {
  std::vector<std::string> lines;
  if (report.device) {
    const Device& device = *report.device;
    std::string line = gpus_in_words(report);
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
  if (std::string links = links_between_gpus(report); !links.empty()) lines.push_back(std::move(links));
  const std::string source = prediction_source(report);
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

std::string gpus_in_words(const Report& report) {
  std::vector<std::pair<std::string, std::size_t>> kinds;
  for (const Device& gpu : gpus_side_by_side(report)) {
    const std::string name = one_line(gpu.name);
    auto kind = std::ranges::find(kinds, name, &std::pair<std::string, std::size_t>::first);
    if (kind == kinds.end()) kind = kinds.insert(kind, {name, 0});
    ++kind->second;
  }
  if (kinds.empty()) return one_line(report.device->name);
  std::vector<std::string> parts;
  for (const auto& [name, count] : kinds) parts.push_back(fmt::format("{} x {}", count, name));
  return join_in_words(parts);
}

std::string prediction_source(const Report& report) {
  return report.profile ? "from profile '" + one_line(*report.profile) + "'" : "from the device's own attributes";
}

void add_short_preamble(std::vector<Note>& notes, const Report& report) {
  for (const std::string& line : preamble(report)) {
    const bool how = line.starts_with("Measured: ") || line.starts_with("Predicted: ");
    if (!how) notes.push_back({line, notes.empty() ? Tint::bold : Tint::dim});
  }
}

}  // namespace gpumem::report
