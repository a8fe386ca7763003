#pragma once
// Thresholds of what is told: from when on two readings differ, a prediction is wrong, or a gain is worth a sentence.
// Each is a share of the reading.

namespace gpumem {

/// Medians closer than this are called the same, and a gain of less is not told: runs of the same case differ by as
/// much.
inline constexpr double least_difference = 0.03;
/// A case that reaches this share of the best has saturated it: what is missing is little more than the noise.
inline constexpr double saturated_share = 0.95;
/// A prediction that is off by less is called right: on an H200, 91 of a portrait's 107 cases are (docs/portrait.md).
inline constexpr double as_predicted = 0.1;
/// Counts that differ by less are called the same: those of the same accesses are exact, but for the edges of a launch.
inline constexpr double same_count = 0.01;
/// Launches of a kernel that access at most so much more than each other are called alike: it is beyond what edges
/// make.
inline constexpr double alike_launches = 0.02;
/// Warps are called uneven if a launch waits this much longer for those with most work: predictions are off by as much
/// anyway.
inline constexpr double uneven_work = 0.1;
/// A cure that is predicted to save less of a kernel's time is none: neither price is known that well.
inline constexpr double least_saving = 0.01;

}  // namespace gpumem
