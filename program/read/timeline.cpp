#include "program/read/timeline.hpp"

#include <algorithm>
#include <map>

#include "report/text/text.hpp"

namespace gpumem::program {

namespace {

class Timeline {
 public:
  Timeline(const MergedRun& run, const std::vector<report::Record>& results) : run_(run) {
    for (std::size_t i = 0; i < results.size(); ++i) {
      if (results[i].first_launch) result_of_[*results[i].first_launch] = i;
    }
  }

  void add(const RawProcess& process) {
    timeline_.left_out += process.totals.spans_left_out;
    streams_.clear();
    for (const inject::Span& span : process.spans) {
      span.kind == inject::SpanKind::range ? add_range(process, span) : add_launch(process, span);
    }
  }

  std::optional<report::ProgramTimeline> finish() {
    const auto sort = [](auto& spans) { std::ranges::stable_sort(spans, {}, [](const auto& s) { return s.begin_s; }); };
    sort(timeline_.launches);
    sort(timeline_.graphs);
    sort(timeline_.ranges);
    sort(timeline_.samples);
    const bool empty =
        timeline_.launches.empty() && timeline_.graphs.empty() && timeline_.ranges.empty() && timeline_.samples.empty();
    if (empty) return std::nullopt;
    return std::move(timeline_);
  }

 private:
  /// Since the run's first launch. By the GPU's clock the first one may begin a little before it by the host's.
  [[nodiscard]] double begin_s(const inject::Span& span) const {
    const std::uint64_t after_ns = std::max(span.begin_ns, run_.began_ns) - run_.began_ns;
    return static_cast<double>(after_ns) * seconds_per_ns;
  }

  /// The default stream is 0, others are numbered as they appear.
  std::uint64_t stream(std::uint64_t lane) {
    if (lane == 0) return 0;
    return streams_.try_emplace(lane, streams_.size() + 1).first->second;
  }

  void add_range(const RawProcess& process, const inject::Span& span) {
    const auto name = process.ranges.find(span.of);
    if (name == process.ranges.end()) return;
    timeline_.ranges.push_back({.name = report::one_line(name->second),
                                .process = process.process,
                                .thread = span.lane,
                                .begin_s = begin_s(span),
                                .seconds = static_cast<double>(span.took_ns) * seconds_per_ns});
  }

  void add_launch(const RawProcess& process, const inject::Span& span) {
    const double seconds = static_cast<double>(span.took_ns) * seconds_per_ns;
    if (const auto graph = run_.graph_of.find({&process, span.of}); graph != run_.graph_of.end()) {
      timeline_.graphs.push_back({.graph = graph->second,
                                  .process = process.process,
                                  .device = run_.graphs[graph->second].device,
                                  .stream = stream(span.lane),
                                  .begin_s = begin_s(span),
                                  .seconds = seconds});
      return;
    }
    const auto kernel = run_.kernel_of.find({&process, span.of});
    if (kernel == run_.kernel_of.end()) return;
    report::LaunchSpan launch{.result = {},
                              .process = process.process,
                              .device = run_.kernels[kernel->second].device,
                              .stream = stream(span.lane),
                              .graph = {},
                              .begin_s = begin_s(span),
                              .seconds = seconds};
    if (const auto result = result_of_.find(kernel->second); result != result_of_.end()) launch.result = result->second;
    (span.kind == inject::SpanKind::sample ? timeline_.samples : timeline_.launches).push_back(launch);
  }

  const MergedRun& run_;
  std::map<std::size_t, std::size_t> result_of_;  // by kernel
  std::map<std::uint64_t, std::uint64_t> streams_;
  report::ProgramTimeline timeline_;
};

}  // namespace

std::optional<report::ProgramTimeline> timeline_of(const std::vector<RawProcess>& processes, const MergedRun& run,
                                                   const std::vector<report::Record>& results) {
  Timeline timeline(run, results);
  for (const RawProcess& process : processes) timeline.add(process);
  return timeline.finish();
}

}  // namespace gpumem::program
