#include "report/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/check/check_words.hpp"
#include "report/record/gpus.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t soundness_checks = 2;
constexpr const char* nothing_checked_name = "at least one of the suite's own expectations was checked";

CheckRecord named(const char* name) {
  CheckRecord check;
  check.name = name;
  return check;
}

/// Returns a case in words, followed by `why`.
std::string outcome(const Report& report, std::size_t index, const std::string& why) {
  return fmt::format("{}: {}", probe_and_case_words(cases_of(report.results), report.results[index]), why);
}

/// Returns true if the record's status is ok although it has no time: nobody measured it.
bool lacks_measurement(const Report& report, const Record& record) {
  return !report.is_prediction() && record.status == Status::ok && !record.time;
}

CheckRecord every_case_ran(const Report& report, const CheckRules& rules) {
  CheckRecord check = named("every case ran");
  std::vector<std::size_t> ran;
  std::vector<std::size_t> failed;
  std::vector<std::size_t> skipped;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    const bool wrong_data = record.verified == false;  // which ran, and has a line of its own
    if (lacks_measurement(report, record)) {
      failed.push_back(i);
    } else if (record.status == Status::ok || wrong_data) {
      ran.push_back(i);
    } else {
      (record.status == Status::failed ? failed : skipped).push_back(i);
    }
  }
  const auto first = [&](const std::vector<std::size_t>& group) {
    const Record& record = report.results[group.front()];
    return outcome(report, group.front(),
                   lacks_measurement(report, record) ? "it was not measured" : reason_of(record));
  };
  const std::string total = counted(report.results.size(), "case");
  const Cases missing = missing_cases(report, rules);
  check.cases = failed.empty() ? ran : failed;
  if (!failed.empty()) {
    check.verdict = Verdict::fail;
    check.reason = fmt::format("{} of {} failed, the first, {}", failed.size(), total, first(failed));
  } else if (!missing.empty()) {
    check.verdict = Verdict::fail;
    check.cases.clear();
    check.reason = missing_words(missing, rules.planned.size());
  } else if (ran.empty()) {
    check.reason = skipped.empty() ? "the report has no cases" : "none ran; the first, " + first(skipped);
  } else {
    check.verdict = Verdict::pass;
    check.reason = total;
    if (!skipped.empty()) check.reason += fmt::format("; {} skipped, the first, {}", skipped.size(), first(skipped));
  }
  return check;
}

CheckRecord data_verified(const Report& report) {
  CheckRecord check = named("data verified");
  std::vector<std::size_t> wrong;
  std::vector<std::size_t> right;
  std::size_t unknown = 0;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    if (record.verified) {
      (*record.verified ? right : wrong).push_back(i);
    } else if (record.status == Status::ok) {
      ++unknown;
    }
  }
  check.cases = wrong.empty() ? right : wrong;
  if (!wrong.empty()) {
    check.verdict = Verdict::fail;
    check.reason =
        fmt::format("{} of {} moved wrong data, the first, {}", wrong.size(), counted(report.results.size(), "case"),
                    outcome(report, wrong.front(), reason_of(report.results[wrong.front()])));
  } else if (right.empty()) {
    check.reason = report.is_prediction() ? "nothing was measured" : "nothing was verified";
  } else if (unknown > 0) {
    check.reason = fmt::format("{} of {} not verified", unknown, counted(right.size() + unknown, "case"));
  } else {
    check.verdict = Verdict::pass;
    check.reason = counted(right.size(), "case");
  }
  return check;
}

CheckRecord program_ended_well(const ProgramRecord& program) {
  CheckRecord check = named("the program ended well");
  if (!program.exit_code) {
    check.reason = "its exit code is not known";
  } else {
    check.verdict = *program.exit_code == 0 ? Verdict::pass : Verdict::fail;
    check.reason = fmt::format("exit code {}", *program.exit_code);
  }
  return check;
}

