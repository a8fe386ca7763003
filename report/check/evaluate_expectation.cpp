// One expectation held against a report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <set>
#include <utility>

#include "engine/base/json_reader.hpp"
#include "engine/base/words.hpp"
#include "engine/measure/counters.hpp"
#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/check/pairs.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/record/quantities.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr const char* uncounted_reason = "it was not counted; add --counters";

bool is_counter(std::string_view quantity) {
  return std::ranges::any_of(measure::counter_fields(),
                             [&](const measure::CounterField& field) { return field.name == quantity; });
}

/// Why a record's reading of a quantity is no measurement, where one is asked for.
std::optional<std::string> not_measured(const Report& report, const Record& record, const std::string& quantity) {
  const auto pair = quantity == "measured_over_predicted" && !report.is_prediction() ? gpu_pair(record) : std::nullopt;
  if (pair) {
    if (auto why = why_pair_unpredicted(report, record, *pair)) return why;
  }
  const bool metric = std::ranges::find(record.metrics, quantity, &MetricRecord::name) != record.metrics.end();
  const bool counter = !metric && is_counter(quantity);
  if (quantity == "measured_over_predicted") {
    if (report.is_prediction()) return "nothing was measured";
    if (record.has_flag("predicted_from_attributes"))
      return "this GPU has no profile to compare with; 'gpumem calibrate' makes one";
    if (record.has_flag("predicted_from_guesses"))
      return "the profile assumes the rate that decides it, or scales it from another GPU's; 'gpumem calibrate' "
             "measures it";
  }
  if (report.is_prediction()) {
    if (counter) return "a prediction has no counters";
    return std::nullopt;
  }
  if (is_kernel(record)) return std::nullopt;  // whose accesses were seen, which is no prediction
  if (!record.time || !record.headline.measured) return "it was not measured";
  const std::string_view unit = quantity == "sectors_per_request"      ? sectors
                                : quantity == "wavefronts_per_request" ? wavefronts
                                                                       : "";
  const auto uncounted = [&](const SiteRecord& site) {
    const Reading reading = site.per_request(unit);
    return reading.predicted && !reading.counted;
  };
  if ((counter && !record.counters) || (!unit.empty() && std::ranges::any_of(record.access, uncounted))) {
    return uncounted_reason;
  }
  return std::nullopt;
}

/// Why a GPU that shared the host with others is not checked.
std::string shared_words(std::uint64_t gpus) {
  return fmt::format(
      "{} GPUs used the host at once, and what they share is held against none of them; in 'gpumem "
      "check SUITE --device all' they take turns",
      gpus);
}

/// The answer of one case to an expectation: a number, or the reason (`why`) that there is none.
struct Answer {
  std::size_t index = 0;              ///< of the case that it is about
  Verdict otherwise = Verdict::skip;  ///< without a number
  std::string why = {};
  double value = 0;
  std::optional<std::size_t> reference_case = {};
  double reference = 0;  ///< its value
  double ratio = 0;      ///< of the two; without a reference the value
  double margin = 0;     ///< within the bounds, as a share of them; negative where it misses one

  [[nodiscard]] bool missed() const { return why.empty() && margin < 0; }
};

/// Why a report lacks the quantity for a case that did not fail.
std::string why_unknown(const Report& report, const Record& record, const std::string& quantity) {
  if (is_kernel(record)) {
    if (record.status == Status::skipped) return "not looked at: " + reason_of(record);
    if (is_counter(quantity) && !record.counters) return uncounted_reason;
    if (!has_seen_accesses(record)) return "it was counted, not seen access by access";
  }
  if (record.status == Status::skipped) return "skipped: " + reason_of(record);
  return quantity_words(quantity) + (report.is_prediction() ? " is not predicted" : " is not known");
}

