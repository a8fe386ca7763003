#pragma once
// Compares the GPUs of one report by the statistics of a fleet (report/fleet/fleet.hpp). Cases that use the host are
// left out. If GPUs run them at the same time, they compete, and the results show what they share
// (report/explain/shared_link.hpp), not what each can do. If they take turns, they still are not equally far from the
// host.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "report/record/record.hpp"

namespace gpumem::report {

/// Share of the median by which GPUs of one machine may differ: a short measurement is no better than 2 %, and clocks
/// under limits of heat and power differ by some per cent between healthy GPUs.
constexpr double side_by_side_tolerance = 0.05;

/// A GPU and how fast it is: 1 is the median of all GPUs of its kind, more is better, whichever way a headline is.
struct GpuStanding {
  std::uint64_t gpu = 0;
  Device device;
  std::size_t cases = 0;                 ///< compared: those that another GPU has too
  std::optional<double> speed = {};      ///< the median over these
  std::optional<double> worst = {};      ///< in the one where it is slowest
  std::string worst_case = {};           ///< which one that is, in words
  std::vector<std::size_t> slow = {};    ///< indices into the results of cases in which it is a slow outlier
  std::vector<std::size_t> failed = {};  ///< or failed, or moved wrong data
};

struct SideBySide {
  std::vector<GpuStanding> gpus;  ///< in the order of the report
  bool judged = false;            ///< true if there were enough GPUs to tell an outlier
  double apart = 0;               ///< share by which the slowest is behind the fastest, in the case where that is most
  std::string apart_case = {};    ///< which one that is, in words

  [[nodiscard]] bool any_slow() const;
  /// Says which GPU is the odd one out and why, or that the GPUs agree. If GPUs are too few to tell, says how far apart
  /// they are.
  [[nodiscard]] std::string verdict() const;
};

/// Returns nullopt for a report that is not of several GPUs, or if no case can be compared with another.
[[nodiscard]] std::optional<SideBySide> side_by_side(const Report& report);

/// Returns the check that the GPUs agree with each other. It fails if one is a slow outlier, and is skipped if GPUs are
/// too few to tell. Nullopt if side_by_side() is.
[[nodiscard]] std::optional<CheckRecord> check_agreement(const Report& report);

}  // namespace gpumem::report
