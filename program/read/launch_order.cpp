#include "program/read/launch_order.hpp"

#include <algorithm>
#include <cstdint>
#include <optional>

namespace gpumem::program {

namespace {

/// A launch or a sample of a process.
struct TimedLaunch {
  std::uint64_t begin_ns = 0;
  std::optional<std::size_t> kernel;  ///< absent: a graph as a whole, or of no result
  bool is_complete = false;           ///< all launches of its slot until then were timed
};

/// Launches of a slot that are all timed, from the first one on (docs/run.md, "When kernels ran").
constexpr std::size_t all_timed = inject::kept_times;

std::map<std::uint64_t, std::vector<TimedLaunch>> launches_by_stream(const RawProcess& process, const MergedRun& run) {
  std::vector<inject::Span> spans;
  std::ranges::copy_if(process.spans, std::back_inserter(spans),
                       [](const inject::Span& span) { return span.kind != inject::SpanKind::range; });
  std::ranges::stable_sort(spans, {}, &inject::Span::begin_ns);
  std::map<std::uint32_t, std::size_t> of_slot;
  std::map<std::uint64_t, std::vector<TimedLaunch>> streams;
  for (const inject::Span& span : spans) {
    const auto kernel = run.kernel_of.find({&process, span.of});
    const bool is_known = kernel != run.kernel_of.end() && !run.graph_of.contains({&process, span.of});
    streams[span.lane].push_back({.begin_ns = span.begin_ns,
                                  .kernel = is_known ? std::optional(kernel->second) : std::nullopt,
                                  .is_complete = of_slot[span.of]++ < all_timed});
  }
  return streams;
}

}  // namespace

LaunchOrder::LaunchOrder(const std::vector<RawProcess>& processes, const MergedRun& run) {
  for (const RawProcess& process : processes) {
    for (const auto& [lane, launches] : launches_by_stream(process, run)) {
      StreamOrder& order = streams_.emplace_back();
      const TimedLaunch* before = nullptr;
      for (const TimedLaunch& launch : launches) {
        const bool follows = before != nullptr && before->kernel && launch.kernel && before->is_complete;
        const bool is_next = follows && launch.is_complete;
        before = &launch;
        if (!launch.kernel) continue;
        if (is_next) {
          order.launches.back().next_is_known = true;
          ++times_[{order.launches.back().kernel, *launch.kernel}];
        }
        if (launch.is_complete) ++launches_[*launch.kernel];
        order.launches.push_back({.kernel = *launch.kernel});
      }
    }
  }
}

double LaunchOrder::share_that_follows(const KernelPair& pair) const {
  const auto times = times_.find(pair);
  const auto launches = launches_.find(pair.second);
  if (times == times_.end() || launches == launches_.end()) return 0;
  return static_cast<double>(times->second) / static_cast<double>(launches->second);
}

std::vector<KernelPair> LaunchOrder::pairs() const {
  std::vector<KernelPair> pairs;
  for (const auto& [pair, times] : times_) pairs.push_back(pair);
  return pairs;
}

}  // namespace gpumem::program
