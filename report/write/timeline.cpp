#include "report/write/timeline.hpp"

#include <algorithm>
#include <array>
#include <cmath>

#include "engine/base/words.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"
#include "report/write/table_line.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t fewest_cells = 10;
constexpr std::size_t most_cells = 80;
/// Cases that are closer are in the order that noise gave them.
constexpr double as_fast = 0.99;

Timeline timeline_of(const Record& record, const std::string& position) {
  Timeline timeline;
  std::vector<measure::StageSpan> spans = record.timeline;
  std::ranges::stable_sort(spans, {}, &measure::StageSpan::start_s);
  for (const measure::StageSpan& span : spans) {
    const std::string stage = one_line(span.stage);
    auto lane = std::ranges::find(timeline.lanes, stage, &Timeline::Lane::stage);
    if (lane == timeline.lanes.end()) lane = timeline.lanes.insert(lane, {stage, {}});
    if (lane->busy.empty() || span.start_s > lane->busy.back().end_s) lane->busy.push_back({span.start_s, span.end_s});
    lane->busy.back().end_s = std::max(lane->busy.back().end_s, span.end_s);
  }
  timeline.title = position + ": " + duration_words(seconds_of(record).value_or(timeline.end_s()), 3);
  return timeline;
}

/// For which share of the time from start to end the lane was busy.
double busy_share(const Timeline::Lane& lane, double start_s, double end_s) {
  double busy_s = 0;
  for (const Timeline::Interval& interval : lane.busy) {
    busy_s += std::max(0.0, std::min(interval.end_s, end_s) - std::max(interval.start_s, start_s));
  }
  return busy_s / (end_s - start_s);
}

std::string cell_of(double share, bool unicode) {
  if (!unicode) return share > 0.75 ? "#" : share > 0.25 ? "+" : ".";
  // Seven eighths are the highest, so that the bars of neighbouring lines do not run together.
  constexpr std::array<const char*, 8> heights = {" ", "▁", "▂", "▃", "▄", "▅", "▆", "▇"};
  const auto height = static_cast<std::size_t>(std::lround(std::clamp(share, 0.0, 1.0) * 7));
  return heights[share > 0 ? std::max<std::size_t>(height, 1) : 0];
}

std::string bar_of(const Timeline::Lane& lane, double axis_s, std::size_t cells, bool unicode) {
  const double cell_s = axis_s / static_cast<double>(cells);
  std::string bar;
  for (std::size_t i = 0; i < cells; ++i) {
    bar += cell_of(busy_share(lane, cell_s * static_cast<double>(i), cell_s * static_cast<double>(i + 1)), unicode);
  }
  bar.erase(bar.find_last_not_of(' ') + 1);
  return bar;
}

/// The first that is as fast as the fastest, by bytes per second.
const Record* fastest_of(const Cases& cases) {
  const auto rate = [](const Record* record) { return record->useful_bytes() / *seconds_of(*record); };
  const double most = rate(*std::ranges::max_element(cases, {}, rate));
  return *std::ranges::find_if(cases, [&](const Record* record) { return rate(record) >= as_fast * most; });
}

}  // namespace

double Timeline::end_s() const {
  double end_s = 0;
  for (const Lane& lane : lanes) end_s = std::max(end_s, lane.busy.back().end_s);
  return end_s;
}

std::vector<Timeline> telling_timelines(const Cases& cases) {
  Cases shown = cases;
  std::erase_if(shown, [](const Record* record) {
    return record->status != Status::ok || record->timeline.empty() || !(seconds_of(*record).value_or(0) > 0);
  });
  if (shown.empty()) return {};
  const Record* fastest = fastest_of(shown);
  std::erase_if(shown, [&](const Record* record) {
    return record == fastest || record->useful_bytes() != fastest->useful_bytes();
  });
  Cases mates = shown;
  std::erase_if(mates, [&](const Record* record) { return varies({fastest, record}, fastest->compared); });
  const Cases& others = mates.empty() ? shown : mates;

  std::vector<Timeline> timelines;
  if (!others.empty()) {
    const Record* slowest =
        *std::ranges::max_element(others, {}, [](const Record* record) { return *seconds_of(*record); });
    if (*seconds_of(*fastest) < as_fast * *seconds_of(*slowest)) {
      timelines.push_back(timeline_of(*slowest, position_among(cases, *slowest)));
    }
  }
  timelines.push_back(timeline_of(*fastest, position_among(cases, *fastest)));
  return timelines;
}

std::vector<std::string> drawn(std::span<const Timeline> timelines, std::size_t width, bool unicode) {
  std::size_t label = 0;
  double axis_s = 0;
  for (const Timeline& timeline : timelines) {
    axis_s = std::max(axis_s, timeline.end_s());
    for (const Timeline::Lane& lane : timeline.lanes) label = std::max(label, display_width(lane.stage));
  }
  const std::size_t margin = gap + label + gap;
  if (!(axis_s > 0) || width < margin + fewest_cells) return {};
  const std::size_t cells = std::min(width - margin, most_cells);

  std::vector<std::string> lines;
  for (const Timeline& timeline : timelines) {
    lines.push_back(truncated(timeline.title, width));
    for (const Timeline::Lane& lane : timeline.lanes) {
      lines.push_back(padded(std::string(gap, ' ') + lane.stage, margin) + bar_of(lane, axis_s, cells, unicode));
    }
  }
  const std::string end = duration_words(axis_s, 3);
  lines.push_back(std::string(margin, ' ') + "0" + std::string(cells - std::min(cells, end.size() + 1), ' ') + end);
  return lines;
}

}  // namespace gpumem::report
