#pragma once
// Holds a GPU against what the same GPU reached before.

#include <cstddef>
#include <span>
#include <vector>

#include "report/record/history.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

/// With fewer earlier runs, noise explains almost any slowdown: by noise_limit() one of 32 cases may be 24 times the
/// spread of five runs below their median, and 49 times that of four.
inline constexpr std::size_t fewest_earlier_runs = 5;

/// The chance of a false alarm in any case of a check, if noise is normally distributed.
inline constexpr double false_alarms_a_check = 0.0005;

/// Returns a check for each case that enough healthy earlier runs of the GPU have. Each fails if the case is slower
/// than noise explains. One more check is skipped if other cases have too few of them. Runs of other GPUs, and those
/// that did not start before the report, are ignored. Several GPUs side by side are each held to their own history; the
/// checks of a case stand together.
[[nodiscard]] std::vector<CheckRecord> check_history(const Report& report, std::span<const EarlierRun> history);

/// Returns true if the check says that a case is slower than it was.
[[nodiscard]] bool says_slower_than_before(const CheckRecord& check);

/// The same after some cases were measured again, in attempt `attempt` (2, 3, ...). `before` are all checks before it.
[[nodiscard]] std::vector<CheckRecord> check_history_again(std::span<const CheckRecord> before, const Report& report,
                                                           std::span<const EarlierRun> history, unsigned attempt);

}  // namespace gpumem::report
