#include "report/check/against_history.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <utility>

#include "engine/statistics/earlier_values.hpp"
#include "engine/statistics/statistics.hpp"
#include "report/check/check.hpp"
#include "report/check/check_words.hpp"
#include "report/record/gpus.hpp"
#include "report/record/readings.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr const char* history_name = "as fast as this GPU was";
constexpr const char* pair_name = "as fast as this pair was";
constexpr std::size_t most_shown = 20;   // earlier values of a sparkline
constexpr double errors_in_ci95 = 1.96;  // standard errors in half of a normal 95 % interval

using Runs = std::vector<const EarlierRun*>;

/// A case in one of the earlier runs.
struct Earlier {
  const EarlierRun* run;
  const EarlierCase* reading;
};

/// Returns the runs of the report's GPU before it, the oldest first.
Runs own_runs(const Report& report, std::span<const EarlierRun> history) {
  Runs own;
  for (const EarlierRun& run : history) {
    if (run.uuid == report.device->uuid && run.time < report.started_at) own.push_back(&run);
  }
  std::ranges::stable_sort(own, {}, &EarlierRun::time);
  return own;
}

std::vector<Earlier> readings_of(const Runs& runs, const std::string& key) {
  std::vector<Earlier> readings;
  for (const EarlierRun* run : runs) {
    const auto found = run->cases.find(key);
    if (found != run->cases.end()) readings.push_back({run, &found->second});
  }
  return readings;
}

std::vector<double> healthy_goodness(const std::vector<Earlier>& readings, const HeadlineRecord& headline) {
  std::vector<double> values;
  for (const Earlier& earlier : readings) {
    if (earlier.run->healthy) values.push_back(headline.goodness(earlier.reading->value));
  }
  return values;
}

/// The standard error of a single run: the median one of the earlier runs, or this run's if it is larger.
double least_spread_of(const std::vector<Earlier>& readings, const EarlierCase& now) {
  std::vector<double> errors;
  for (const Earlier& earlier : readings) errors.push_back(earlier.reading->uncertainty());
  return std::max(measure::estimate_median(errors).median, now.uncertainty()) / errors_in_ci95;
}

/// "; the driver was 580.1 until then, and is 590.2 since"
std::string change_words(const char* subject, const std::string& before, const std::string& since) {
  if (before.empty() || since.empty() || before == since) return {};
  return fmt::format("; {} was {} until then, and is {} since", subject, one_line(before), one_line(since));
}

/// Says since when the case is below the limit, and which versions changed with it.
std::string since_words(const std::vector<Earlier>& readings, const Report& report, const HeadlineRecord& headline,
                        double lowest) {
  const auto is_slow = [&](const Earlier& earlier) { return headline.goodness(earlier.reading->value) < lowest; };
  auto first_slow = readings.end();
  while (first_slow != readings.begin() && is_slow(*std::prev(first_slow))) --first_slow;
  const auto slow = static_cast<std::size_t>(readings.end() - first_slow);
  std::string words = slow == 0 ? "slow since this run"
                                : fmt::format("slow since {} ({} before this one)", one_line(first_slow->run->time),
                                              counted(slow, "run"));
  if (first_slow == readings.begin()) return words;
  const EarlierRun& before = *std::prev(first_slow)->run;
  const bool earlier = slow > 0;
  words += change_words("the driver", before.driver,
                        earlier ? first_slow->run->driver : report.device->driver_version.value_or(""));
  words += change_words("gpumem", before.gpumem, earlier ? first_slow->run->gpumem : report.tool.version);
  return words;
}

CheckRecord judged(const Report& report, std::size_t index, const std::vector<Earlier>& readings, double chance) {
  const Record& record = report.results[index];
  const EarlierCase now = *history_case(record);
  const HeadlineRecord& headline = record.headline;
  const std::vector<double> healthy = healthy_goodness(readings, headline);
  const measure::NoiseLimit limit = measure::noise_limit(healthy, least_spread_of(readings, now), chance);
  CheckRecord check;
  check.name = fmt::format("{}: {}", history_name, probe_and_case_words(cases_of(report.results), record));
  check.about = CheckRecord::About::report;
  check.quantity = headline.quantity;
  check.measured = now.value;
  (headline.better == Better::less ? check.at_most : check.at_least) = headline.goodness(limit.lowest);
  check.cases = {index};
  const bool slower = headline.goodness(now.value) < limit.lowest;
  check.verdict = slower ? Verdict::fail : Verdict::pass;
  check.reason =
      fmt::format("median {} of {}, spread {}", labelled_value(headline.quantity, headline.goodness(limit.median)),
                  counted(healthy.size(), "earlier run"), percent_with_tenths(limit.spread));
  if (!slower) return check;
  check.reason += "; " + since_words(readings, report, headline, limit.lowest);
  const std::size_t shown = std::min(readings.size(), most_shown);
  for (std::size_t i = readings.size() - shown; i < readings.size(); ++i) {
    check.earlier.push_back(readings[i].reading->value);
  }
  check.earlier.push_back(now.value);
  return check;
}

