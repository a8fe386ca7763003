// Makes sentences of the evidence on a case, from the rules, the stages and the better cases.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/access/chunks.hpp"
#include "engine/base/thresholds.hpp"
#include "engine/base/words.hpp"
#include "report/advise/describe_sites.hpp"
#include "report/explain/explain.hpp"
#include "report/record/cases.hpp"
#include "report/record/kernels.hpp"
#include "report/record/readings.hpp"
#include "report/record/sweep.hpp"
#include "report/rules/why_rules.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t brief_width = 60;
constexpr std::string_view sorted_gain_name = "sorted_gain";  // of the probes that take patterns

/// "device memory, 249 us of 251 us (sectors moved between L1 and L2 240 us)".
std::string limit_words(const Evidence& e) {
  std::string text = stage_words(e.limit);
  if (!e.limit_s || !e.case_s) return text;
  text += fmt::format(", {} of {}", stage_time_words(*e.limit_s), stage_time_words(*e.case_s));
  constexpr double near = 0.8;
  if (e.next == nullptr || *seconds_of(*e.next) < near * *e.limit_s) return text;
  return text +
         fmt::format(" (close behind: {}, {})", stage_words(e.next->stage), stage_time_words(*seconds_of(*e.next)));
}

std::string better_case_name(const BetterCase& better) {
  return better.place == nullptr ? "another case" : position_phrase(*better.place);
}

/// "better: pinned host memory, 3.05 x".
std::string better_words(const BetterCase& better) {
  return fmt::format("better: {}, {}", better_case_name(better), times_words(better.gain));
}

/// Returns how good a case is, by its measured or by its predicted headline; nullopt if it has none, or if neither
/// direction is better.
std::optional<double> goodness_of(const Record& record, bool measured) {
  const auto value = positive_headline(record, measured);
  if (!value || record.headline.better == Better::neither) return std::nullopt;
  return record.headline.goodness(*value);
}

/// The other case, if it is noticeably better; it differs from the record in `parameter`.
std::optional<BetterCase> if_better(const Record* other, const Record& record, const std::string& parameter) {
  const bool measured = record.headline.measured.has_value();
  const auto own = goodness_of(record, measured);
  if (other == nullptr || other == &record || !own || !(*own > 0)) return std::nullopt;
  const auto its = goodness_of(*other, measured);
  if (!its || !(*its / *own >= 1 + least_difference)) return std::nullopt;
  return BetterCase{.record = other, .place = find_parameter(*other, parameter), .gain = *its / *own};
}

/// Returns a better case with less of the rule's waste, so that its gain is the cure's. Prefers the next of the
/// alternatives, which are in the order of their remedies, to the best case of all.
std::optional<BetterCase> cured(const Rule& rule, const Evidence& e) {
  const auto own = rule.waste == nullptr ? std::nullopt : rule.waste(e);
  if (!own) return std::nullopt;
  const auto has_less = [&](const Record& other) {
    const auto its = rule.waste(evidence_on(other, e.limit));
    return its && its->cost.excess() < own->cost.excess() * 0.99;
  };
  for (auto next = std::ranges::find(e.alternatives, &e.record); next != e.alternatives.end(); ++next) {
    auto better = if_better(*next, e.record, e.record.compared);
    if (better && has_less(**next)) return better;
  }
  return e.better && has_less(*e.better->record) ? e.better : std::nullopt;
}

/// Returns the time of the limiting stage per useful byte, as a multiple of that in the better case; nullopt if it is
/// unknown or not noticeably more.
std::optional<double> demand_beyond(const Evidence& e) {
  const auto per_byte = [&](const Record& record) -> std::optional<double> {
    const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
    if (stage == record.stages.end() || record.useful_bytes() <= 0 || !seconds_of(*stage)) return std::nullopt;
    return *seconds_of(*stage) / record.useful_bytes();
  };
  const auto own = per_byte(e.record);
  const auto other = per_byte(*e.better->record);
  if (!own || !other || *other <= 0 || *own / *other < 1 + least_difference) return std::nullopt;
  return *own / *other;
}

