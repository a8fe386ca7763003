#include "report/explain/shared_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <numeric>
#include <vector>

#include "engine/base/words.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// GPUs that keep at least this share of their speed alone do not disturb each other.
constexpr double undisturbed = 0.9;
/// A GPU that gets less than this share of the fastest one's speed is slow for a reason of its own. Two behind one
/// switch get half each.
constexpr double less_than_others = 0.8;
/// The share of the CPU's cache in which copies of GPUs surely stay: data that devices write gets only some of its
/// ways. On a host of two H100s with a cache of 300 MiB, copies both ways of 16 MiB each (64 MiB in all) lost nothing,
/// and those of 64 MiB each lost as much as larger ones.
constexpr double cached_share = 0.25;

/// The speed of one GPU while all others did the same.
struct Flow {
  std::uint64_t gpu;
  double gb_per_s;
  std::optional<double> alone_gb_per_s;
};

/// One case on all GPUs.
struct Together {
  const Record* example;
  std::vector<Flow> flows;

  [[nodiscard]] double sum() const {
    return std::accumulate(flows.begin(), flows.end(), 0.0,
                           [](double sum, const Flow& flow) { return sum + flow.gb_per_s; });
  }
  /// Returns the sum of the speeds that they reach alone; nullopt if one of these is unknown.
  [[nodiscard]] std::optional<double> sum_alone() const {
    double sum = 0;
    for (const Flow& flow : flows) {
      if (!flow.alone_gb_per_s) return std::nullopt;
      sum += *flow.alone_gb_per_s;
    }
    return sum;
  }
  /// Returns the share of sum_alone() that they reach together.
  [[nodiscard]] std::optional<double> kept() const {
    const auto alone = sum_alone();
    return alone && *alone > 0 ? std::optional(sum() / *alone) : std::nullopt;
  }
  /// Returns the host memory that all of them move at a time.
  [[nodiscard]] double bytes() const { return example->useful_bytes() * static_cast<double>(flows.size()); }
  [[nodiscard]] bool stays_in(std::optional<std::uint64_t> cache_bytes) const {
    return cache_bytes && bytes() <= cached_share * static_cast<double>(*cache_bytes);
  }
};

std::vector<Together> together(const Cases& table) {
  const std::vector<std::string> gpu_alone = {device_parameter};
  std::map<std::string, Together> by_case;
  for (const Record* record : table) {
    const auto gpu = gpu_beside_others(*record);
    const auto moved = positive_headline(*record, true);
    if (!gpu || !moved || !record->ran() || !record->uses_host() || record->headline.quantity != bandwidth_name)
      continue;
    if (record->host_shared_by == 1U) continue;  // in its turn
    const auto predicted = positive_headline(*record, false);
    Together& together = by_case.try_emplace(asked_key(*record, gpu_alone), Together{record, {}}).first->second;
    together.flows.push_back({*gpu, *moved, predicted ? predicted : positive(record->headline.peak)});
  }
  std::vector<Together> all;
  for (auto& [key, together] : by_case) {
    if (together.flows.size() > 1) all.push_back(std::move(together));
  }
  return all;
}

/// "27.4 GB/s", "27.1 to 27.4 GB/s"
std::string rates(const std::vector<Flow>& flows) {
  const auto [least, most] = std::ranges::minmax(flows, {}, &Flow::gb_per_s);
  const std::string low = significant(least.gb_per_s, 3);
  const std::string high = significant(most.gb_per_s, 3);
  return (low == high ? low : low + " to " + high) + " GB/s";
}

std::string names(const std::vector<Flow>& flows) {
  std::vector<std::uint64_t> gpus;
  for (const Flow& flow : flows) gpus.push_back(flow.gpu);
  return gpu_list(gpus);
}

