#include "report/record/gpus.hpp"

#include <algorithm>
#include <functional>
#include <iterator>
#include <map>

#include "engine/base/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// As the case would have been alone.
Record alone(Record record) {
  std::erase_if(record.parameters, [](const Parameter& parameter) { return parameter.name == device_parameter; });
  const Probe* probe = find_probe(record.probe);
  record.across = probe == nullptr ? "" : probe->across;
  return record;
}

/// Adds the conclusions and checks of the part's GPU, with the cases at their places in the part.
void add_what_follows(GpuPart& part, const Report& report) {
  std::map<std::size_t, std::size_t> place;
  for (std::size_t i = 0; i < part.cases.size(); ++i) place[part.cases[i]] = i;
  const auto is_own = [&](std::size_t index) { return place.contains(index); };
  const auto moved = [&](auto item) {
    std::erase_if(item.cases, std::not_fn(is_own));
    for (std::size_t& index : item.cases) index = place.at(index);
    return item;
  };
  for (const ConclusionRecord& conclusion : report.conclusions) {
    if (!std::ranges::all_of(conclusion.cases, is_own)) continue;
    ConclusionRecord& own = part.report.conclusions.emplace_back(moved(conclusion));
    for (FactRecord& fact : own.facts) fact = moved(fact);
  }
  for (const CheckRecord& check : report.checks) {
    if (check.device == part.gpu) part.report.checks.push_back(moved(check));
  }
}

std::string identity(std::uint64_t gpu, std::vector<std::string> names) {
  std::erase(names, "");
  const std::string words = join(names, ", ");
  return "GPU " + std::to_string(gpu) + (words.empty() ? "" : " (" + words + ")");
}

}  // namespace

std::optional<std::uint64_t> gpu_beside_others(const Record& record) {
  if (record.across != device_parameter) return std::nullopt;
  return number_of(record, device_parameter);
}

std::vector<Members> by_gpu(std::span<const Record> results, const Members& table) {
  std::vector<Members> parts;
  std::map<std::optional<std::uint64_t>, std::size_t> place;
  for (const std::size_t member : table) {
    const auto [entry, added] = place.try_emplace(gpu_beside_others(results[member]), parts.size());
    if (added) parts.emplace_back();
    parts[entry->second].push_back(member);
  }
  return parts;
}

std::vector<Device> gpus_side_by_side(const Report& report) {
  std::vector<Device> gpus;
  std::ranges::copy_if(report.devices, std::back_inserter(gpus),
                       [](const Device& gpu) { return gpu.index.has_value(); });
  return gpus.size() > 1 ? gpus : std::vector<Device>();
}

std::vector<GpuPart> gpu_parts(const Report& report) {
  std::vector<GpuPart> parts;
  std::map<std::uint64_t, std::size_t> place;
  const auto part_of = [&](std::uint64_t gpu) -> GpuPart& {
    const auto [entry, added] = place.try_emplace(gpu, parts.size());
    if (added) parts.push_back({.gpu = gpu, .cases = {}, .report = {}});
    return parts[entry->second];
  };
  const std::vector<Device> devices = gpus_side_by_side(report);
  const std::size_t gpus = devices.size();
  for (const Device& device : devices) static_cast<void>(part_of(*device.index));
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const auto gpu = gpu_beside_others(report.results[i]);
    if (!gpu) continue;
    GpuPart& part = part_of(*gpu);
    part.cases.push_back(i);
    part.report.results.push_back(alone(report.results[i]));
    Record& own = part.report.results.back();
    if (!own.host_shared_by && own.uses_host()) own.host_shared_by = gpus;  // as every older version had them run
  }
  for (GpuPart& part : parts) {
    Report& own = part.report;
    own.tool = report.tool;
    own.command = report.command;
    own.started_at = report.started_at;
    own.backend = report.backend;
    own.profile = report.profile;
    own.profile_source = report.profile_source;
    own.host = report.host;
    own.device = device_of(report, part.gpu);
    own.devices = {*own.device};
    own.host_placement = report.host_placement;
    own.watched = report.watched;
    own.suite = report.suite;
    add_what_follows(part, report);
  }
  return parts;
}

std::optional<GpuPair> gpu_pair(const Record& record) {
  const Probe* probe = find_probe(record.probe);
  if (probe == nullptr || !probe->gpus) return std::nullopt;
  const auto source = number_of(record, record.swept);
  const auto target = number_of(record, record.across);
  return source && target ? std::optional(GpuPair{*source, *target}) : std::nullopt;
}

std::optional<BetweenGpus> between_gpus(const Report& report) {
  BetweenGpus between;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (!gpu_beside_others(report.results[i])) between.cases.push_back(i);
  }
  if (gpus_side_by_side(report).empty() || between.cases.empty()) return std::nullopt;
  between.report = report;
  between.report.results.clear();
  for (const std::size_t i : between.cases) between.report.results.push_back(report.results[i]);
  between.report.conclusions.clear();
  between.report.checks.clear();
  return between;
}

std::vector<PairPart> pair_parts(const Report& report) {
  std::vector<PairPart> parts;
  const std::optional<BetweenGpus> between = between_gpus(report);
  if (!between) return parts;
  for (std::size_t i = 0; i < between->cases.size(); ++i) {
    Record record = between->report.results[i];
    const auto pair = gpu_pair(record);
    if (!pair) continue;
    auto part = std::ranges::find_if(parts, [&](const PairPart& other) {
      return other.pair.source == pair->source && other.pair.target == pair->target;
    });
    if (part == parts.end()) {
      part = parts.insert(part, {.pair = *pair, .cases = {}, .report = between->report});
      part->report.results.clear();
      Device& device = part->report.device.emplace(device_of(report, pair->source));
      const auto target = device_of(report, pair->target).uuid;
      if (device.uuid && target) device.uuid = *device.uuid + " to " + *target;
      if (!target) device.uuid.reset();
      std::ranges::copy_if(report.checks, std::back_inserter(part->report.checks), [&](const CheckRecord& check) {
        return check.source == pair->source && check.target == pair->target;
      });
    }
    std::erase_if(record.parameters, [&](const Parameter& parameter) {
      return parameter.name == record.swept || parameter.name == record.across;
    });
    part->cases.push_back(between->cases[i]);
    part->report.results.push_back(std::move(record));
  }
  return parts;
}

Device device_of(const Report& report, std::uint64_t gpu) {
  const auto found = std::ranges::find_if(report.devices, [&](const Device& device) { return device.index == gpu; });
  return found == report.devices.end() ? Device{} : *found;
}

std::string gpu_identity(std::uint64_t gpu, const Device& device) {
  return identity(gpu, {one_line(device.pci_bus_id.value_or("")), one_line(device.uuid.value_or(""))});
}

std::string short_gpu_identity(std::uint64_t gpu, const Device& device) {
  return identity(gpu, {short_pci_bus_id(device.pci_bus_id.value_or("")), short_uuid(device.uuid.value_or(""))});
}

std::string short_pci_bus_id(const std::string& pci_bus_id) {
  std::string id = one_line(pci_bus_id);
  return id.starts_with("00000000:") ? id.substr(9) : id;
}

std::string short_uuid(const std::string& uuid) {
  constexpr std::size_t length = 12;  // "GPU-7c890b39"
  return one_line(uuid).substr(0, length);
}

std::string gpu_list(std::span<const std::uint64_t> gpus) {
  std::vector<std::string> numbers;
  for (const std::uint64_t gpu : gpus) numbers.push_back(std::to_string(gpu));
  return (numbers.size() == 1 ? "GPU " : "GPUs ") + join_in_words(numbers);
}

}  // namespace gpumem::report