CheckRecord kernels_were_seen(const Report& report) {
  CheckRecord check = named("its kernels were sampled");
  std::optional<std::size_t> unseen;  // the first
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (report.results[i].status == Status::ok) {  // or counted
      check.cases.push_back(i);
    } else if (!unseen) {
      unseen = i;
    }
  }
  if (report.results.empty()) {
    check.reason = "no kernel was launched";
    return check;
  }
  if (!check.cases.empty()) check.verdict = Verdict::pass;
  check.reason = fmt::format("{} of {}", check.cases.size(), counted(report.results.size(), "kernel"));
  if (unseen) check.reason += "; not " + outcome(report, *unseen, reason_of(report.results[*unseen]));
  return check;
}

Expectation without_flag(const char* name, const char* flag) {
  Expectation expectation;
  expectation.name = name;
  expectation.subject = Expectation::Subject::flags;
  expectation.flags = {flag};
  return expectation;
}

/// Returns true if the earlier result stays: that of an expectation on a quantity of cases, unless it failed.
/// `position` is its index among the soundness checks and the expectations behind them.
bool keeps(const CheckRecord& before, std::size_t position, std::span<const Expectation> expectations) {
  if (position < soundness_checks || before.verdict == Verdict::fail) return false;
  return expectations[position - soundness_checks].subject == Expectation::Subject::cases;
}

std::vector<CheckRecord> check_one_gpu(const Report& report, std::span<const Expectation> expectations,
                                       const CheckRules& rules) {
  std::vector<CheckRecord> checks = check_soundness(report, rules);
  for (const Expectation& expectation : expectations) checks.push_back(evaluate(expectation, report, rules));
  return checks;
}

/// Returns the checks of one GPU's part. They refer to its cases by their indices in the whole report.
std::vector<CheckRecord> checks_of(const GpuPart& part, std::span<const Expectation> expectations, CheckRules rules) {
  Report planned;
  for (const Record& record : rules.planned) {
    if (gpu_beside_others(record) == part.gpu) planned.results.push_back(record);
  }
  const std::vector<GpuPart> alone = gpu_parts(planned);
  rules.planned = alone.empty() ? std::span<const Record>() : alone.front().report.results;
  std::vector<CheckRecord> checks = check_one_gpu(part.report, expectations, rules);
  for (CheckRecord& check : checks) {
    check.device = part.gpu;
    for (std::size_t& index : check.cases) index = part.cases[index];
  }
  return checks;
}

/// Returns the number of checks for each expectation: one per GPU if several GPUs were checked.
std::size_t gpus_of(std::span<const CheckRecord> checks) {
  const auto same = [&](const CheckRecord& check) { return check.device && check.name == checks.front().name; };
  return std::max<std::size_t>(1, static_cast<std::size_t>(std::ranges::find_if_not(checks, same) - checks.begin()));
}

}  // namespace

std::vector<CheckRecord> check_soundness(const Report& report, const CheckRules& rules) {
  if (report.program) return {program_ended_well(*report.program), kernels_were_seen(report)};
  std::vector<CheckRecord> checks = {every_case_ran(report, rules), data_verified(report)};
  if (!report.is_prediction() || rules.accept_predictions) return checks;
  for (CheckRecord& check : checks) {
    check.verdict = Verdict::skip;
    check.reason = predicted_reason;
    check.cases.clear();
  }
  return checks;
}

std::vector<Expectation> common_expectations(const Report& report) {
  if (report.program) return {};
  return {without_flag("never throttled", "throttled"), without_flag("no ECC errors", "ecc_errors"),
          without_flag("the GPU to itself", "contended"),
          without_flag("the host link at its full speed", "link_degraded"),
          without_flag("counts as predicted", "counts_differ")};
}

std::vector<CheckRecord> check(const Report& report, std::span<const Expectation> expectations,
                               const CheckRules& rules) {
  const std::vector<GpuPart> parts = gpu_parts(report);
  if (parts.empty()) return check_one_gpu(report, expectations, rules);
  std::vector<std::vector<CheckRecord>> of_parts;
  for (const GpuPart& part : parts) of_parts.push_back(checks_of(part, expectations, rules));
  std::vector<CheckRecord> checks;
  for (std::size_t i = 0; i < of_parts.front().size(); ++i) {
    for (std::vector<CheckRecord>& own : of_parts) checks.push_back(std::move(own[i]));
  }
  return checks;
}

