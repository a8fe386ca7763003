// The evidence on a case, and sentences of it from the rules, the stages and the better cases.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/words.hpp"
#include "report/explain/explain.hpp"
#include "report/explain/why_rules.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t brief_width = 60;
constexpr double noticeable = 1.03;  // a gain worth mentioning: well above the width of a measured interval

/// The costliest of a record's sites of `op` ("load", "store" or, for either, empty) whose requests are counted in the
/// unit. As counted, else as predicted. Absent if there is none.
std::optional<RequestCost> costliest(const Record& record, std::string_view op, const access::Unit& unit) {
  std::optional<RequestCost> worst;
  for (const SiteRecord& site : record.access) {
    if ((!op.empty() && site.op != op) || site.word_bytes == 0) continue;
    const Reading reading = site.per_request(unit.name);
    const auto each = reading.counted ? reading.counted : reading.predicted;
    if (!each || !(*each > 0)) continue;
    const RequestCost cost{*each, unit.least(site.word_bytes), site.word_bytes};
    if (!worst || cost.excess() > worst->excess()) worst = cost;
  }
  return worst;
}

/// The evidence on a case by itself.
Evidence evidence_on(const Record& record, std::string_view limit) {
  Evidence evidence{.record = record,
                    .limit = limit,
                    .limit_s = {},
                    .case_s = seconds_of(record),
                    .next = nullptr,
                    .load = costliest(record, "load", access::sectors),
                    .store = costliest(record, "store", access::sectors),
                    .shared = costliest(record, "", access::wavefronts),
                    .better = {}};
  for (const StageRecord& stage : record.stages) {
    const auto seconds = seconds_of(stage);
    if (stage.stage == limit) {
      evidence.limit_s = seconds;
    } else if (seconds && (evidence.next == nullptr || *seconds > *seconds_of(*evidence.next))) {
      evidence.next = &stage;
    }
  }
  return evidence;
}

/// "device memory, 249 us of 251 us (the sectors moved between L1 and L2 240 us)".
std::string limit_words(const Evidence& e) {
  std::string text = stage_words(e.limit);
  if (!e.limit_s || !e.case_s) return text;
  text += fmt::format(", {} of {}", stage_time_words(*e.limit_s), stage_time_words(*e.case_s));
  constexpr double near = 0.8;
  if (e.next == nullptr || *seconds_of(*e.next) < near * *e.limit_s) return text;
  return text +
         fmt::format(" (close behind: {}, {})", stage_words(e.next->stage), stage_time_words(*seconds_of(*e.next)));
}

std::string place_words(const BetterCase& better) {
  return better.place == nullptr ? "another case" : position_phrase(*better.place);
}

/// "1.35 x at offset 0".
std::string gain_words(const BetterCase& better) { return times_words(better.gain) + " at " + place_words(better); }

/// "better: pinned host memory, 3.05 x".
std::string better_words(const BetterCase& better) {
  return fmt::format("better: {}, {}", place_words(better), times_words(better.gain));
}

/// Whether the better case's requests cost less, so that its gain is the cure's.
bool better_has_less(const Evidence& e) {
  const auto less = [&](std::string_view op, const access::Unit& unit, const std::optional<RequestCost>& own) {
    const auto other = costliest(*e.better->record, op, unit);
    return own && other && other->excess() < own->excess() * 0.99;
  };
  return less("load", access::sectors, e.load) || less("store", access::sectors, e.store) ||
         less("", access::wavefronts, e.shared);
}

/// How much more of the limiting stage a useful byte takes here than in the better case.
std::optional<double> demand_beyond(const Evidence& e) {
  const auto per_byte = [&](const Record& record) -> std::optional<double> {
    const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
    if (stage == record.stages.end() || record.useful_bytes() <= 0 || !seconds_of(*stage)) return std::nullopt;
    return *seconds_of(*stage) / record.useful_bytes();
  };
  const auto own = per_byte(e.record);
  const auto other = per_byte(*e.better->record);
  if (!own || !other || *other <= 0 || *own / *other < noticeable) return std::nullopt;
  return *own / *other;
}

/// What there is to say when no rule applies.
Explanation without_waste(const Evidence& e) {
  if (e.better) {
    const auto more = demand_beyond(e);
    const std::string text = better_words(*e.better);
    const std::string how = more ? fmt::format(", where {} takes {} less time per useful byte", stage_words(e.limit),
                                               whole_percent(1 - 1 / *more))
                                 : ", for a reason that no stage shows";
    return {.brief = text, .full = capitalised(text) + how + "."};
  }
  std::string text = e.others > 0 ? "nothing better in this sweep" : "nothing in it is wasted";
  if (e.record.fraction_of_peak) text += ": " + whole_percent(*e.record.fraction_of_peak) + " of peak";
  return {.brief = text, .full = capitalised(text) + "."};
}

Explanation by_rule(const Rule& rule, const Evidence& e) {
  const bool gained = e.better && rule.requests != nullptr && better_has_less(e);
  std::string full = filled(rule.fact, rule, e);
  if (!rule.cure.empty()) full += fmt::format("; {}", rule.cure);
  if (gained) full += ": " + gain_words(*e.better);
  full += ".";
  if (e.better && !gained) full += " " + capitalised(better_words(*e.better)) + ".";
  std::string brief = filled(rule.brief, rule, e);
  const std::string cured = brief + (rule.brief_cure.empty() ? "" : "; ") + std::string(rule.brief_cure);
  if (display_width(cured) <= brief_width) brief = cured;
  return {.brief = brief, .full = std::move(full)};
}