/// Returns the explanation of a case to which no rule applies. `sorting_gains`: its accesses would be faster in the
/// order of addresses.
Explanation without_waste(const Evidence& e, bool sorting_gains) {
  if (e.better) {
    const auto more = demand_beyond(e);
    const std::string brief = better_words(*e.better);
    if (!more) {
      return {.brief = brief,
              .full = fmt::format("{} is {} as fast; the model cannot explain why.",
                                  capitalised(better_case_name(*e.better)), times_words(e.better->gain))};
    }
    return {.brief = brief,
            .full = fmt::format("{}, because a useful byte takes {} less time of {}.", capitalised(brief),
                                whole_percent(1 - 1 / *more), stage_words(e.limit))};
  }
  constexpr double near_peak = 0.8;
  const auto& fraction = e.record.fraction_of_peak;
  const std::string reached = fraction ? whole_percent(*fraction) + " of peak" : "";
  std::string text = e.others > 0    ? "nothing better in this sweep"
                     : sorting_gains ? "nothing but the order of its accesses costs anything"
                                     : "nothing in it is wasted";
  if (fraction && *fraction < near_peak && e.others == 0 && !sorting_gains) {  // the rules may not tell all
    text = "no waste was found in it, though it reaches " + reached;
  } else if (fraction) {
    text += ": " + reached;
  }
  // In a table, the best row says it for all that are as good.
  const std::string brief = e.others == 0 ? text
                            : !e.is_best  ? ""
                            : fraction    ? "the best here: " + reached
                                          : "the best here";
  return {.brief = brief, .full = capitalised(text) + "."};
}

Explanation by_rule(const Rule& rule, const Evidence& e) {
  const auto next = cured(rule, e);
  const std::string gain = next ? ": " + times_words(next->gain) : "";
  std::string full = filled(rule.fact, rule, e);
  if (!rule.cure.empty()) full += "; " + filled(rule.cure, rule, e);
  if (next) full += gain + " at " + better_case_name(*next);
  full += ".";
  if (e.better && !next) full += " " + capitalised(better_case_name(*e.better)) + ".";
  if (e.better && next && e.better->gain >= (1 + least_difference) * next->gain) {
    full += " Still " + better_words(*e.better) + ".";
  }
  const std::string brief = filled(rule.brief, rule, e);
  const std::string cure = brief + (rule.brief_cure.empty() ? "" : "; ") + std::string(rule.brief_cure);
  for (const std::string& text : {cure + gain, cure}) {
    if (display_width(text) <= brief_width) return {.brief = text, .full = std::move(full)};
  }
  return {.brief = brief, .full = std::move(full)};
}