Answer value_of(const Report& report, std::size_t index, const std::string& quantity) {
  const Record& record = report.results[index];
  if (record.status == Status::failed) return {index, Verdict::fail, "failed: " + reason_of(record)};
  if (record.status == Status::ok) {
    if (auto why = not_measured(report, record, quantity)) return {index, Verdict::skip, std::move(*why)};
    if (record.shared_host()) return {index, Verdict::skip, shared_words(*record.host_shared_by)};
  }
  const std::optional<double> number = case_quantity(record, quantity);
  if (!number || !std::isfinite(*number)) return {index, Verdict::skip, why_unknown(report, record, quantity)};
  return {.index = index, .value = *number, .ratio = *number};
}

double margin_to(double value, const Expectation& expectation) {
  return margin(value, expectation.at_least, expectation.at_most);
}

/// Leaves out the unit if the other value has the same one: "32.0" beside "1.00 cycles per request".
std::string shortened(const std::string& value, const std::string& other) {
  constexpr std::size_t short_unit = 6;  // " GB/s"
  const std::size_t blank = value.find(' ');
  if (blank == std::string::npos || value.size() - blank < short_unit) return value;
  return other.ends_with(value.substr(blank)) ? value.substr(0, blank) : value;
}

/// Returns true if the quantity is of accesses that the kernel does not have, for example to shared memory.
bool lacks_such_accesses(const Record& record, const std::string& quantity) {
  return has_seen_accesses(record) && is_of_accesses(quantity) && !case_quantity(record, quantity);
}

/// The planned cases of the expectation that the report does not hold.
Cases missing_of(const Expectation& expectation, const Report& report, const CheckRules& rules) {
  Cases missing = missing_cases(report, rules);
  std::erase_if(missing, [&](const Record* record) { return !selects(expectation.cases, *record); });
  return missing;
}

/// Holds an expectation of a quantity against the cases, one after another.
class CaseCheck {
 public:
  CaseCheck(const Expectation& expectation, const Report& report, CheckRecord& result)
      : expectation_(expectation), report_(report), result_(result) {
    if (expectation.relative_to) references_.emplace(expectation, report.results);
  }

  void run(const CheckRules& rules) {
    std::vector<Answer> answers;
    std::set<std::size_t> cases;
    for (std::size_t i = 0; i < report_.results.size(); ++i) {
      if (!is_about(report_.results[i])) continue;
      cases.insert(i);
      answers.push_back(answer_of(i, cases));
    }
    result_.cases.assign(cases.begin(), cases.end());
    decide(answers, rules);
  }

 private:
  [[nodiscard]] bool is_about(const Record& record) const {
    return selects(expectation_.cases, record) && !lacks_such_accesses(record, expectation_.quantity) &&
           (!expectation_.where || expectation_.where->holds(record));
  }

  /// Returns the answer of a case. Adds the case that it is related to to `cases`.
  Answer answer_of(std::size_t index, std::set<std::size_t>& cases) const {
    Answer answer = value_of(report_, index, expectation_.quantity);
    if (answer.why.empty() && references_) answer = related(std::move(answer), cases);
    answer.margin = margin_to(answer.ratio, expectation_);
    return answer;
  }

  Answer related(Answer answer, std::set<std::size_t>& cases) const {
    const auto candidates = references_->of(answer.index);
    if (candidates.size() != 1) {
      answer.why = candidates.empty() ? "the report lacks the case that it is related to"
                                      : "the report has several cases that it could be related to";
      return answer;
    }
    cases.insert(candidates.front());
    Answer reference = value_of(report_, candidates.front(), expectation_.quantity);
    if (reference.why.empty() && reference.value == 0) reference.why = quantity_words(expectation_.quantity) + " is 0";
    if (!reference.why.empty()) {
      reference.why.insert(0, "the case that others are related to: ");
      return reference;
    }
    answer.reference = reference.value;
    answer.reference_case = reference.index;
    answer.ratio = answer.value / reference.value;
    if (!is_moderate(answer.ratio)) answer.why = "it is too far from the case that it is related to for a ratio";
    return answer;
  }

