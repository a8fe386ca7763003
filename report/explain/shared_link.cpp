#include "report/explain/shared_link.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <map>
#include <numeric>
#include <optional>
#include <vector>

#include "probes/words.hpp"
#include "report/record/gpus.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// From this share of what each gets alone, they do not disturb each other.
constexpr double undisturbed = 0.9;
/// Who gets less than this share of the best has a way of its own to be slow. Two behind one switch get half each.
constexpr double less_than_others = 0.8;

/// What a GPU moved while all others did the same.
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
  /// Absent where it is not known of one of them.
  [[nodiscard]] std::optional<double> sum_alone() const {
    double sum = 0;
    for (const Flow& flow : flows) {
      if (!flow.alone_gb_per_s) return std::nullopt;
      sum += *flow.alone_gb_per_s;
    }
    return sum;
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
    const auto predicted = positive_headline(*record, false);
    Together& one = by_case.try_emplace(asked_key(*record, gpu_alone), Together{record, {}}).first->second;
    one.flows.push_back({*gpu, *moved, predicted ? predicted : positive(record->headline.peak)});
  }
  std::vector<Together> all;
  for (auto& [key, one] : by_case) {
    if (one.flows.size() > 1) all.push_back(std::move(one));
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

/// Who gets less, or what all get.
std::string shares(const Together& one) {
  const double best = std::ranges::max(one.flows, {}, &Flow::gb_per_s).gb_per_s;
  std::vector<Flow> few = one.flows;
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
  const auto alone = one.sum_alone();
  if (!alone) return fmt::format("Each gets {}.", rates(one.flows));
  if (one.sum() >= undisturbed * *alone)
    return fmt::format("They hardly disturb each other: each gets {}.", rates(one.flows));
  return fmt::format("All get less alike, {} each: that is the host's limit.", rates(one.flows));
}

}  // namespace

std::string shared_link(const Cases& table) {
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
  return text + ". " + shares(most);
}

}  // namespace gpumem::report