/// Where the prediction and the clock, or the prediction and the counters, disagree.
std::vector<std::string> disagreements(const Evidence& e) {
  std::vector<std::string> all;
  constexpr double much = 0.1;
  const Record& record = e.record;
  const HeadlineRecord& headline = record.headline;
  const auto worse = headline.measured && headline.predicted && *headline.measured > 0 && *headline.predicted > 0
                         ? headline.goodness(*headline.predicted) / headline.goodness(*headline.measured)
                         : 1;
  const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
  const bool was_counted = stage != record.stages.end() && stage->counted_s;
  if (std::abs(worse - 1) > much) {
    const double longer = worse - 1;
    // Where the counted demand takes as long as the clock says, it was the demand that was predicted wrongly.
    const bool explained = was_counted && e.case_s && *stage->counted_s > (1 - much) * *e.case_s;
    all.push_back(fmt::format("It took {} {} than predicted{}.", whole_percent(std::abs(longer)),
                              longer > 0 ? "longer" : "less time",
                              longer > 0 && !explained ? ", so something here is not in the model" : ""));
  }
  const auto differ = [](double a, double b, double share) { return std::abs(a - b) > share * std::max(a, b); };
  for (const SiteRecord& site : record.access) {
    for (const auto& [unit, reading] : site.costs) {
      if (!reading.predicted || !reading.counted || !differ(*reading.predicted, *reading.counted, 0.01)) continue;
      all.push_back(fmt::format("Counted are {} {} per {} of the {}, not the predicted {}.",
                                trimmed(*reading.counted, 2), one_line(unit), site.op, one_line(site.site),
                                trimmed(*reading.predicted, 2)));
    }
  }
  if (was_counted && stage->predicted_s && differ(*stage->predicted_s, *stage->counted_s, much)) {
    all.push_back(fmt::format("By what was counted, its stage takes {}, not the predicted {}.",
                              stage_time_words(*stage->counted_s), stage_time_words(*stage->predicted_s)));
  }
  if (record.bottleneck && record.bottleneck->counted && *record.bottleneck->counted != record.bottleneck->predicted) {
    all.push_back(fmt::format("Predicted was {}.", stage_words(record.bottleneck->predicted)));
  }
  return all;
}

Explanation explain(const Evidence& e) {
  const Rule* rule = rule_for(e);
  Explanation said = rule == nullptr ? without_waste(e) : by_rule(*rule, e);
  std::vector<std::string> sentences = {
      fmt::format("Limited by {}{}{}", limit_words(e), rule == nullptr ? ". " : ": ", said.full)};
  for (std::string& sentence : disagreements(e)) sentences.push_back(std::move(sentence));
  return {.brief = truncated(one_line(said.brief), brief_width), .full = one_line(join(sentences, " "))};
}

// ---- which cases to compare with

/// How good a case is, by the reading of the same kind for all: measured where this case was measured.
std::optional<double> goodness_of(const Record& record, bool measured) {
  const auto value = positive_headline(record, measured);
  if (!value || record.headline.better == Better::neither) return std::nullopt;
  return record.headline.goodness(*value);
}

/// The best of some cases by either reading, for all of them at once.
struct Group {
  std::size_t size = 0;
  const Record* best_measured = nullptr;
  const Record* best_predicted = nullptr;
};

std::vector<Group> groups_of(std::span<const Record> results, const std::vector<Members>& all) {
  std::vector<Group> found(results.size());
  for (const Members& members : all) {
    Group group;
    for (const std::size_t member : members) {
      const Record& record = results[member];
      if (!record.ran()) continue;
      ++group.size;
      for (const bool measured : {true, false}) {
        const Record*& best = measured ? group.best_measured : group.best_predicted;
        const auto own = goodness_of(record, measured);
        if (own && (best == nullptr || *own > *goodness_of(*best, measured))) best = &record;
      }
    }
    for (const std::size_t member : members) found[member] = group;
  }
  return found;
}

/// The best of a group, if it is noticeably better; it differs from the record in `parameter`.
std::optional<BetterCase> better_in(const Group& group, const Record& record, const std::string& parameter) {
  const bool measured = record.headline.measured.has_value();
  const Record* best = measured ? group.best_measured : group.best_predicted;
  const auto own = goodness_of(record, measured);
  if (best == nullptr || best == &record || !own || !(*own > 0)) return std::nullopt;
  const double gain = *goodness_of(*best, measured) / *own;
  if (!(gain >= noticeable)) return std::nullopt;
  return BetterCase{.record = best, .place = find_parameter(*best, parameter), .gain = gain};
}

}  // namespace

std::vector<Explanation> explanations(std::span<const Record> results) {
  const std::vector<Group> sweep_groups = groups_of(results, sweeps(results));
  const std::vector<Group> alternative_groups = groups_of(results, alternatives(results));
  std::vector<Explanation> all(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Record& record = results[i];
    const std::string limit = limit_of(record);
    if (!record.ran() || limit.empty()) continue;
    Evidence evidence = evidence_on(record, limit);
    // Another way to do the same job says more than another place of the sweep.
    evidence.better = better_in(alternative_groups[i], record, record.compared);
    if (!evidence.better) evidence.better = better_in(sweep_groups[i], record, record.swept);
    evidence.others = sweep_groups[i].size + alternative_groups[i].size - 2;
    all[i] = explain(evidence);
  }
  return all;
}

void add_explanations(std::vector<Record>& results) {
  std::vector<Explanation> all = explanations(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].why = std::move(all[i].full);
    results[i].why_brief = std::move(all[i].brief);
  }
}

}  // namespace gpumem::report
