#include "program/read/launch_order.hpp"

#include <algorithm>
#include <cstdint>
#include <iterator>
#include <optional>

namespace gpumem::program {

namespace {

/// A launch or a sample of a process.
struct TimedLaunch {
  std::optional<std::size_t> kernel;  ///< absent: a graph
  bool is_complete = false;           ///< all launches of its slot until then were timed
};

/// Launches of a slot that are all timed, from the first one on (docs/run.md, "When kernels ran").
constexpr std::size_t all_timed = inject::kept_times;

/// A stream by its GPU and its number: every GPU has a default stream, of the number 0.
using StreamKey = std::pair<std::size_t, std::uint64_t>;

std::map<StreamKey, std::vector<TimedLaunch>> launches_by_stream(const RawProcess& process, const MergedRun& run) {
  std::vector<inject::Span> spans;
  std::ranges::copy_if(process.spans, std::back_inserter(spans),
                       [](const inject::Span& span) { return span.kind != inject::SpanKind::range; });
  std::ranges::stable_sort(spans, {}, &inject::Span::begin_ns);
  std::map<std::uint32_t, std::size_t> of_slot;
  std::map<StreamKey, std::vector<TimedLaunch>> streams;
  for (const inject::Span& span : spans) {
    const bool is_complete = of_slot[span.of]++ < all_timed;
    if (const auto graph = run.graph_of.find({&process, span.of}); graph != run.graph_of.end()) {
      streams[{run.graphs[graph->second].device, span.lane}].push_back({.kernel = {}, .is_complete = is_complete});
    } else if (const auto kernel = run.kernel_of.find({&process, span.of}); kernel != run.kernel_of.end()) {
      streams[{run.kernels[kernel->second].device, span.lane}].push_back(
          {.kernel = kernel->second, .is_complete = is_complete});
    }
  }
  return streams;
}

}  // namespace

LaunchOrder::LaunchOrder(const std::vector<RawProcess>& processes, const MergedRun& run) {
  for (const RawProcess& process : processes) {
    for (const auto& [stream, launches] : launches_by_stream(process, run)) {
      std::vector<std::size_t>& order = streams_.emplace_back();
      const TimedLaunch* before = nullptr;
      for (const TimedLaunch& launch : launches) {
        const TimedLaunch* forerunner = std::exchange(before, &launch);
        if (!launch.kernel) continue;
        order.push_back(*launch.kernel);
        if (!launch.is_complete) continue;
        ++launches_[*launch.kernel];
        const bool is_known = forerunner != nullptr && forerunner->kernel && forerunner->is_complete;
        if (is_known) ++times_[{*forerunner->kernel, *launch.kernel}];
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