  void decide(const std::vector<Answer>& answers, const CheckRules& rules) {
    const auto is_without = [&](Verdict verdict) {
      return [=](const Answer& answer) { return !answer.why.empty() && answer.otherwise == verdict; };
    };
    const auto named = [&](const Answer& answer) { return fmt::format("{}: {}", words(answer.index), answer.why); };
    const auto of_all = [&](auto count, const char* miss) {
      return count > 1 ? fmt::format("; {} of {} {}s{}", count, answers.size(), case_noun(report_), miss) : "";
    };
    const auto failed = std::ranges::find_if(answers, is_without(Verdict::fail));
    if (failed != answers.end()) {
      name_pair(failed->index);
      return finish(Verdict::fail, named(*failed));
    }
    const Answer* worst = nullptr;
    for (const Answer& answer : answers) {
      if (answer.why.empty() && (worst == nullptr || answer.margin < worst->margin)) worst = &answer;
    }
    if (worst != nullptr && worst->missed()) {
      const auto missed = std::ranges::count_if(answers, &Answer::missed);
      name_pair(worst->index);
      return finish(Verdict::fail,
                    decisive_words(*worst) + of_all(missed, " miss it") + common_gpu(missed_pairs(answers)),
                    worst->ratio);
    }
    const auto skipped = std::ranges::find_if(answers, is_without(Verdict::skip));
    if (skipped != answers.end()) {
      const auto count = std::ranges::count_if(answers, is_without(Verdict::skip));
      return finish(Verdict::skip, named(*skipped) + of_all(count, ""));
    }
    const Cases missing = missing_of(expectation_, report_, rules);
    if (!missing.empty()) return finish(Verdict::skip, missing_words(missing, missing.size() + answers.size()));
    if (worst == nullptr) return finish(Verdict::skip, fmt::format("the report has no such {}", case_noun(report_)));
    finish(Verdict::pass, decisive_words(*worst), worst->ratio);
  }

  void finish(Verdict verdict, std::string reason, std::optional<double> measured = {}) {
    result_.verdict = verdict;
    result_.reason = std::move(reason);
    result_.measured = measured;
  }

  void name_pair(std::size_t index) {
    const auto pair = gpu_pair(report_.results[index]);
    if (!pair) return;
    result_.source = pair->source;
    result_.target = pair->target;
  }

  [[nodiscard]] std::vector<GpuPair> missed_pairs(const std::vector<Answer>& answers) const {
    std::vector<GpuPair> pairs;
    for (const Answer& answer : answers) {
      const auto pair = answer.missed() ? gpu_pair(report_.results[answer.index]) : std::nullopt;
      if (pair) pairs.push_back(*pair);
    }
    return pairs;
  }

  [[nodiscard]] std::string words(std::size_t index) const {
    const Record& record = report_.results[index];
    if (const auto pair = gpu_pair(record)) return pair_words(report_, record, *pair);
    return case_words(cases_of(report_.results, result_.cases), record);
  }

  [[nodiscard]] std::string decisive_words(const Answer& worst) const {
    const Record& subject = report_.results[worst.index];
    const std::string value = labelled_value(result_.quantity, worst.value);
    if (!worst.reference_case) return fmt::format("{}: {}", words(worst.index), share_words(subject, value));
    const std::string reference = labelled_value(result_.quantity, worst.reference);
    const std::string text =
        fmt::format("{}: {} against {}", words(worst.index), shortened(value, reference), reference);
    const bool elsewhere = report_.results[*worst.reference_case].probe != subject.probe;
    return elsewhere ? fmt::format("{} ({})", text, words(*worst.reference_case)) : text;
  }

  /// Returns a share with the figures behind it: of the peak, "4442 of 4814 GB/s", or between two GPUs of the
  /// prediction. Returns any other value unchanged.
  [[nodiscard]] std::string share_words(const Record& record, const std::string& value) const {
    const HeadlineRecord& headline = record.headline;
    if (result_.quantity == "measured_over_predicted" && gpu_pair(record)) return against_prediction(record);
    if (result_.quantity != "fraction_of_peak" || !headline.value() || !headline.peak) return value;
    return fmt::format("{} of {}", significant(*headline.value(), 3), value_words(headline.quantity, *headline.peak));
  }

  const Expectation& expectation_;
  const Report& report_;
  CheckRecord& result_;
  std::optional<References> references_;
};

