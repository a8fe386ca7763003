// One expectation held against a report.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <utility>

#include "probes/measure/counters.hpp"
#include "probes/words.hpp"
#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/check/references.hpp"
#include "report/record/cases.hpp"
#include "report/record/quantities.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

/// Why a record's reading of a quantity is no measurement, where one is asked for.
std::optional<std::string> not_measured(const Report& report, const Record& record, const std::string& quantity) {
  const auto is_counter = [&](const measure::CounterField& field) { return field.name == quantity; };
  const bool metric = std::ranges::find(record.metrics, quantity, &MetricRecord::name) != record.metrics.end();
  const bool counter = !metric && std::ranges::any_of(measure::counter_fields(), is_counter);
  if (quantity == "measured_over_predicted") {
    if (report.is_prediction()) return "nothing was measured";
    const bool scaled = std::ranges::find(record.flags, "predicted_from_attributes") != record.flags.end();
    if (scaled) return "there is no profile of this GPU to hold it against; 'gpumem calibrate' makes one";
  }
  if (report.is_prediction()) {
    if (counter) return "a prediction has no counters";
    return std::nullopt;
  }
  if (!record.time || !record.headline.measured) return "it was not measured";
  const std::string_view unit = quantity == "sectors_per_request"      ? sectors
                                : quantity == "wavefronts_per_request" ? wavefronts
                                                                       : "";
  const auto uncounted = [&](const SiteRecord& site) {
    const Reading reading = site.per_request(unit);
    return reading.predicted && !reading.counted;
  };
  if ((counter && !record.counters) || (!unit.empty() && std::ranges::any_of(record.access, uncounted))) {
    return "it was not counted; add --counters";
  }
  return std::nullopt;
}

struct ValueOrWhy {
  std::optional<double> number;
  Verdict otherwise = Verdict::skip;  ///< without a number
  std::string why;
};

ValueOrWhy value_of(const Report& report, const Record& record, const std::string& quantity) {
  if (record.status == Status::failed) return {{}, Verdict::fail, "failed: " + reason_of(record)};
  if (record.status == Status::skipped) return {{}, Verdict::skip, "skipped: " + reason_of(record)};
  if (auto why = not_measured(report, record, quantity)) return {{}, Verdict::skip, std::move(*why)};
  const std::optional<double> number = case_quantity(record, quantity);
  const char* unknown = report.is_prediction() ? " is not predicted" : " is not known";
  if (!number || !std::isfinite(*number)) return {{}, Verdict::skip, quantity_words(quantity) + unknown};
  return {.number = number, .otherwise = {}, .why = {}};
}

/// How far a value is within its bounds, as a share of them; negative where it misses one.
double margin(double value, const Expectation& expectation) {
  constexpr double smallest = std::numeric_limits<double>::min();
  double least = std::numeric_limits<double>::infinity();
  if (const auto& bound = expectation.at_least) {
    least = std::min(least, (value - *bound) / std::max(std::abs(*bound), smallest));
  }
  if (const auto& bound = expectation.at_most) {
    least = std::min(least, (*bound - value) / std::max(std::abs(*bound), smallest));
  }
  return least;
}

/// Without the words that follow the number if the other value says them too: "32.0" beside "1.00 cycles per request".
std::string shortened(const std::string& value, const std::string& other) {
  constexpr std::size_t short_unit = 6;  // " GB/s"
  const std::size_t blank = value.find(' ');
  if (blank == std::string::npos || value.size() - blank < short_unit) return value;
  return other.ends_with(value.substr(blank)) ? value.substr(0, blank) : value;
}

/// Holds an expectation of a quantity against the cases, one after another.
class CaseCheck {
 public:
  CaseCheck(const Expectation& expectation, const Report& report, const CheckRules& rules, CheckRecord& result)
      : expectation_(expectation), report_(report), rules_(rules), result_(result) {
    if (expectation.relative_to) references_.emplace(expectation, report.results);
  }

  void run() {
    std::size_t subjects = 0;
    for (std::size_t i = 0; i < report_.results.size(); ++i) {
      if (!selects(expectation_.cases, report_.results[i])) continue;
      ++subjects;
      use(i);
      subjects_.push_back(i);
    }
    for (const std::size_t subject : subjects_) hold(subject);
    std::ranges::sort(result_.cases);
    const auto repeated = std::ranges::unique(result_.cases);
    result_.cases.erase(repeated.begin(), repeated.end());
    decide(subjects);
  }

