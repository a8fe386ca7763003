#include "report/check/check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <set>
#include <utility>

#include "report/check/check_words.hpp"
#include "report/check/pairs.hpp"
#include "report/record/gpus.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

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
bool keeps(const CheckRecord& before) {
  return before.verdict != Verdict::fail && before.about == CheckRecord::About::cases && !before.quantity.empty();
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

/// Leaves out expectations between GPUs if the report is of one GPU, unless the suite has no others.
std::vector<Expectation> of_this_machine(std::span<const Expectation> expectations, const Report& report) {
  std::vector<Expectation> kept(expectations.begin(), expectations.end());
  if (report.devices.size() > 1 || std::ranges::all_of(kept, is_about_pairs)) return kept;
  std::erase_if(kept, [&](const Expectation& expectation) {
    const auto is_selected = [&](const Record& record) { return selects(expectation.cases, record); };
    return is_about_pairs(expectation) && std::ranges::none_of(report.results, is_selected);
  });
  return kept;
}

/// The checks of several GPUs side by side, of each alone and of what is between them.
class SeveralGpus {
 public:
  SeveralGpus(const Report& report, std::span<const Expectation> expectations, const CheckRules& rules)
      : expectations_(expectations), rules_(rules), between_(between_gpus(report)) {
    for (const Expectation& expectation : expectations_) {
      if (!is_about_pairs(expectation)) of_one_.push_back(expectation);
    }
    for (const GpuPart& part : gpu_parts(report)) of_parts_.push_back(checks_of(part, of_one_, rules));
    for (const Record& record : rules.planned) {
      if (!gpu_beside_others(record)) planned_between_.push_back(record);
    }
    if (!between_ && !planned_between_.empty()) between_.emplace().report = report_without_results(report);
    if (between_) rules_.planned = planned_between_;
    if (between_) agreement_ = pairs_agreement(between_->report);
  }

  [[nodiscard]] std::vector<CheckRecord> all() {
    std::size_t row = 0;
    while (row < of_parts_.front().size() - of_one_.size()) add_row(row++);
    if (between_ && !says_why_none_ran()) {
      for (CheckRecord& check : check_soundness(between_->report, rules_)) {
        check.name += " between GPUs";
        add(std::move(check));
      }
    }
    for (const Expectation& expectation : expectations_) {
      if (is_about_pairs(expectation)) {
        hold_between(expectation);
      } else {
        add_row(row++);
      }
    }
    if (agreement_ && agreement_->judged > 0) add(agreement_->check);
    return std::move(checks_);
  }

 private:
  static Report report_without_results(Report report) {
    report.results.clear();
    report.conclusions.clear();
    report.checks.clear();
    return report;
  }

  /// True if no pair can copy, as without peer access, and an expectation says so: once is enough.
  [[nodiscard]] bool says_why_none_ran() const {
    return std::ranges::any_of(expectations_, is_about_pairs) && !between_->report.results.empty() &&
           std::ranges::all_of(between_->report.results,
                               [](const Record& record) { return record.status == Status::skipped; });
  }

  /// One check of each GPU.
  void add_row(std::size_t row) {
    for (std::vector<CheckRecord>& own : of_parts_) checks_.push_back(std::move(own[row]));
  }

  void add(CheckRecord check) {
    for (std::size_t& index : check.cases) index = between_->cases[index];
    checks_.push_back(std::move(check));
  }

  /// Pairs without a telling prediction are compared with each other instead, if there are enough of them.
  void hold_between(const Expectation& expectation) {
    if (!between_) return checks_.push_back(no_such_cases(expectation));
    CheckRecord check = evaluate(expectation, between_->report, rules_);
    const bool instead = agreement_ && agreement_->judged > 0 && agreement_->unjudged == 0;
    if (check.verdict == Verdict::skip && check.quantity == "measured_over_predicted" && instead) return;
    add(std::move(check));
  }

  static CheckRecord no_such_cases(const Expectation& expectation) {
    CheckRecord check = blank_check(expectation);
    check.reason = "the report has no such case";
    return check;
  }

  std::span<const Expectation> expectations_;
  CheckRules rules_;
  std::optional<BetweenGpus> between_;
  std::vector<Expectation> of_one_;
  std::vector<std::vector<CheckRecord>> of_parts_;
  std::vector<Record> planned_between_;
  std::optional<PairsAgreement> agreement_;
  std::vector<CheckRecord> checks_;
};

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
  if (gpus_side_by_side(report).empty()) {
    return check_one_gpu(report, of_this_machine(expectations, report), rules);
  }
  return SeveralGpus(report, expectations, rules).all();
}

std::vector<CheckRecord> foreseen(std::span<const Expectation> expectations, const Report& dry_run) {
  std::vector<CheckRecord> checks;
  for (const Expectation& expectation : expectations) {
    const auto is_selected = [&](const Record& record) { return selects(expectation.cases, record); };
    if (is_about_pairs(expectation) && std::ranges::none_of(dry_run.results, is_selected)) continue;  // one GPU
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
  for (CheckRecord& check : now) {
    const auto old = std::ranges::find_if(
        before, [&](const CheckRecord& other) { return other.name == check.name && other.device == check.device; });
    if (old == before.end()) continue;
    if (keeps(*old)) {
      check = std::move(*old);
      continue;
    }
    const bool had_failed = old->verdict == Verdict::fail;
    const bool repeated = (had_failed && !old->cases.empty()) || (!had_failed && check.verdict == Verdict::fail);
    check.attempts = repeated ? attempt : old->attempts;
    if (check.verdict == Verdict::pass && check.attempts > 1) {
      check.reason += passed_at(check.attempts);
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