std::vector<CheckRecord> foreseen(std::span<const Expectation> expectations, const Report& dry_run) {
  std::vector<CheckRecord> checks;
  for (const Expectation& expectation : expectations) {
    CheckRecord& check = checks.emplace_back(blank_check(expectation));
    for (std::size_t i = 0; i < dry_run.results.size(); ++i) {
      if (selects(expectation.cases, dry_run.results[i])) check.cases.push_back(i);
    }
    const bool of_cases = expectation.subject != Expectation::Subject::device;
    check.reason = "dry run: " + demand_words(expectation);
    if (of_cases) check.reason += fmt::format(", {}", counted(check.cases.size(), "case"));
    if (expectation.gpu) check.reason += ", on " + one_line(*expectation.gpu);
    if (!of_cases) check.cases.clear();
  }
  return checks;
}

std::vector<CheckRecord> check_again(std::vector<CheckRecord> before, const Report& report,
                                     std::span<const Expectation> expectations, const CheckRules& rules,
                                     unsigned attempt) {
  std::vector<CheckRecord> now = check(report, expectations, rules);
  const std::size_t gpus = gpus_of(now);
  for (std::size_t i = 0; i < now.size(); ++i) {
    CheckRecord& old = before[i];
    if (keeps(old, i / gpus, expectations)) {
      now[i] = std::move(old);
      continue;
    }
    const bool had_failed = old.verdict == Verdict::fail;
    const bool repeated = (had_failed && !old.cases.empty()) || (!had_failed && now[i].verdict == Verdict::fail);
    now[i].attempts = repeated ? attempt : old.attempts;
    if (now[i].verdict == Verdict::pass && now[i].attempts > 1) {
      now[i].reason += passed_at(now[i].attempts);
    }
  }
  return now;
}

std::string passed_at(unsigned attempt) { return fmt::format("; passed at attempt {}", attempt); }

std::vector<std::size_t> cases_of_failures(std::span<const CheckRecord> checks) {
  std::set<std::size_t> cases;
  for (const CheckRecord& check : checks) {
    if (check.verdict == Verdict::fail) cases.insert(check.cases.begin(), check.cases.end());
  }
  return {cases.begin(), cases.end()};
}

CheckTally tally(std::span<const CheckRecord> checks) {
  CheckTally tally;
  for (const CheckRecord& check : checks) {
    ++(check.verdict == Verdict::pass ? tally.passed : check.verdict == Verdict::fail ? tally.failed : tally.skipped);
  }
  return tally;
}

std::vector<CheckRecord> nothing_checked(std::span<const CheckRecord> checks, bool of_suite) {
  std::map<std::optional<std::uint64_t>, std::vector<const CheckRecord*>> by_gpu;
  for (const CheckRecord& check : checks) by_gpu[check.device].push_back(&check);
  const bool side_by_side = by_gpu.size() > 1;
  std::vector<CheckRecord> found;
  for (auto& [gpu, asked] : by_gpu) {
    if (side_by_side && !gpu) continue;  // what is held of all GPUs together is no answer to a suite
    const auto most = std::ranges::max(asked, {}, &CheckRecord::about)->about;
    if (of_suite) std::erase_if(asked, [&](const CheckRecord* check) { return check->about != most; });
    if (!std::ranges::all_of(asked, [](const CheckRecord* check) { return check->verdict == Verdict::skip; })) continue;
    CheckRecord& failure = found.emplace_back(named(nothing_checked_name));
    failure.device = gpu;
    failure.verdict = Verdict::fail;
    failure.reason =
        fmt::format("none of {}{} has an answer; the first one skipped, {}: {}", counted(asked.size(), "expectation"),
                    of_suite && most == CheckRecord::About::cases ? " of the suite's own cases" : "",
                    asked.front()->name, asked.front()->reason);
  }
  return found;
}

bool says_nothing_checked(const CheckRecord& check) { return check.name == nothing_checked_name; }

bool fails_run(const CheckRecord& check) {
  return check.verdict == Verdict::fail || (check.verdict == Verdict::skip && check.required);
}

}  // namespace gpumem::report
