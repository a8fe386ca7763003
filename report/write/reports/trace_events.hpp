#pragma once
// When a program did what, as tracks of events: what a trace is written of.

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

/// In the order in which tracks of a process stand.
enum class TrackKind { ranges, launches, graphs, samples, bins };

/// One of a process: several lanes where what is on it overlaps.
struct Track {
  TrackKind kind = TrackKind::launches;
  std::uint64_t number = 0;  ///< of the stream, the thread or the result
  auto operator<=>(const Track&) const = default;
};

/// What an event says beside its time, by name.
using TraceArguments = std::vector<std::pair<std::string, std::variant<std::uint64_t, double, std::string>>>;

struct TraceEvent {
  std::string name;
  TimeSpan span;
  TraceArguments arguments;
  bool is_instant = false;  ///< its end is not known
};

/// What one of the program's processes did on one GPU, or its ranges.
struct TraceProcess {
  std::string name;
  std::map<Track, std::vector<TraceEvent>> tracks;
  std::map<Track, std::string> names = {};  ///< of tracks that their kind and number do not name
};

/// Whether the report has single launches, or at least bins of the run in which kernels ran.
[[nodiscard]] bool has_timeline(const Report& report);
[[nodiscard]] bool has_bins(const Report& report);

/// Of a report that has either. Nothing begins before 0.
[[nodiscard]] std::vector<TraceProcess> trace_processes(const Report& report);

}  // namespace gpumem::report
