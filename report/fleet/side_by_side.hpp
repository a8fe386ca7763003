#pragma once
// The GPUs of one report held against each other, by the statistics of a fleet (report/fleet/fleet.hpp). Cases that use
// the host are left out: there GPUs that run at the same time compete, and what one gets says what they share
// (report/explain/shared_link.hpp), not what it is. Taking turns, they still are not equally far from the host.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Share of the median by which GPUs of one machine may differ: a short look at a case is no better than 2 %, and
/// clocks that heat and power leave differ by some per cent between GPUs that are healthy.
constexpr double side_by_side_tolerance = 0.05;

/// A GPU and how fast it is: 1 is the median of all GPUs of its kind, more is better, whichever way a headline is.
struct GpuStanding {
  std::uint64_t gpu = 0;
  Device device;
  std::size_t cases = 0;                 ///< that another GPU has too, so that they could be held against each other
  std::optional<double> speed = {};      ///< the median over these
  std::optional<double> worst = {};      ///< in the one where it is slowest
  std::string worst_case = {};           ///< which one that is, in words
  std::vector<std::size_t> slow = {};    ///< indices into the results of cases in which it is a slow outlier
  std::vector<std::size_t> failed = {};  ///< or failed, or moved wrong data
};

struct SideBySide {
  std::vector<GpuStanding> gpus;  ///< in the order of the report
  bool judged = false;            ///< whether there were enough GPUs to tell which is an outlier
  double apart = 0;               ///< share by which the slowest is behind the fastest, in the case where that is most
  std::string apart_case = {};    ///< which one that is, in words

  [[nodiscard]] bool any_slow() const;
  /// Which GPU is the odd one out and why, that they agree, or how far apart they are where it cannot be told.
  [[nodiscard]] std::string verdict() const;
};

/// Absent for a report that is not of several GPUs, or of which no case can be held against another.
[[nodiscard]] std::optional<SideBySide> side_by_side(const Report& report);

/// That the GPUs agree with each other, as a check: it fails where one is a slow outlier, and is skipped where GPUs are
/// too few to tell. Absent where side_by_side() is.
[[nodiscard]] std::optional<CheckRecord> check_agreement(const Report& report);

}  // namespace gpumem::report