/// Returns the largest case that moves more memory by the same alternative and loses speed; null if there is none.
const Together* loses_more(const std::vector<Together>& all, const Together& smaller) {
  const Together* largest = nullptr;
  for (const Together& other : all) {
    const Parameter* own = find_parameter(*smaller.example, smaller.example->compared);
    const Parameter* others = find_parameter(*other.example, other.example->compared);
    const bool comparable = own == nullptr ? others == nullptr : others != nullptr && own->value == others->value;
    if (!comparable || other.bytes() <= smaller.bytes() || other.kept().value_or(1) >= undisturbed) continue;
    if (largest == nullptr || other.bytes() > largest->bytes()) largest = &other;
  }
  return largest;
}

/// Says what limits all GPUs. If sizes that the CPU's cache holds are faster, the limit is the memory behind the cache.
std::string limit(const Together& together, std::optional<std::uint64_t> cache_bytes) {
  if (!cache_bytes) return "that is the host's limit.";
  const std::string cache = "the CPU's cache of " + size_text(*cache_bytes);
  if (together.stays_in(cache_bytes)) {
    return fmt::format(
        "that is the host's limit. It is not its memory, because {} holds the data: they share a link or a switch, as "
        "nvidia-smi topo -m may show.",
        cache);
  }
  return fmt::format(
      "that is the host's limit. Try sizes that {} holds: if they are faster, it is the limit of its memory.", cache);
}

/// Says which GPUs get less than the others, or what all get.
std::string shares(const Together& together, const Together* larger, std::optional<std::uint64_t> cache_bytes) {
  const double best = std::ranges::max(together.flows, {}, &Flow::gb_per_s).gb_per_s;
  std::vector<Flow> few = together.flows;
  const auto rest =
      std::ranges::stable_partition(few, [&](const Flow& flow) { return flow.gb_per_s < less_than_others * best; });
  const std::vector<Flow> others(rest.begin(), rest.end());
  few.erase(rest.begin(), few.end());
  if (few.size() == 1) {
    return fmt::format("{} gets {}, the others {}: its slot or link is slower, or something else uses it.", names(few),
                       rates(few), rates(others));
  }
  if (!few.empty()) {
    return fmt::format("{} get {} each, the others {}: they probably share a switch on the way to the host.",
                       names(few), rates(few), rates(others));
  }
  const auto alone = together.sum_alone();
  if (!alone) return fmt::format("Each gets {}.", rates(together.flows));
  if (together.sum() < undisturbed * *alone) {
    return fmt::format("All lose alike, {} each: {}", rates(together.flows), limit(together, cache_bytes));
  }
  std::string text = fmt::format("They hardly disturb each other: each gets {}.", rates(together.flows));
  if (larger == nullptr) return text;
  text += fmt::format(" With {} they do: {} together, {} of their rates alone.",
                      position_among({together.example, larger->example}, *larger->example), rate_words(larger->sum()),
                      fixed(*larger->kept(), 2));
  if (together.stays_in(cache_bytes)) {
    text += fmt::format(
        " Links and switches carry both alike; the node's memory limits sizes beyond the CPU's cache of {}.",
        size_text(*cache_bytes));
  }
  return text;
}

}  // namespace

std::string shared_link(const Cases& table, std::optional<std::uint64_t> cache_bytes) {
  const std::vector<Together> all = together(table);
  if (all.empty()) return {};
  const Together& most = *std::ranges::max_element(all, {}, &Together::sum);
  Cases compared;
  std::ranges::copy_if(table, std::back_inserter(compared), [&](const Record* record) {
    return gpu_beside_others(*record) == gpu_beside_others(*most.example);
  });
  const std::string place = compared.size() > 1 ? " (" + position_among(compared, *most.example) + ")" : "";
  std::string text = fmt::format("{} at once{}: {} together", capitalised(counted(most.flows.size(), "GPU")), place,
                                 rate_words(most.sum()));
  if (const auto alone = most.sum_alone()) {
    text += fmt::format(", {} of the {} that they {} alone", fixed(most.sum() / *alone, 2), rate_words(*alone),
                        most.example->headline.predicted ? "are predicted to move" : "could move at best");
  }
  return text + ". " + shares(most, loses_more(all, most), cache_bytes);
}

}  // namespace gpumem::report