/// Returns sentences on how the prediction disagrees with the clock or with the counters.
std::vector<std::string> disagreements(const Evidence& e) {
  std::vector<std::string> all;
  const Record& record = e.record;
  const HeadlineRecord& headline = record.headline;
  const auto worse = headline.measured && headline.predicted && *headline.measured > 0 && *headline.predicted > 0
                         ? headline.goodness(*headline.predicted) / headline.goodness(*headline.measured)
                         : 1;
  const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
  const bool was_counted = stage != record.stages.end() && stage->counted_s;
  if (std::abs(worse - 1) > as_predicted) {
    const double longer = worse - 1;
    // If the counted demand takes as long as the clock says, the demand was predicted wrongly.
    const bool explained = was_counted && e.case_s && *stage->counted_s > (1 - as_predicted) * *e.case_s;
    all.push_back(fmt::format("It took {} {} than predicted{}.", whole_percent(std::abs(longer)),
                              longer > 0 ? "longer" : "less time",
                              longer > 0 && !explained ? ", so the model misses something here" : ""));
  }
  const auto differ = [](double a, double b, double share) { return std::abs(a - b) > share * std::max(a, b); };
  for (const SiteRecord& site : record.access) {
    for (const auto& [unit, reading, least] : site.costs) {
      if (!reading.predicted || !reading.counted || !differ(*reading.predicted, *reading.counted, same_count)) continue;
      const bool others = took_turns(unit, *reading.counted, *reading.predicted);
      all.push_back(fmt::format("The hardware counted {} {} per {} of the {}, not the predicted {}{}.",
                                trimmed(*reading.counted, 2), one_line(unit), site.op, one_line(site.site),
                                trimmed(*reading.predicted, 2), others ? ": other accesses take turns with them" : ""));
    }
  }
  if (was_counted && stage->predicted_s && differ(*stage->predicted_s, *stage->counted_s, as_predicted)) {
    all.push_back(fmt::format("By the counters its stage takes {}, not the predicted {}.",
                              stage_time_words(*stage->counted_s), stage_time_words(*stage->predicted_s)));
  }
  if (record.bottleneck && record.bottleneck->counted && *record.bottleneck->counted != record.bottleneck->predicted) {
    all.push_back(fmt::format("The model predicted {} as the limit.", stage_words(record.bottleneck->predicted)));
  }
  return all;
}

/// A user's pattern in words, and the gain if its accesses were sorted by address.
struct PatternStory {
  std::string pattern;
  std::string gain;

  explicit PatternStory(const Record& record) {
    for (const SiteRecord& site : record.access) {
      if (pattern.empty()) pattern = one_line(site.pattern);
    }
    const double ratio = metric_of(record, sorted_gain_name).predicted.value_or(1);
    if (!(ratio < 1 + least_difference)) gain = "sorted: " + times_words(ratio);
  }

  [[nodiscard]] std::string full() const {
    if (pattern.empty()) return "";
    return capitalised(pattern) + (gain.empty() ? "." : fmt::format("; {} by the model.", gain));
  }
  /// Returns the pattern and the gain if they fit into the brief text. If not, returns `otherwise`, which a rule says
  /// of the requests, with the gain if that fits.
  [[nodiscard]] std::string brief(const std::string& otherwise) const {
    if (pattern.empty()) return otherwise;
    const std::string lanes = pattern.substr(0, pattern.find(';'));
    for (const std::string& text : {lanes + "; " + gain, otherwise + "; " + gain}) {
      if (!gain.empty() && display_width(text) <= brief_width) return text;
    }
    return otherwise;
  }
};

Explanation explain(const Evidence& e) {
  const Rule* rule = rule_for(e);
  const PatternStory story(e.record);
  Explanation said =
      rule == nullptr ? without_waste(e, !story.pattern.empty() && !story.gain.empty()) : by_rule(*rule, e);
  std::vector<std::string> sentences;
  if (std::string full = story.full(); !full.empty()) sentences.push_back(std::move(full));
  said.brief = story.brief(said.brief);
  sentences.push_back(fmt::format("Limited by {}{}{}", limit_words(e), rule == nullptr ? ". " : ": ", said.full));
  for (std::string& sentence : disagreements(e)) sentences.push_back(std::move(sentence));
  return {.brief = truncated(one_line(said.brief), brief_width), .full = one_line(join(sentences, " "))};
}

// ---- which cases to compare with

/// Returns true if cases that differ in this parameter do different work: how much, how often, or what. Then none of
/// them is a better way to do what another does.
bool changes_work(std::string_view parameter) {
  static constexpr std::string_view names[] = {
      "array_words", "buffer_bytes", "fma_per_word", "footprint_bytes", "hot_set_bytes", "image",
      "kernels",     "level",        "op",           "passes",          "size_bytes",    "stream"};
  return parameter.starts_with("product_") || parameter.starts_with("matrix") ||
         std::ranges::find(names, parameter) != std::end(names);
}

