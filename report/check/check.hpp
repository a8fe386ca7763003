#pragma once
// Checks expectations on a report. Pure functions: only the report decides, and an expectation on something unknown is
// skipped.

#include <cstddef>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/check/expectation.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

struct CheckRules {
  /// True if expectations are checked on predictions too. Otherwise all checks of a predicted report are skipped.
  bool accept_predictions = false;
  /// Records of the cases that the report should hold, with "auto" as asked for; empty: any cases.
  std::span<const Record> planned = {};
};

/// Returns the checks that apply to every report: its cases ran, and they moved the right data. For a user's program:
/// it ended well, and its kernels were sampled.
[[nodiscard]] std::vector<CheckRecord> check_soundness(const Report& report, const CheckRules& rules);

/// Returns the expectations on a report without a suite: nothing spoilt its measurements. Empty for a user's program,
/// because the GPU is not watched while it runs.
[[nodiscard]] std::vector<Expectation> common_expectations(const Report& report);

/// Checks one expectation. It fails if one of its cases failed or misses it, else is skipped if that is unknown for one
/// of them, else passes. The reason names the case that decided, the worst one.
[[nodiscard]] CheckRecord evaluate(const Expectation& expectation, const Report& report, const CheckRules& rules);

/// Returns the distance of a value to the nearer bound, as a share of that bound; negative if it misses one, infinite
/// if there are none.
[[nodiscard]] double margin(double value, const std::optional<double>& at_least, const std::optional<double>& at_most);

/// Runs check_soundness(), then all expectations in their order. Several GPUs side by side are checked one by one: the
/// result then has a check per GPU for each of them.
[[nodiscard]] std::vector<CheckRecord> check(const Report& report, std::span<const Expectation> expectations,
                                             const CheckRules& rules);

/// Returns the checks that the cases of a dry run would face: all skipped, with what they ask for as the reason.
[[nodiscard]] std::vector<CheckRecord> foreseen(std::span<const Expectation> expectations, const Report& dry_run);

/// Returns the checks of the same report after some of its cases were measured again, in attempt `attempt` (2, 3, ...).
/// Expectations on a quantity of cases keep their result unless they failed. Everything else is checked anew.
[[nodiscard]] std::vector<CheckRecord> check_again(std::vector<CheckRecord> before, const Report& report,
                                                   std::span<const Expectation> expectations, const CheckRules& rules,
                                                   unsigned attempt);

/// Returns the words to append to the reason of a check that failed before: "; passed at attempt 2".
[[nodiscard]] std::string passed_at(unsigned attempt);

/// Returns the indices of the cases of failed checks, ascending.
[[nodiscard]] std::vector<std::size_t> cases_of_failures(std::span<const CheckRecord> checks);

/// Returns the checks to show. For several GPUs, passed checks become one, which names the worst GPU; checks skipped
/// for the same reason also become one. Each failure stays, and names its GPU.
[[nodiscard]] std::vector<CheckRecord> in_brief(const Report& report);

struct CheckTally {
  std::size_t passed = 0;
  std::size_t failed = 0;
  std::size_t skipped = 0;
};
[[nodiscard]] CheckTally tally(std::span<const CheckRecord> checks);

/// Returns a failure if all relevant checks were skipped; for several GPUs side by side, one for each GPU with which
/// that happened. In a suite, the checks of cases that its expectations name are relevant, or all others if there are
/// none. Without a suite, all checks are.
[[nodiscard]] std::vector<CheckRecord> nothing_checked(std::span<const CheckRecord> checks, bool of_suite);

/// Returns true if nothing_checked() made this check.
[[nodiscard]] bool says_nothing_checked(const CheckRecord& check);

/// Returns true if a check makes the whole run fail: it failed, or it was required but skipped.
[[nodiscard]] bool fails_run(const CheckRecord& check);

}  // namespace gpumem::report