/// Fills in what it comes to; returns the reason.
std::string hold_device(const Expectation& expectation, const Report& report, CheckRecord& result) {
  result.measured = report.device ? device_quantity(*report.device, expectation.quantity) : std::nullopt;
  if (!result.measured) return fmt::format("the report does not say {}", quantity_words(expectation.quantity));
  result.verdict = margin_to(*result.measured, expectation) < 0 ? Verdict::fail : Verdict::pass;
  return fmt::format("{}: {}", one_line(report.device->name), labelled_value(expectation.quantity, *result.measured));
}

/// Why a flag could not have been raised.
std::string why_unwatched(const std::string& flag, const Report& report) {
  if (report.is_prediction()) return flag + " was not watched: nothing was measured";
  if (flag == "counts_differ") return flag + " was not watched: nothing was counted; add --counters";
  if (flag == "link_degraded") return flag + " was not watched: no case used the host link, or NVML does not tell";
  return flag + " was not watched: NVML does not tell";
}

/// Fills in what it comes to; returns the reason.
std::string hold_flags(const Expectation& expectation, const Report& report, const CheckRules& rules,
                       CheckRecord& result) {
  std::vector<std::size_t> ran;
  std::vector<std::size_t> flagged;
  std::vector<std::string> raised;  // by the first
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    if (record.status != Status::ok || !selects(expectation.cases, record)) continue;
    ran.push_back(i);
    std::vector<std::string> own = expectation.flags;
    std::erase_if(own, [&](const std::string& flag) { return !record.has_flag(flag); });
    if (own.empty()) continue;
    if (flagged.empty()) raised = std::move(own);
    flagged.push_back(i);
  }
  result.cases = flagged.empty() ? ran : flagged;
  if (!flagged.empty()) {
    result.verdict = Verdict::fail;
    const std::string first = probe_and_case_words(cases_of(report.results, ran), report.results[flagged.front()]);
    return fmt::format("{}: {}; {} of {}", first, join(raised, ", "), flagged.size(), counted(ran.size(), "case"));
  }
  if (!report.watched) return "the report is older and does not say which flags were watched";
  for (const std::string& flag : expectation.flags) {
    if (std::ranges::find(*report.watched, flag) == report.watched->end()) return why_unwatched(flag, report);
  }
  if (ran.empty()) return "no such case ran";
  const Cases missing = missing_of(expectation, report, rules);
  if (!missing.empty()) return missing_words(missing, missing.size() + ran.size());
  result.verdict = Verdict::pass;
  return counted(ran.size(), "case");
}

}  // namespace

double margin(double value, const std::optional<double>& at_least, const std::optional<double>& at_most) {
  constexpr double smallest = std::numeric_limits<double>::min();
  double least = std::numeric_limits<double>::infinity();
  if (at_least) least = std::min(least, (value - *at_least) / std::max(std::abs(*at_least), smallest));
  if (at_most) least = std::min(least, (*at_most - value) / std::max(std::abs(*at_most), smallest));
  return least;
}

CheckRecord evaluate(const Expectation& expectation, const Report& report, const CheckRules& rules) {
  CheckRecord result = blank_check(expectation);
  if (report.is_prediction() && !rules.accept_predictions) {
    result.reason = predicted_reason;
    return result;
  }
  const std::string device = report.device ? report.device->name : "";
  if (expectation.gpu && device != *expectation.gpu) {
    result.for_other_gpu = true;
    result.reason = fmt::format("holds for {}, and this is {}", one_line(*expectation.gpu),
                                device.empty() ? "none" : one_line(device));
    return result;
  }
  switch (expectation.subject) {
    case Expectation::Subject::cases:
      CaseCheck(expectation, report, result).run(rules);
      break;
    case Expectation::Subject::device:
      result.reason = hold_device(expectation, report, result);
      break;
    case Expectation::Subject::flags:
      result.reason = hold_flags(expectation, report, rules, result);
      break;
  }
  if (result.verdict == Verdict::fail && !expectation.because.empty()) {
    result.reason += fmt::format(" ({})", one_line(expectation.because));
  }
  return result;
}

}  // namespace gpumem::report