/// Returns true if the data of a case, or a part of it, lies in a cache. Such a case is no advice for one whose data
/// fits in none.
bool is_in_cache(const Record& record) { return record.has_flag("cache_resident") || record.has_flag("partly_cached"); }

/// The best of some cases by either reading.
struct BestCases {
  const Record* measured = nullptr;
  const Record* predicted = nullptr;

  void add(const Record& record) {
    for (const bool by_clock : {true, false}) {
      const Record*& best = by_clock ? measured : predicted;
      const auto own = goodness_of(record, by_clock);
      if (own && (best == nullptr || *own > *goodness_of(*best, by_clock))) best = &record;
    }
  }
};

/// Some cases, as far as they ran.
struct RanCases {
  Cases ran = {};
  BestCases of_all = {};
  BestCases from_memory = {};  ///< of those that lie in no cache

  /// The one to hold this case against.
  [[nodiscard]] const Record* best_for(const Record& record) const {
    const BestCases& best = is_in_cache(record) ? of_all : from_memory;
    return record.headline.measured.has_value() ? best.measured : best.predicted;
  }
};

/// The groups, and which of them a result is in.
struct Groups {
  std::vector<RanCases> groups = {};
  std::vector<std::size_t> group = {};

  Groups(std::span<const Record> results, const std::vector<Members>& all) : group(results.size()) {
    for (const Members& members : all) {
      for (const std::size_t member : members) group[member] = groups.size();
      add(cases_of(results, members));
    }
  }
  [[nodiscard]] const RanCases& of(std::size_t result) const { return groups[group[result]]; }

 private:
  void add(const Cases& cases) {
    RanCases& added = groups.emplace_back();
    for (const Record* record : cases) {
      if (!record->ran()) continue;
      added.ran.push_back(record);
      added.of_all.add(*record);
      if (!is_in_cache(*record)) added.from_memory.add(*record);
    }
  }
};

}  // namespace

std::vector<Explanation> explanations(std::span<const Record> results) {
  const Groups of_sweeps(results, sweeps(results));
  const Groups of_alternatives(results, alternatives(results));
  const auto explanation_of = [&](std::size_t i) -> Explanation {
    const Record& record = results[i];
    if (is_kernel(record)) return kernel_explanation(record);
    const std::string limit = limit_of(record);
    if (!record.ran() || limit.empty()) return {};
    const RanCases& same_job = of_alternatives.of(i);
    Evidence evidence = evidence_on(record, limit);
    evidence.others = same_job.ran.size() - 1;
    evidence.is_best = same_job.best_for(record) == &record;
    // Another way to do the same job says more than another place of the sweep.
    evidence.better = if_better(same_job.best_for(record), record, record.compared);
    if (!changes_work(record.swept)) {
      const RanCases& sweep = of_sweeps.of(i);
      evidence.others += sweep.ran.size() - 1;
      evidence.is_best = evidence.is_best && sweep.best_for(record) == &record;
      if (!evidence.better) evidence.better = if_better(sweep.best_for(record), record, record.swept);
    }
    evidence.alternatives = same_job.ran;
    return explain(evidence);
  };
  constexpr std::size_t chunk = 256;
  std::vector<Explanation> all(results.size());
  const auto explain_some = [&](unsigned, std::uint64_t first, std::uint64_t end) {
    for (std::uint64_t i = first; i < end; ++i) all[i] = explanation_of(i);
  };
  // Readings of an interrupted run are explained too.
  access::in_chunks(all.size(), chunk, access::threads_for(all.size(), chunk, 0), explain_some,
                    access::AtStop::goes_on);
  return all;
}

void add_explanations(std::vector<Record>& results) {
  std::vector<Explanation> all = explanations(results);
  for (std::size_t i = 0; i < results.size(); ++i) {
    results[i].why = std::move(all[i].full);
    results[i].why_brief = std::move(all[i].brief);
    if (is_kernel(results[i])) results[i].verdict = kernel_verdict_name(results[i]);
  }
}

}  // namespace gpumem::report