 private:
  struct Decisive {
    std::size_t subject = 0;
    double value = 0;
    double reference = 0;
    std::optional<std::size_t> reference_case = {};
    double margin = std::numeric_limits<double>::infinity();
    double ratio = 0;
  };

  void use(std::size_t index) { result_.cases.push_back(index); }

  /// Remembers the first case without a value, of those that fail and of those that are skipped.
  void remember(const ValueOrWhy& value, std::size_t index, const char* role) {
    auto& first = value.otherwise == Verdict::fail ? first_failed_ : first_skipped_;
    if (value.otherwise == Verdict::skip) ++skipped_;
    if (!first) first = std::pair(index, role + value.why);
  }

  void hold(std::size_t subject) {
    const ValueOrWhy value = value_of(report_, report_.results[subject], expectation_.quantity);
    if (!value.number) return remember(value, subject, "");
    Decisive found{.subject = subject, .value = *value.number, .ratio = *value.number};
    if (references_ && !relate(found)) return;
    found.margin = margin(found.ratio, expectation_);
    if (found.margin < 0) ++missed_;
    if (!worst_ || found.margin < worst_->margin) worst_ = found;
  }

  /// False if the case it is related to has no value.
  bool relate(Decisive& found) {
    const auto candidates = references_->of(found.subject);
    if (candidates.size() != 1) {
      const char* why = candidates.empty() ? "the report lacks the case that it is related to"
                                           : "the report has several cases that it could be related to";
      remember({{}, Verdict::skip, why}, found.subject, "");
      return false;
    }
    const std::size_t index = candidates.front();
    use(index);
    ValueOrWhy reference = value_of(report_, report_.results[index], expectation_.quantity);
    if (reference.number == 0) reference = {{}, Verdict::skip, quantity_words(expectation_.quantity) + " is 0"};
    if (!reference.number) {
      remember(reference, index, "the case that others are related to: ");
      return false;
    }
    found.reference = *reference.number;
    found.reference_case = index;
    found.ratio = found.value / found.reference;
    return true;
  }

  void decide(std::size_t subjects) {
    const auto named = [&](const auto& first) { return fmt::format("{}: {}", words(first->first), first->second); };
    if (first_failed_) return finish(Verdict::fail, named(first_failed_));
    if (worst_ && worst_->margin < 0) {
      const std::string others = missed_ > 1 ? fmt::format("; {} of {} cases miss it", missed_, subjects) : "";
      return finish(Verdict::fail, decisive_words() + others);
    }
    if (first_skipped_) {
      const std::string others = skipped_ > 1 ? fmt::format("; {} of {} cases", skipped_, subjects) : "";
      return finish(Verdict::skip, named(first_skipped_) + others);
    }
    Cases missing = missing_cases(report_, rules_);
    std::erase_if(missing, [&](const Record* record) { return !selects(expectation_.cases, *record); });
    if (!missing.empty()) return finish(Verdict::skip, missing_words(missing, missing.size() + subjects));
    if (!worst_) return finish(Verdict::skip, "the report has no such case");
    finish(Verdict::pass, decisive_words());
  }

  void finish(Verdict verdict, std::string reason) {
    result_.verdict = verdict;
    result_.reason = std::move(reason);
    const bool by_value = verdict == Verdict::pass || (verdict == Verdict::fail && !first_failed_);
    if (by_value) result_.measured = worst_->ratio;
  }

  [[nodiscard]] std::string words(std::size_t index) const {
    return case_words(cases_of(report_.results, result_.cases), report_.results[index]);
  }

  [[nodiscard]] std::string decisive_words() const {
    const Record& subject = report_.results[worst_->subject];
    const std::string value = labelled_value(result_.quantity, worst_->value);
    if (!worst_->reference_case) return fmt::format("{}: {}", words(worst_->subject), share_words(subject, value));
    const std::string reference = labelled_value(result_.quantity, worst_->reference);
    const std::string text =
        fmt::format("{}: {} against {}", words(worst_->subject), shortened(value, reference), reference);
    const bool elsewhere = report_.results[*worst_->reference_case].probe != subject.probe;
    return elsewhere ? fmt::format("{} ({})", text, words(*worst_->reference_case)) : text;
  }

  /// Of a share, what of what it is: "4442 of 4814 GB/s"; else the value as it is.
  [[nodiscard]] std::string share_words(const Record& record, const std::string& value) const {
    const HeadlineRecord& headline = record.headline;
    if (result_.quantity != "fraction_of_peak" || !headline.value() || !headline.peak) return value;
    return fmt::format("{} of {}", significant(*headline.value(), 3), value_words(headline.quantity, *headline.peak));
  }

