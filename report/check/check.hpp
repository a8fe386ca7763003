#pragma once
// Expectations held against a report. Pure: what is known of the cases decides, and what is not known is a skip.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/check/expectation.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

struct CheckRules {
  /// Whether predictions are held to anything. Otherwise all of a predicted report is skipped.
  bool accept_predictions = false;
  /// Records of the cases that the report should hold, with "auto" where that is asked for; empty: whatever it holds.
  std::span<const Record> planned = {};
};

/// What every report is asked: that its cases ran, and moved the right data. One of a user's program, that it ended
/// well, and that its kernels were sampled.
[[nodiscard]] std::vector<CheckRecord> check_soundness(const Report& report, const CheckRules& rules);

/// What a report is asked for want of a suite: that nothing has spoilt its measurements. Nothing of a user's program,
/// beside which nobody watched the GPU.
[[nodiscard]] std::vector<Expectation> common_expectations(const Report& report);

/// Holds one expectation: fails if a case that it is about failed or does not meet it; else is skipped if for one of
/// them that is not known; else passes. The reason names the case that decided it, the worst one.
[[nodiscard]] CheckRecord hold(const Expectation& expectation, const Report& report, const CheckRules& rules);

/// How far a value is within its bounds, as a share of them; negative where it misses one, infinite without any.
[[nodiscard]] double margin(double value, const std::optional<double>& at_least, const std::optional<double>& at_most);

/// check_soundness(), then all expectations in their order. Of several GPUs side by side each is held to them alone,
/// and a check of each stands for every one of the others.
[[nodiscard]] std::vector<CheckRecord> check(const Report& report, std::span<const Expectation> expectations,
                                             const CheckRules& rules);

/// What would be held against the cases of a dry run: all skipped, and saying what they ask for.
[[nodiscard]] std::vector<CheckRecord> foreseen(std::span<const Expectation> expectations, const Report& dry_run);

/// The checks of the same report after cases of it were measured again, in attempt `attempt` (2, 3, ...). A value that
/// was good enough before stays; what was not, and what concerns the cases themselves, is looked at anew.
[[nodiscard]] std::vector<CheckRecord> check_again(std::vector<CheckRecord> before, const Report& report,
                                                   std::span<const Expectation> expectations, const CheckRules& rules,
                                                   unsigned attempt);

/// What stands behind the reason of a check that failed before: "; passed at attempt 2".
[[nodiscard]] std::string passed_at(unsigned attempt);

/// Indices of the cases behind what failed, ascending.
[[nodiscard]] std::vector<std::size_t> cases_of_failures(std::span<const CheckRecord> checks);

/// Checks as they are said: of several GPUs those that passed are one, which names the worst, and so are those that
/// were skipped for the same reason. Each failure stays, and names its GPU.
[[nodiscard]] std::vector<CheckRecord> in_brief(const Report& report);

struct CheckTally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
};
[[nodiscard]] CheckTally tally(std::span<const CheckRecord> checks);

/// What is added to checks that have no answer to what they are about: a failure, of several GPUs side by side one of
/// each for which that is so. A suite is about the cases that its expectations name; where none of them names any,
/// about whatever else it expects; a report without a suite, about anything that can be asked of it.
[[nodiscard]] std::vector<CheckRecord> nothing_checked(std::span<const CheckRecord> checks, bool of_suite);

/// Whether this is one of those.
[[nodiscard]] bool says_nothing_checked(const CheckRecord& check);

/// Whether a check makes the whole fail: it failed, or was skipped though that is as bad.
[[nodiscard]] bool spoils(const CheckRecord& check);

}  // namespace gpumem::report
