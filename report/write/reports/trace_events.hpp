#pragma once
// The timeline of a program as tracks of events, from which a trace is written.

#include <compare>
#include <cstdint>
#include <map>
#include <string>
#include <utility>
#include <variant>
#include <vector>

#include "report/record/record.hpp"
#include "report/write/reports/trace_lanes.hpp"

namespace gpumem::report {

/// The kinds of tracks, in the order in which they stand in a process.
enum class TrackKind { ranges, launches, graphs, samples, bins };

/// A track of a process. It takes several lanes if its events overlap.
struct Track {
  TrackKind kind = TrackKind::launches;
  std::uint64_t number = 0;  ///< of the stream, the thread or the result
  auto operator<=>(const Track&) const = default;
};

/// The values that an event holds besides its time, by name.
using TraceArguments = std::vector<std::pair<std::string, std::variant<std::uint64_t, double, std::string>>>;

struct TraceEvent {
  std::string name;
  TimeSpan span;
  TraceArguments arguments;
  bool is_instant = false;  ///< its end is not known
};

/// The events of one of the program's processes on one GPU, or its ranges.
struct TraceProcess {
  std::string name;
  std::map<Track, std::vector<TraceEvent>> tracks;
  std::map<Track, std::string> names = {};  ///< of tracks that their kind and number do not name
};

/// True if the report says when single launches, graphs or ranges ran.
[[nodiscard]] bool has_timeline(const Report& report);
/// True if the report says how long kernels ran in each bin of the run.
[[nodiscard]] bool has_bins(const Report& report);

/// The processes of a report that has a timeline or bins. No event begins before 0.
[[nodiscard]] std::vector<TraceProcess> trace_processes(const Report& report);

}  // namespace gpumem::report
