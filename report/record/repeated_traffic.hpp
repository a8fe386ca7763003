#pragma once
// Traffic of a user's kernel that goes away if kernels are put together, or if blocks share what they load. No single
// access of such a kernel is wasteful.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "report/record/callers.hpp"
#include "report/record/field_kinds.hpp"

namespace gpumem::report {

// Names in RepeatedTraffic::cause, which are verdicts of kernels as well.
/// Kernels, one right after the other, load the array that the one before stored.
inline constexpr std::string_view several_passes_cause = "several_passes";
/// The kernel copies an array without arithmetic, and only the next kernel loads the copy.
inline constexpr std::string_view layout_copy_cause = "layout_copy";
/// Each block loads from L2 again what other blocks load.
inline constexpr std::string_view reloaded_by_blocks_cause = "reloaded_by_blocks";

/// A kernel has it if it could save more this way than by its accesses alone. The metrics `could_save_*` are then the
/// savings of this change.
struct RepeatedTraffic {
  std::string cause;
  /// The kernels whose traffic it is, this one included, in the order of their launches; demangled names.
  std::vector<std::string> kernels = {};
  std::uint64_t group = 0;  ///< equal for kernels of a report that one change puts together; from 1 on
  ArrayRecord array = {};   ///< that kernels pass on, or that blocks load
  double saves_bytes = 0;   ///< of this kernel, in all of its launches
  std::string site = {};    ///< of reloads: the load with most of them, as `access` names it
  double times_loaded = 0;  ///< of reloads: how often each byte comes from L2 in a launch
};

template <class Archive>
void fields(Archive& archive, RepeatedTraffic& repeated) {
  archive("cause", repeated.cause);
  archive("kernels", repeated.kernels);
  archive("group", repeated.group);
  archive("array", repeated.array);
  archive("saves_bytes", repeated.saves_bytes);
  archive.if_any("site", repeated.site);
  archive.if_any("times_loaded", repeated.times_loaded);
}

}  // namespace gpumem::report
