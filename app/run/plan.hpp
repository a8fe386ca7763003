#pragma once
// Turns the user's request into the cases that will run, in their order. Needs neither GPU nor model.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "engine/statistics/statistics.hpp"
#include "probes/probe.hpp"

namespace gpumem::app {

/// An axis flag as the user gave it: without dashes, with the text of each of its uses. An empty text is a use without
/// a value, which means the axis' defaults, or what it says instead (Axis::alone).
struct GivenAxis {
  std::string flag;
  std::vector<std::string> texts;
};

/// Limits to the repetition of a case; absent: not asked for.
struct Effort {
  std::optional<double> ci_width;  ///< a share, see StoppingRule
  std::optional<measure::Seconds> time_budget;
};

/// Returns the rule that `first` asks for, else `second`, else the default.
[[nodiscard]] measure::StoppingRule stopping_rule(const Effort& first, const Effort& second = {});

/// The cases of one table. They are of one probe and differ only in its first axis, its compared one and the one
/// across. The first axis varies fastest, the one across next.
struct PlannedSweep {
  /// A case that is not run, because an item that the user brought cannot be used (UnusableItem).
  struct Unusable {
    Case tested;
    std::string reason;
  };
  const Probe* probe = nullptr;
  std::vector<Case> cases;              ///< never empty
  std::vector<std::string> asked = {};  ///< the parameters whose values somebody gave; the others have their defaults
  std::vector<Unusable> unusable = {};  ///< beside them
  Effort effort = {};                   ///< of a suite or the quick set; the command line may ask for something else
};

struct Plan {
  std::optional<std::string> suite = {};  ///< its name, if the plan is a suite's
  std::vector<PlannedSweep> sweeps = {};

  [[nodiscard]] std::size_t size() const;  ///< cases, also those that are not run
};

/// Returns every case with every value of a parameter, which varies fastest.
[[nodiscard]] std::vector<Case> with_each(const std::vector<Case>& cases, const std::string& parameter,
                                          std::span<const Value> values);

/// Puts the device's values in place of "all" (Axis::all).
void spell_out_all(PlannedSweep& sweep, const Device& device);
/// Drops cases whose values do not go together on the device (Probe::fits), if another case that fits has the same
/// values that the user asked for. Values of the axis across do not count: a cell of a matrix may be empty.
void leave_out_unfit(PlannedSweep& sweep, const Device& device);
/// Does both for all sweeps.
[[nodiscard]] Plan fitted(Plan plan, const Device& device);

/// The most cases one run takes.
inline constexpr std::size_t maximum_cases = 100'000;

/// True if each of the sweep's cases uses several GPUs of a machine.
[[nodiscard]] bool is_between_gpus(const PlannedSweep& sweep);
/// True if some sweep of the plan is such a one.
[[nodiscard]] bool is_between_gpus(const Plan& plan);

/// Returns the plan with every case on each of these GPUs. A last parameter `device`, which varies fastest, names the
/// GPU. Cases that use several GPUs themselves come last, and only those that use none but these. Throws a usage error
/// for too many cases.
[[nodiscard]] Plan on_each_gpu(Plan plan, std::span<const std::uint64_t> gpus);

/// Returns the plan for a run of one GPU: without the cases between GPUs of a suite that is about other things too.
[[nodiscard]] Plan on_one_gpu(Plan plan);

/// Returns the file that an axis' text names, if it names one.
[[nodiscard]] std::optional<std::string> named_file(const Axis& axis, const std::string& text);
/// The files that the cases of a plan name, each once.
[[nodiscard]] std::vector<std::string> files_of(const Plan& plan);

/// Runs the named probes. Without names it runs those whose first or compared axis was given, and of these, if there
/// are any, only the ones that have every axis given; else the quick default set, restricted to the probes that have
/// every axis given and take the values, with less time for each case. From sweep to sweep, the last of the other axes
/// varies fastest. Values that are "auto" stay so. The cases point into `registry`, which must outlive them. Throws a
/// usage error for an unknown probe, bad values, an axis that no selected probe has, or too many cases.
[[nodiscard]] Plan make_plan(const std::vector<Probe>& registry, const std::vector<std::string>& names,
                             const std::vector<GivenAxis>& given);

}  // namespace gpumem::app
