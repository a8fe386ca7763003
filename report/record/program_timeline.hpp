#pragma once
// When a user's program did what on its GPUs: single launches, graphs and ranges. All times are in seconds since the
// program's first launch; what began before it has a negative one.

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/record/field_kinds.hpp"

namespace gpumem::report {

/// A launch of a kernel.
struct LaunchSpan {
  std::optional<std::uint64_t> result;  ///< index into the report's results
  std::uint64_t process = 0;            ///< the operating system's number of it
  std::uint64_t device = 0;             ///< index into the report's devices
  std::uint64_t stream = 0;
  std::optional<std::uint64_t> graph;  ///< that it is part of
  double begin_s = 0;
  double seconds = 0;
};

/// A launch of a CUDA graph.
struct GraphSpan {
  std::uint64_t graph = 0;
  std::uint64_t process = 0;
  std::uint64_t device = 0;
  std::uint64_t stream = 0;
  double begin_s = 0;
  std::optional<double> seconds;  ///< absent where only its begin is known
};

/// A range that the program marks with NVTX.
struct RangeSpan {
  std::string name;
  std::uint64_t process = 0;
  std::uint64_t thread = 0;
  double begin_s = 0;
  double seconds = 0;
};

struct ProgramTimeline {
  std::vector<LaunchSpan> launches;  ///< as the program ran them
  std::vector<GraphSpan> graphs;
  std::vector<RangeSpan> ranges;
  std::vector<LaunchSpan> samples;  ///< seen access by access, which makes them many times longer
  std::uint64_t left_out = 0;       ///< events beyond those kept
};

template <class Archive>
void fields(Archive& archive, LaunchSpan& span) {
  archive("result", span.result);
  archive("process", span.process);
  archive("device", span.device);
  archive("stream", span.stream);
  archive("graph", span.graph);
  archive("begin_seconds", either_sign(span.begin_s));
  archive("seconds", span.seconds);
}

template <class Archive>
void fields(Archive& archive, GraphSpan& span) {
  archive("graph", span.graph);
  archive("process", span.process);
  archive("device", span.device);
  archive("stream", span.stream);
  archive("begin_seconds", either_sign(span.begin_s));
  archive("seconds", span.seconds);
}

template <class Archive>
void fields(Archive& archive, RangeSpan& span) {
  archive("name", span.name);
  archive("process", span.process);
  archive("thread", span.thread);
  archive("begin_seconds", either_sign(span.begin_s));
  archive("seconds", span.seconds);
}

template <class Archive>
void fields(Archive& archive, ProgramTimeline& timeline) {
  archive("launches", timeline.launches);
  archive("graphs", timeline.graphs);
  archive("ranges", timeline.ranges);
  archive("samples", timeline.samples);
  archive("left_out", timeline.left_out);
}

}  // namespace gpumem::report
