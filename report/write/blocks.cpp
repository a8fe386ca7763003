// A report's page: what is said first (which GPU, and what was read how), which cases stand together in one block, and
// what is left to say at the end.

#include "report/write/blocks.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <set>

#include "probes/words.hpp"
#include "report/record/gpus.hpp"
#include "report/record/sweep.hpp"
#include "report/text/text.hpp"

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

/// Whether any case is about memory of the host.
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

/// Empty where no case is about it.
std::string host_link(const Report& report) {
  if (!report.device || !uses_host(report)) return {};
  std::string line = "Host link: " + link_in_words(*report.device);
  if (report.host_placement) line += "; " + placement_in_words(*report.host_placement, report.device->numa_node);
  return line + ".";
}

/// Cases that stand in one block, and what is said below it.
struct Group {
  Cases cases;
  std::vector<std::string> findings;
};

/// A probe whose tables all have one case (`--offset 0 --op read,write,copy`) reads better as one table; so does a
/// plan, which has nothing to compare.
std::vector<Group> groups(const Report& report) {
  const std::vector<Members> all = tables(report.results);
  const bool plan = is_plan(report);
  std::set<std::string> spread;
  for (const Members& table : all) {
    if (table.size() > 1 && !plan) spread.insert(report.results[table.front()].probe);
  }
  const bool said = report.findings.size() == all.size() && !plan;
  std::vector<Group> found;
  std::map<std::string, std::size_t> place;  // of the group that takes all of a probe
  for (std::size_t i = 0; i < all.size(); ++i) {
    const Cases cases = cases_of(report.results, all[i]);
    const std::string& probe = cases.front()->probe;
    const auto same = spread.contains(probe) ? place.end() : place.find(probe);
    if (same == place.end()) {
      place[probe] = found.size();
      found.push_back({cases, {}});
      if (said) found.back().findings.push_back(report.findings[i]);
    } else {
      Group& group = found[same->second];
      group.cases.insert(group.cases.end(), cases.begin(), cases.end());
      group.findings.clear();  // they would repeat the rows
    }
  }
  return found;
}

/// Said last: findings that belong to no block, and the count of a plan's cases.
std::vector<std::string> closing(const Report& report, const std::vector<Block>& blocks) {
  if (!is_plan(report)) {
    return report.findings.size() == tables(report.results).size() ? std::vector<std::string>() : report.findings;
  }
  std::vector<std::string> counts;
  for (const Block& block : blocks) counts.push_back(std::to_string(block.rows.size()) + " of " + block.title);
  return {counted(report.results.size(), "case") + (counts.size() > 1 ? ": " + join_in_words(counts) : "") + "."};
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

Page page(const Report& report, bool why) {
  Page page;
  for (const std::string& line : preamble(report)) page.before.push_back({line, Tint::dim});
  if (!page.before.empty()) page.before.front().tint = Tint::bold;
  for (Group& group : groups(report)) {
    if (is_plan(report)) std::ranges::sort(group.cases);  // the order of the plan, which is the order in memory
    Block& block = page.blocks.emplace_back(make_block(group.cases, report.device, why));
    // A plan's is no failure, and the preamble says so; any other is all that the findings would say.
    if (is_plan(report)) block.common_failure.clear();
    if (block.common_failure.empty()) block.findings = std::move(group.findings);
  }
  if (auto block = side_by_side_block(report)) page.blocks.push_back(*std::move(block));
  for (const std::string& line : closing(report, page.blocks)) page.after.push_back({line});
  return page;
}

std::string Block::full_title() const { return title + (constants.empty() ? "" : ": ") + join(constants, ", "); }

void set_flags(Block& block, std::vector<std::vector<std::string>> flags) {
  const auto has = [](const std::vector<std::string>& all, const std::string& flag) {
    return std::ranges::find(all, flag) != all.end();
  };
  std::vector<std::string> common;
  std::size_t ran = 0;
  for (std::size_t i = 0; i < flags.size(); ++i) {
    if (!block.rows[i].failure.empty()) continue;
    if (ran++ == 0) common = flags[i];
    std::erase_if(common, [&](const std::string& flag) { return !has(flags[i], flag); });
  }
  if (ran < 2) common.clear();
  block.common_flags = join(common, ", ");
  for (std::size_t i = 0; i < flags.size(); ++i) {
    std::erase_if(flags[i], [&](const std::string& flag) { return has(common, flag); });
    block.rows[i].flags = join(flags[i], ", ");
  }
}

}  // namespace gpumem::report
