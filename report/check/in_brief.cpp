// Combines the checks of several GPUs into few.

#include <fmt/format.h>

#include <algorithm>

#include "report/check/check.hpp"
#include "report/record/gpus.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

using Checks = std::vector<const CheckRecord*>;

double margin_of(const CheckRecord& check) { return margin(*check.measured, check.at_least, check.at_most); }

std::string identity(const Report& report, const CheckRecord& check) {
  return short_gpu_identity(*check.device, device_of(report, *check.device));
}

/// Returns one check for several GPUs that passed: that of the GPU that came nearest to failing.
CheckRecord worst_of(const Checks& passed) {
  const auto nearest = std::ranges::min_element(
      passed, {}, [](const CheckRecord* check) { return check->measured ? margin_of(*check) : 0; });
  CheckRecord all = **nearest;
  all.reason = fmt::format("GPU {}, the worst of {}: {}", *all.device, passed.size(), all.reason);
  return all;
}

/// Returns one check for several GPUs whose checks are alike.
CheckRecord alike(const CheckRecord& check, std::size_t gpus) {
  CheckRecord all = check;
  all.reason += fmt::format(" ({})", counted(gpus, "GPU"));
  return all;
}

/// Returns the checks to show for one expectation and one verdict.
std::vector<CheckRecord> brief(const Report& report, const Checks& checks) {
  const CheckRecord& first = *checks.front();
  const bool several = checks.size() > 1 && first.verdict != Verdict::fail;
  const bool same =
      std::ranges::all_of(checks, [&](const CheckRecord* check) { return check->reason == first.reason; });
  if (several && same && !first.measured) return {alike(first, checks.size())};
  if (several && first.verdict == Verdict::pass) return {worst_of(checks)};
  std::vector<CheckRecord> each;
  for (const CheckRecord* check : checks) {
    each.push_back(*check);
    each.back().reason.insert(0, identity(report, *check) + ": ");
  }
  return each;
}

}  // namespace

std::vector<CheckRecord> in_brief(const Report& report) {
  std::vector<CheckRecord> said;
  for (auto first = report.checks.begin(); first != report.checks.end();) {
    if (!first->device) {
      said.push_back(*first++);
      continue;
    }
    const auto last = std::find_if(first, report.checks.end(), [&](const CheckRecord& check) {
      return !check.device || check.name != first->name;
    });
    for (const Verdict verdict : {Verdict::fail, Verdict::skip, Verdict::pass}) {
      Checks own;
      for (auto check = first; check != last; ++check) {
        if (check->verdict == verdict) own.push_back(&*check);
      }
      if (!own.empty()) std::ranges::move(brief(report, own), std::back_inserter(said));
    }
    first = last;
  }
  return said;
}

}  // namespace gpumem::report