  const Expectation& expectation_;
  const Report& report_;
  const CheckRules& rules_;
  CheckRecord& result_;
  std::optional<References> references_;
  std::vector<std::size_t> subjects_;
  std::optional<Decisive> worst_;
  std::optional<std::pair<std::size_t, std::string>> first_failed_;
  std::optional<std::pair<std::size_t, std::string>> first_skipped_;
  std::size_t missed_ = 0;
  std::size_t skipped_ = 0;
};

void hold_device(const Expectation& expectation, const Report& report, CheckRecord& result) {
  const auto value = report.device ? device_quantity(*report.device, expectation.quantity) : std::nullopt;
  if (!value) {
    result.reason = fmt::format("the report does not say {}", quantity_words(expectation.quantity));
    return;
  }
  result.measured = value;
  result.verdict = margin(*value, expectation) < 0 ? Verdict::fail : Verdict::pass;
  result.reason = fmt::format("{}: {}", one_line(report.device->name), labelled_value(expectation.quantity, *value));
}

/// Why a flag could not have been raised.
std::string why_unwatched(const std::string& flag, const Report& report) {
  if (report.is_prediction()) return flag + " was not watched: nothing was measured";
  if (flag == "counts_differ") return flag + " was not watched: nothing was counted; add --counters";
  if (flag == "link_degraded") return flag + " was not watched: no case used the host link, or NVML does not tell";
  return flag + " was not watched: NVML does not tell";
}

void hold_flags(const Expectation& expectation, const Report& report, const CheckRules& rules, CheckRecord& result) {
  std::vector<std::size_t> ran;
  std::vector<std::size_t> flagged;
  std::vector<std::string> raised;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    const Record& record = report.results[i];
    if (record.status != Status::ok || !selects(expectation.cases, record)) continue;
    ran.push_back(i);
    std::vector<std::string> own;
    for (const std::string& flag : expectation.flags) {
      if (std::ranges::find(record.flags, flag) != record.flags.end()) own.push_back(flag);
    }
    if (own.empty()) continue;
    if (flagged.empty()) raised = std::move(own);
    flagged.push_back(i);
  }
  result.cases = flagged.empty() ? ran : flagged;
  if (!flagged.empty()) {
    result.verdict = Verdict::fail;
    const std::string first = place_words(cases_of(report.results, ran), report.results[flagged.front()]);
    result.reason =
        fmt::format("{}: {}; {} of {}", first, join(raised, ", "), flagged.size(), counted(ran.size(), "case"));
    return;
  }
  if (!report.watched) {
    result.reason = "an older report: it does not say what was watched";
    return;
  }
  for (const std::string& flag : expectation.flags) {
    if (std::ranges::find(*report.watched, flag) == report.watched->end()) {
      result.reason = why_unwatched(flag, report);
      return;
    }
  }
  Cases missing = missing_cases(report, rules);
  std::erase_if(missing, [&](const Record* record) { return !selects(expectation.cases, *record); });
  if (ran.empty()) {
    result.reason = "no such case ran";
  } else if (!missing.empty()) {
    result.reason = missing_words(missing, missing.size() + ran.size());
  } else {
    result.verdict = Verdict::pass;
    result.reason = counted(ran.size(), "case");
  }
}

}  // namespace

CheckRecord hold(const Expectation& expectation, const Report& report, const CheckRules& rules) {
  CheckRecord result = blank_check(expectation);
  if (report.is_prediction() && !rules.accept_predictions) {
    result.reason = predicted_reason;
    return result;
  }
  const std::string device = report.device ? report.device->name : "";
  if (expectation.gpu && device != *expectation.gpu) {
    result.reason = fmt::format("holds for {}, and this is {}", one_line(*expectation.gpu),
                                device.empty() ? "none" : one_line(device));
    return result;
  }
  switch (expectation.subject) {
    case Expectation::Subject::cases:
      CaseCheck(expectation, report, rules, result).run();
      break;
    case Expectation::Subject::device:
      hold_device(expectation, report, result);
      break;
    case Expectation::Subject::flags:
      hold_flags(expectation, report, rules, result);
      break;
  }
  if (result.verdict == Verdict::fail && !expectation.because.empty()) {
    result.reason += fmt::format(" ({})", one_line(expectation.because));
  }
  return result;
}

}  // namespace gpumem::report
