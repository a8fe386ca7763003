#include <fmt/format.h>

#include <algorithm>
#include <functional>
#include <numeric>

#include "engine/base/thresholds.hpp"
#include "program/read/merge.hpp"
#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

/// Returns the sectors and wavefronts of all sites, to compare launches of one kernel by.
double accessed(const RawSample& sample) {
  double sum = 0;
  for (const inject::Site& site : sample.sites) sum += static_cast<double>(site.sectors + site.wavefronts);
  return sum;
}

}  // namespace

std::optional<double> MergedKernel::gpu_s() const {
  if (timed == 0 || timed_s <= 0) return std::nullopt;
  return timed_s / static_cast<double>(timed) * static_cast<double>(launches);
}

const SeenLaunch* MergedKernel::shown() const {
  if (seen.empty()) return nullptr;
  const auto lost = [](const SeenLaunch& launch) { return launch.sample->event.lost_sites; };
  const std::uint32_t fewest = lost(*std::ranges::min_element(seen, {}, lost));
  std::vector<const SeenLaunch*> whole;
  for (const SeenLaunch& launch : seen) {
    if (lost(launch) == fewest) whole.push_back(&launch);
  }
  std::ranges::stable_sort(whole, {}, [](const SeenLaunch* launch) { return accessed(*launch->sample); });
  return whole[(whole.size() - 1) / 2];
}

bool MergedKernel::varies() const {
  if (seen.size() < 2) return false;
  const auto amount = [](const SeenLaunch& launch) { return accessed(*launch.sample); };
  const auto [least, most] = std::ranges::minmax(seen, {}, amount);
  return amount(most) > (1 + alike_launches) * amount(least);
}

bool MergedKernel::is_timed_otherwise() const {
  // If several launches were seen, it is unknown to which of them the times belong.
  return seen.size() == 1 && !seen.front().sample->parameters.empty() && times_like_seen_s.size() < times_s.size();
}

bool MergedKernel::launches_differ() const {
  if (varies()) return true;
  constexpr std::size_t enough = 4;
  constexpr double far_apart = 2;
  if (times_s.size() < enough) return false;
  std::vector<double> times = times_s;
  std::ranges::sort(times);
  const std::size_t tenth = times.size() / 10;  // the first launches, and some that others disturb, are left out
  return times[times.size() - 1 - tenth] > far_apart * times[tenth];
}

std::string MergedKernel::ranges_text() const {
  constexpr std::size_t most = 3;
  auto by_launches = ranges;
  std::ranges::stable_sort(by_launches, std::ranges::greater(), &std::pair<std::string, std::uint64_t>::second);
  std::vector<std::string> names;
  for (const auto& [range, in_it] : by_launches) {
    if (names.size() < most) names.push_back(range);
  }
  if (names.size() < ranges.size() || in_other_ranges > 0) names.emplace_back("...");
  return report::join(names, ", ");
}

std::vector<double> MergedKernel::ran_s(std::size_t bins) const {
  const auto known = std::accumulate(std::begin(ran.ran_ns), std::end(ran.ran_ns), 0.0);
  if (known <= 0 || !gpu_s()) return {};
  std::vector<double> seconds(bins);
  for (std::size_t bin = 0; bin < bins; ++bin) seconds[bin] = static_cast<double>(ran.ran_ns[bin]) / known * *gpu_s();
  return seconds;
}

const measure::Counts* MergedKernel::counts() const {
  if (counted.empty()) return nullptr;
  auto by_amount = counted;
  const auto amount = [](const RawCounts* raw) {
    const measure::Counts& counts = raw->counts;
    double sum = 0;
    for (const auto& part : {counts.global_load_sectors, counts.global_store_sectors, counts.shared_load_wavefronts,
                             counts.shared_store_wavefronts, counts.l2_read_sectors, counts.l2_write_sectors}) {
      sum += part.value_or(0);
    }
    return sum;
  };
  std::ranges::stable_sort(by_amount, {}, amount);
  return &by_amount[(by_amount.size() - 1) / 2]->counts;
}

const char* reason_text(inject::Unseen reason) {
  switch (reason) {
    case inject::Unseen::none:
      break;
    case inject::Unseen::captured:
      return "a CUDA graph only runs as a whole; run the program without graphs to sample its kernels";
    case inject::Unseen::collective:
      return "a collective waits for other GPUs and must not be slowed";
    case inject::Unseen::overhead:
      return "the time for sampling was spent; raise --max-overhead";
    case inject::Unseen::not_chosen:
      return "not chosen by --kernel, --device or --skip-first";
    case inject::Unseen::failed:
      return "it could not be patched or counted";
    case inject::Unseen::no_memory:
      return "the GPU had no memory left for the tables";
    case inject::Unseen::refused:
      return "this machine does not let the program be counted";
    case inject::Unseen::few_launches:
      return "counting takes more launches than it had; add --replay, which runs kernels again";
    case inject::Unseen::alike:
      return "launches of it with about as many blocks were seen; add --launches 1 to see each grid";
    case inject::Unseen::times_only:
      return "only times were taken";
  }
  return "no launch of it was seen to its end";
}

}  // namespace gpumem::program