CheckRecord skipped(std::string reason) {
  CheckRecord check;
  check.name = history_name;
  check.about = CheckRecord::About::report;
  check.reason = std::move(reason);
  return check;
}

/// Says why some cases have no answer: too few healthy runs of this GPU.
CheckRecord too_few(const Runs& runs, std::size_t history, std::size_t unjudged, std::size_t fewest, std::size_t all) {
  if (runs.empty() && history > 0) {
    return skipped(fmt::format("the history has {} of other GPUs or later, and none of this one before; it takes {}",
                               counted(history, "run"), fewest_earlier_runs));
  }
  return skipped(fmt::format("{} of {} no more than {} that passed, and it takes {}", unjudged,
                             counted(all, "case") + (unjudged == 1 ? " has" : " have"), counted(fewest, "earlier run"),
                             fewest_earlier_runs));
}

/// The checks of a report of one GPU.
std::vector<CheckRecord> check_one_gpu(const Report& report, std::span<const EarlierRun> history) {
  if (report.is_prediction()) return {skipped("predicted, and a history is of measurements")};
  if (!report.device || !report.device->uuid) return {skipped("the GPU has no UUID, by which a history knows it")};
  const Runs runs = own_runs(report, history);
  std::vector<std::pair<std::size_t, std::vector<Earlier>>> enough;
  std::size_t unjudged = 0;
  std::size_t most = 0;
  std::size_t all = 0;
  for (std::size_t i = 0; i < report.results.size(); ++i) {
    if (!history_case(report.results[i])) continue;
    ++all;
    std::vector<Earlier> readings = readings_of(runs, history_key(report.results[i]));
    const std::size_t healthy = healthy_goodness(readings, report.results[i].headline).size();
    if (healthy >= fewest_earlier_runs) {
      enough.emplace_back(i, std::move(readings));
    } else {
      most = std::max(most, healthy);
      ++unjudged;
    }
  }
  std::vector<CheckRecord> checks;
  for (const auto& [index, readings] : enough) {
    checks.push_back(judged(report, index, readings, false_alarms_a_check / static_cast<double>(enough.size())));
  }
  if (all == 0) return {skipped("no case was measured")};
  if (unjudged > 0) checks.push_back(too_few(runs, history.size(), unjudged, most, all));
  return checks;
}

}  // namespace

std::vector<CheckRecord> check_history(const Report& report, std::span<const EarlierRun> history) {
  const std::vector<GpuPart> parts = gpu_parts(report);
  if (parts.empty()) return check_one_gpu(report, history);
  std::vector<CheckRecord> checks;
  for (const GpuPart& part : parts) {
    for (CheckRecord& check : check_one_gpu(part.report, history)) {
      check.device = part.gpu;
      for (std::size_t& index : check.cases) index = part.cases[index];
      checks.push_back(std::move(check));
    }
  }
  for (const PairPart& part : pair_parts(report)) {
    for (CheckRecord& check : check_one_gpu(part.report, history)) {
      check.name.replace(0, std::string_view(history_name).size(), pair_name);
      check.source = part.pair.source;
      check.target = part.pair.target;
      for (std::size_t& index : check.cases) index = part.cases[index];
      checks.push_back(std::move(check));
    }
  }
  std::map<std::string, std::size_t> order;
  for (const CheckRecord& check : checks) order.try_emplace(check.name, order.size());
  std::ranges::stable_sort(checks, {}, [&](const CheckRecord& check) { return order.at(check.name); });
  return checks;
}

bool says_slower_than_before(const CheckRecord& check) { return !check.earlier.empty(); }

std::vector<CheckRecord> check_history_again(std::span<const CheckRecord> before, const Report& report,
                                             std::span<const EarlierRun> history, unsigned attempt) {
  std::vector<CheckRecord> now = check_history(report, history);
  for (CheckRecord& check : now) {
    const auto is_same = [&](const CheckRecord& old) {
      return old.name == check.name && old.device == check.device && old.source == check.source &&
             old.target == check.target;
    };
    const auto old = std::ranges::find_if(before, is_same);
    if (old == before.end()) continue;
    const bool repeated = old->verdict == Verdict::fail || check.verdict == Verdict::fail;
    check.attempts = repeated ? attempt : old->attempts;
    if (check.verdict == Verdict::pass && check.attempts > 1) check.reason += passed_at(check.attempts);
  }
  return now;
}

}  // namespace gpumem::report
