#include "engine/access/describe.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <bit>
#include <cmath>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::access {

namespace {

constexpr double nearly_all = 0.95;            // the rest goes unsaid
constexpr double some = 0.05;                  // less goes unsaid
constexpr double used_again = 1.5;             // times an element is used from which on it is said
constexpr std::uint64_t telling_bytes = 1024;  // distances from which on their size is said too

// ---- numbers

std::string bytes_text(std::int64_t bytes) { return fmt::format("{} byte{}", bytes, bytes == 1 ? "" : "s"); }

std::string elements_text(std::uint64_t elements) {
  return fmt::format("{} element{}", elements, elements == 1 ? "" : "s");
}

/// "8 elements", "4096 elements (16 KiB)", "6 bytes".
std::string distance_text(std::uint64_t bytes, unsigned word_bytes) {
  if (bytes % word_bytes != 0) return bytes == 1 ? "1 byte" : size_text(bytes);
  const std::string elements = elements_text(bytes / word_bytes);
  return bytes < telling_bytes ? elements : fmt::format("{} ({})", elements, size_text(bytes));
}
std::string distance_text(std::int64_t bytes, unsigned word_bytes) {
  return distance_text(magnitude(bytes), word_bytes);
}

/// "8 elements", "1 to 20 elements".
std::string distances_text(std::uint64_t low, std::uint64_t high, unsigned word_bytes) {
  if (low == high) return distance_text(low, word_bytes);
  if (low % word_bytes != 0 || high % word_bytes != 0) return fmt::format("{} to {} bytes", low, high);
  return fmt::format("{} to {} elements", low / word_bytes, high / word_bytes);
}

/// Rounds a window up a little, for fewer digits: mostly not all of it was seen.
std::string window_text(std::uint64_t bytes, std::uint64_t extent_bytes) {
  const std::uint64_t granule = std::max<std::uint64_t>(std::bit_floor(bytes) / 16, 1);
  if (bytes > ~std::uint64_t{0} - granule) return size_text(bytes);
  std::uint64_t rounded = (bytes + granule - 1) / granule * granule;
  if (extent_bytes >= bytes) rounded = std::min(rounded, extent_bytes);
  return size_text(rounded);
}

/// A mean, to a tenth where that can matter: "5.1", "17", "16384".
std::string mean_text(double mean) { return mean < 100 ? trimmed(mean, 1) : fixed(mean, 0); }

std::string percent(double share) {
  const double rounded = std::round(share * 100);
  if (rounded < 1) return "under 1 %";
  return fmt::format("{:.0f} %", std::min(rounded, share < 1 ? 99.0 : 100.0));
}

std::string spread_text(const Spread& spread) {
  return spread.constant() ? fmt::format("{}", spread.low) : fmt::format("{} to {}", spread.low, spread.high);
}

std::string ordinal(std::uint64_t n) {
  if (n == 2) return "second";
  return n == 3 ? "third" : fmt::format("{}th", n);
}

// ---- the lanes

std::string shift_words(const Shift& shift) {
  const bool sectors = shift.sector_share >= some;
  const double share = sectors ? shift.sector_share : shift.line_share;
  const Spread& bytes = sectors ? shift.sector_bytes : shift.line_bytes;
  if (share < some) return "";
  const std::string off = fmt::format("shifted off the {}", sectors ? "sectors" : "lines");
  if (!bytes.constant()) return fmt::format("{} by varying amounts", off);
  if (share >= nearly_all) return fmt::format("{} by {}", off, bytes_text(bytes.low));
  return fmt::format("{} by {} in {} of requests", off, bytes_text(bytes.low), percent(share));
}

/// "8 elements apart", of lanes or groups of them.
std::string apart_words(const LaneShape& lanes, unsigned word_bytes) {
  const auto [low, high] = std::ranges::minmax({magnitude(lanes.step_bytes.low), magnitude(lanes.step_bytes.high)});
  const bool down = lanes.step_bytes.high < 0;
  const bool both = lanes.step_bytes.low < 0 && !down;
  const std::string_view direction = down ? ", descending" : both ? ", upwards or downwards" : "";
  if (lanes.adjacent) return fmt::format("next to each other{}", direction);
  const std::string distance =
      both ? "up to " + distance_text(high, word_bytes) : distances_text(low, high, word_bytes);
  return fmt::format("{} apart{}", distance, direction);
}

std::string linear_words(const LaneShape& lanes, unsigned word_bytes, bool in_sectors) {
  const std::string apart = apart_words(lanes, word_bytes);
  std::string words;
  if (lanes.group_lanes.high > 1) {
    words = fmt::format("groups of {} lanes at one element, {}", spread_text(lanes.group_lanes), apart);
  } else {
    words = "lanes " + apart;
  }
  if (lanes.jump_share >= 0.01) words += fmt::format(", but for a jump in {} of requests", percent(lanes.jump_share));
  const std::string shift = in_sectors && lanes.group_lanes.high <= 1 ? shift_words(lanes.shift) : "";
  return shift.empty() ? words : fmt::format("{}, {}", words, shift);
}

std::string reordered_words(const LaneShape& lanes, unsigned word_bytes, bool in_sectors) {
  if (!lanes.adjacent) return fmt::format("lanes {}, in another order", apart_words(lanes, word_bytes));
  if (!in_sectors) return "lanes next to each other, in another order";
  const std::string shift = shift_words(lanes.shift);
  return "lanes in another order within the same sectors" + (shift.empty() ? "" : ", " + shift);
}

/// Names the launch's range if the runs of a request lie anywhere in it; else empty.
std::string run_range_words(const LaneShape& lanes, const PatternShape& shape) {
  if (lanes.distance_bytes || shape.sampled == 1 || lanes.window_bytes < shape.range_bytes / 3) return "";
  return ", all over " + window_text(shape.range_bytes, shape.extent_bytes);
}

std::string run_words(const LaneShape& lanes, unsigned word_bytes) {
  const bool groups = lanes.group_lanes.high > 1;
  const std::string_view noun = groups ? "places" : "lanes";
  const std::string apart = apart_words(lanes, word_bytes);
  if (!lanes.run_places.constant() || !lanes.runs.constant()) {
    if (lanes.run_places.constant()) {
      return fmt::format("{} runs of {} {} {}", spread_text(lanes.runs), lanes.run_places.low, noun, apart);
    }
    return fmt::format("runs of {} {} {}, {} in the mean", spread_text(lanes.run_places), noun, apart,
                       mean_text(lanes.run_places.mean));
  }
  const std::string runs = fmt::format("{} runs of {} {}", lanes.runs.low, lanes.run_places.low, noun);
  if (!lanes.distance_bytes) return fmt::format("{} {}", runs, apart);
  const std::string inner = lanes.adjacent && lanes.step_bytes.low > 0 ? "" : " " + apart;
  if (*lanes.distance_bytes == 0) {
    return fmt::format("{}{}, all at the same {} elements", runs, inner, lanes.run_places.low);
  }
  const std::string distance = distance_text(*lanes.distance_bytes, word_bytes);
  if (inner.empty()) {
    return fmt::format("{}, {} apart{}", runs, distance, *lanes.distance_bytes < 0 ? ", descending" : "");
  }
  return fmt::format("{}{}, the runs {} apart", runs, inner, distance);
}

std::string repeating_words(const LaneShape& lanes, unsigned word_bytes) {
  const std::string number = spread_text(lanes.period_lanes);
  const bool stays = lanes.period_lanes.constant() && lanes.distance_bytes == 0;
  if (stays || !lanes.period_lanes.constant()) return fmt::format("the lanes hit only {} addresses", number);
  if (!lanes.distance_bytes) return fmt::format("the lanes hit {} addresses in turn, then others", number);
  return fmt::format("the lanes hit {} addresses in turn, then those {} further {}", number,
                     distance_text(*lanes.distance_bytes, word_bytes), *lanes.distance_bytes > 0 ? "on" : "back");
}

std::string sorted_words(const LaneShape& lanes, unsigned word_bytes) {
  const std::string_view order = lanes.downwards ? "descending" : "ascending";
  const std::string gaps = distances_text(magnitude(lanes.gap_bytes.low), magnitude(lanes.gap_bytes.high), word_bytes);
  if (lanes.gap_bytes.constant()) return fmt::format("lanes {}, {} apart", order, gaps);
  const bool whole = gaps.find("elements") != std::string::npos;
  return fmt::format("lanes {}, {} apart, {} in the mean", order, gaps,
                     mean_text(lanes.gap_bytes.mean / (whole ? word_bytes : 1)));
}

std::string scattered_words(const LaneShape& lanes, const PatternShape& shape) {
  if (lanes.alike && shape.sampled > 1) {
    return fmt::format("lanes scattered within {}, alike in every request", size_text(lanes.window_bytes));
  }
  const bool everywhere = lanes.window_bytes >= shape.range_bytes / 3;
  const std::uint64_t window = everywhere ? shape.range_bytes : lanes.window_bytes;
  const bool whole = everywhere && static_cast<double>(window) >= 0.9 * static_cast<double>(shape.extent_bytes);
  if (whole && shape.extent_bytes > 0) return "lanes at random over all " + size_text(shape.extent_bytes);
  const std::string within = "lanes at random within " + window_text(window, shape.extent_bytes);
  return shape.step.kind == StepKind::nearby ? within + " that move along" : within;
}

std::string lane_words(const LaneShape& lanes, const PatternShape& shape) {
  switch (lanes.kind) {
    case LaneKind::none:
      return "";
    case LaneKind::single:
      return "one lane active";
    case LaneKind::same:
      return "all lanes at one element";
    case LaneKind::linear:
      return linear_words(lanes, shape.word_bytes, shape.in_sectors);
    case LaneKind::reordered:
      return reordered_words(lanes, shape.word_bytes, shape.in_sectors);
    case LaneKind::runs:
      return run_words(lanes, shape.word_bytes) + run_range_words(lanes, shape);
    case LaneKind::repeating:
      return repeating_words(lanes, shape.word_bytes);
    case LaneKind::sorted:
      return sorted_words(lanes, shape.word_bytes);
    case LaneKind::scattered:
      return scattered_words(lanes, shape);
  }
  return "";
}

/// Describes the kinds of requests that are frequent enough, with their shares unless nearly all are of one kind.
std::string all_lane_words(const PatternShape& shape) {
  if (shape.lanes.empty()) return shape.requests == 0 ? "no requests" : "no lane active";
  if (shape.lanes.front().share >= nearly_all) return lane_words(shape.lanes.front(), shape);
  std::string words;
  for (const LaneShape& lanes : shape.lanes) {
    if (lanes.share < some) continue;
    words += words.empty() ? fmt::format("in {} of requests ", percent(lanes.share))
                           : fmt::format("; in {} ", percent(lanes.share));
    words += lane_words(lanes, shape);
  }
  return words;
}

/// Returns n if the mask is every n-th lane, else 0.
std::uint64_t lanes_apart(std::uint32_t mask) {
  for (unsigned apart = 2; apart < warp_lanes / 2; ++apart) {
    for (unsigned first = 0; first < apart; ++first) {
      std::uint32_t regular = 0;
      for (unsigned lane = first; lane < warp_lanes; lane += apart) regular |= 1U << lane;
      if (mask == regular) return apart;
    }
  }
  return 0;
}

std::string active_words(const PatternShape& shape) {
  constexpr std::uint32_t all_lanes = 0xffff'ffff;
  if (shape.lanes.empty() || shape.lanes.front().kind == LaneKind::single) return "";
  const std::string idle =
      shape.idle_share >= some ? fmt::format("none in {} of requests", percent(shape.idle_share)) : "";
  if (!shape.mask) {
    return fmt::format("{} of {} lanes active, {} in the mean", spread_text(shape.active_lanes), warp_lanes,
                       mean_text(shape.active_lanes.mean));
  }
  if (*shape.mask == all_lanes) return idle.empty() ? "" : fmt::format("no lane active in {}", idle.substr(8));
  const std::uint64_t apart = lanes_apart(*shape.mask);
  const std::string lanes = apart > 0 ? fmt::format("every {} lane active", ordinal(apart))
                                      : fmt::format("{} of {} lanes active", std::popcount(*shape.mask), warp_lanes);
  return idle.empty() ? lanes : fmt::format("{}, {}", lanes, idle);
}

// ---- one request to the next

std::string step_words(const PatternShape& shape) {
  const StepShape& step = shape.step;
  const std::string distance = distance_text(step.step_bytes, shape.word_bytes);
  const std::string_view on = step.step_bytes < 0 ? "back" : "further on";
  const std::string_view mostly = step.share < nearly_all ? "mostly " : "";
  switch (step.kind) {
    case StepKind::unknown:
      return "";
    case StepKind::continues:
      if (step.share >= nearly_all) return "the next request goes on where this one ended";
      return fmt::format("the next request goes on where this one ended, but for a jump about every {} requests",
                         std::llround(1 / (1 - step.share)));
    case StepKind::steps:
      if (step.step_bytes == 0) return fmt::format("the next request {}at the same place", mostly);
      return fmt::format("the next request {}{} {}{}", mostly, distance, on, step.overlaps ? ", overlapping" : "");
    case StepKind::turns:
      if (step.step_bytes == 0) return fmt::format("requests hit {} places in turn", step.turn);
      return fmt::format("requests hit {} places in turn, then those {} further {}", step.turn, distance,
                         step.step_bytes < 0 ? "back" : "on");
    case StepKind::onwards:
      return fmt::format("the next request {}, by {} in the mean", on, distance);
    case StepKind::nearby:
      if (shape.lanes.front().kind == LaneKind::scattered) return "";
      return fmt::format("requests in no order within {} that move along", window_text(step.window_bytes, 0));
    case StepKind::anywhere:
      return "requests all over " + window_text(shape.range_bytes, shape.extent_bytes);
  }
  return "";
}

std::string sharing_words(const Sharing& sharing) {
  if (sharing.requests_later < 2) return "";  // its neighbour is what the step says
  const std::string later = fmt::format("{}{} requests later", sharing.exactly ? "" : "about ", sharing.requests_later);
  if (sharing.element_share >= 0.5) return fmt::format("the same elements come again {}", later);
  return fmt::format("the same sectors come again {}", later);
}

std::string reuse_words(const PatternShape& shape) {
  if (shape.reuse < used_again) return "";
  return fmt::format("each element {} times{} in the mean", mean_text(shape.reuse),
                     shape.sampled == shape.requests ? "" : " or more");
}

/// True if elements are used more often than by the lanes of a single request.
bool used_by_others(const PatternShape& shape) {
  const LaneShape& lanes = shape.lanes.front();
  const double own = lanes.kind == LaneKind::same ? warp_lanes : std::max(1.0, lanes.group_lanes.mean);
  return shape.reuse >= used_again * own;
}

std::string brief_words(const PatternWords& words, const PatternShape& shape) {
  std::string brief = words.lanes;
  if (brief.size() > brief_columns) {  // of several kinds
    const LaneShape& lanes = shape.lanes.front();
    brief = lane_words(lanes, shape);
    if (lanes.share < nearly_all) brief = fmt::format("in {} of requests {}", percent(lanes.share), brief);
  }
  const auto add = [&](const std::string& clause) {
    if (clause.empty() || brief.size() + 2 + clause.size() > brief_columns) return;
    brief += "; " + clause;
  };
  add(words.active);
  add(words.sharing);
  const bool plainly = shape.step.kind == StepKind::continues && shape.step.share >= nearly_all;
  if (!plainly) add(words.step);
  if (!shape.lanes.empty() && used_by_others(shape)) add(words.reuse);
  return brief;
}

std::string full_words(const PatternWords& words) {
  std::string first = words.lanes;
  for (const std::string* clause : {&words.active, &words.step}) {
    if (!clause->empty()) first += "; " + *clause;
  }
  std::vector<std::string> sentences;
  for (const std::string& clause : {first, words.sharing, words.reuse}) {
    if (!clause.empty()) sentences.push_back(capitalised(clause) + ".");
  }
  return paragraph(sentences);
}

}  // namespace

PatternWords words_of(const PatternShape& shape) {
  PatternWords words;
  words.lanes = all_lane_words(shape);
  words.active = active_words(shape);
  words.step = step_words(shape);
  words.sharing = sharing_words(shape.sharing);
  words.reuse = reuse_words(shape);
  words.brief = brief_words(words, shape);
  words.full = full_words(words);
  return words;
}

PatternWords describe(const Requests& launch) { return words_of(pattern_shape(launch)); }

}  // namespace gpumem::access
