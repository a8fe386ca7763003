#pragma once
// When each stage of a case was busy, as bars of text: what overlaps and what waits.

#include <span>
#include <string>
#include <vector>

#include "report/record/cases.hpp"

namespace gpumem::report {

/// One case: its stages in the order in which they first start.
struct Timeline {
  struct Interval {
    double start_s = 0;
    double end_s = 0;
  };
  struct Lane {
    std::string stage;
    std::vector<Interval> busy;  ///< in any stream; disjoint, in rising order
  };
  std::string title;  ///< which case, and how long it takes
  std::vector<Lane> lanes;

  [[nodiscard]] double end_s() const;
};

/// At most two: the fastest case of a block (of those as fast, the first) and, before it, the slowest that moves as
/// many bytes: of the same alternative, from which it differs in the swept parameter alone, or else of any. An
/// alternative that takes many times as long would leave the fastest no room on the common axis. One where that one is
/// as fast, and none where no case has a timeline.
[[nodiscard]] std::vector<Timeline> telling_timelines(const Cases& cases);

/// Lines of text of at most `width` columns, none if that leaves the bars no room. All timelines share one axis. A cell
/// shows for which share of its time the stage was busy: by its height or, without `unicode`, as '#' for most of it,
/// '+' for about half and '.' for little or none.
[[nodiscard]] std::vector<std::string> drawn(std::span<const Timeline> timelines, std::size_t width, bool unicode);

}  // namespace gpumem::report
