// One table says it all: under which limit which waste is told, with which figures, and what would remove it. The first
// entry that applies speaks.

#include "report/why.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "probes/words.hpp"
#include "report/cases.hpp"
#include "report/evidence.hpp"
#include "report/readings.hpp"
#include "report/sweep.hpp"
#include "report/text.hpp"
#include "report/vocabulary.hpp"

namespace gpumem::report {

namespace {

constexpr std::size_t brief_width = 60;
constexpr double noticeable = 1.03;  // a gain worth mentioning: well above the width of a measured interval
constexpr double wasteful = 1.5;     // excess from which on requests are scattered, not merely shifted
constexpr double some = 1.005;       // excess that is no rounding
constexpr double lanes = 32;

// ---- words

std::string percent(double fraction) { return fixed(fraction * 100, 0) + " %"; }

std::string times(double seconds) { return duration_words(seconds, 3); }

double excess(const std::optional<RequestCost>& cost) { return cost ? cost->excess() : 0; }

/// The costlier of loads and stores, and what to call it.
struct Costlier {
  RequestCost cost;
  const char* name;
};
Costlier costlier(const Evidence& e) {
  const bool same = e.load && e.store && std::abs(excess(e.load) - excess(e.store)) < 0.01;
  if (same) return {*e.load, "request"};
  return excess(e.load) > excess(e.store) ? Costlier{*e.load, "load"} : Costlier{*e.store, "store"};
}

std::string where_fewer_do(const RequestCost& cost, std::string_view name, std::string_view unit) {
  return fmt::format("each {} {} {} {} where {} would do", name, unit == "sectors" ? "touches" : "takes",
                     trimmed(cost.each, 2), unit, trimmed(cost.least, 2));
}

/// "each load uses 1 of the 8 words of a sector": what lanes use of what requests touch.
std::string words_used(const RequestCost& cost, std::string_view name) {
  return fmt::format("each {} uses {} of the {} words of a sector", name, trimmed(lanes / cost.each, 1),
                     trimmed(lanes / cost.word_bytes, 0));
}

// ---- what is wasted

bool scattered(const Evidence& e) { return std::max(excess(e.load), excess(e.store)) >= wasteful; }

bool same_waste_costs_nothing(const Evidence& e) { return e.others > 0 && !e.better; }

/// Loads are served from L1 the second time, so that shifted ones cost L2 and device memory nothing.
bool shifted_stores(const Evidence& e) { return excess(e.store) > some && !same_waste_costs_nothing(e); }

/// Over the link nothing is served from L1.
bool shifted(const Evidence& e) {
  return std::max(excess(e.load), excess(e.store)) > some && !same_waste_costs_nothing(e);
}

bool conflicts(const Evidence& e) { return excess(e.shared) > some; }

bool moves_too_much(const Evidence& e) { return e.moved_per_useful().value_or(0) > 1.1; }

bool is_pageable(const Evidence& e) {
  return std::ranges::any_of(e.record.parameters, [](const Parameter& one) { return one.value == Value("pageable"); });
}

double work_s(const Evidence& e) {
  double sum = 0;
  for (const StageRecord& stage : e.record.stages) sum += seconds_of(stage).value_or(0);
  return sum;
}

/// Whether the second slowest stage matters, because it does not run beside the slowest.
bool next_adds(const Evidence& e) {
  if (!e.limit_s || !e.case_s || e.next == nullptr || *seconds_of(*e.next) < 0.1 * *e.limit_s) return false;
  return *e.case_s > 1.25 * *e.limit_s && work_s(e) < 1.25 * *e.case_s;
}

/// The fixed costs of copies come before their bytes, and nothing overlaps them.
bool copies_add(const Evidence& e) { return next_adds(e) && e.next->stage == "copies"; }

/// Work that takes turns although it could overlap.
bool one_after_another(const Evidence& e) { return next_adds(e) && !is_pageable(e); }

bool always(const Evidence&) { return true; }

// ---- the figures

/// What device memory moves beyond what is used, where that was counted: ", so that 8.0 bytes move for each useful
/// one".
std::string moved(const Evidence& e) {
  if (!moves_too_much(e)) return {};
  std::string text =
      fmt::format(", so that device memory moves {} bytes for every useful one", significant(*e.moved_per_useful(), 2));
  const double unasked = e.unasked_read_bytes().value_or(0);
  const double useful =
      static_cast<double>(e.record.useful_bytes_read) + static_cast<double>(e.record.useful_bytes_written);
  if (unasked < 0.1 * useful) return text;
  const std::string bytes = decimal_size(unasked);
  if (!e.load) return text + fmt::format(" (stores that leave sectors incomplete make it read {} back)", bytes);
  if (!e.store) return text + fmt::format(" ({} of it unused halves of its 64-byte atoms)", bytes);
  return text + fmt::format(" ({} of it read for incomplete sectors and as unused halves of 64-byte atoms)", bytes);
}

/// ", and L2 takes 1.9 write requests per store instead of 1".
std::string l2_requests(const Evidence& e) {
  using measure::Counts;
  const auto words = [&](std::optional<double> Counts::*at_l2, std::optional<double> Counts::*at_l1,
                         const std::optional<RequestCost>& cost, const char* verb, const char* op) -> std::string {
    const auto requests = e.counted(at_l2);
    const auto issued = e.counted(at_l1);
    if (!requests || !issued || *issued <= 0 || !cost) return {};
    const double least = std::max(1.0, cost->word_bytes / 4.0);  // lines of 128 bytes
    const double each = *requests / *issued;
    if (each < least * 1.05) return {};
    return fmt::format(", and L2 takes {} {} requests per {} instead of {}", trimmed(each, 2), verb, op,
                       trimmed(least, 0));
  };
  return words(&Counts::l2_read_requests, &Counts::global_load_requests, e.load, "read", "load") +
         words(&Counts::l2_write_requests, &Counts::global_store_requests, e.store, "write", "store");
}

std::string scattered_fact(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return words_used(cost, name) +
         fmt::format(" ({} sectors where {} would do)", trimmed(cost.each, 2), trimmed(cost.least, 2)) +
         l2_requests(e) + moved(e);
}
std::string scattered_brief(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return fmt::format("{}s use {} of {} words per sector", name, trimmed(lanes / cost.each, 1),
                     trimmed(lanes / cost.word_bytes, 0));
}

std::string shifted_stores_fact(const Evidence& e) {
  return where_fewer_do(*e.store, "store", "sectors") + l2_requests(e);
}
std::string shifted_stores_brief(const Evidence& e) {
  return fmt::format("{} sectors per store where {} would do", trimmed(e.store->each, 2), trimmed(e.store->least, 2));
}

std::string shifted_fact(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return where_fewer_do(cost, name, "sectors");
}
std::string shifted_brief(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return fmt::format("{} sectors per {} where {} would do", trimmed(cost.each, 2), name, trimmed(cost.least, 2));
}

std::string conflicts_fact(const Evidence& e) {
  return where_fewer_do(*e.shared, "request", "wavefronts") + ", " + trimmed(e.shared->excess(), 1) +
         "-way bank conflicts";
}
std::string conflicts_brief(const Evidence& e) { return trimmed(e.shared->excess(), 1) + "-way bank conflicts"; }

std::string moved_fact(const Evidence& e) { return moved(e).substr(std::string_view(", so that ").size()); }
std::string moved_brief(const Evidence& e) {
  return significant(*e.moved_per_useful(), 2) + " bytes move for every useful one";
}

std::string launch_fact(const Evidence& e) {
  const auto threads = e.number("block_threads");
  if (!threads) return "blocks end sooner than new ones start";
  const std::uint64_t elements = e.number("elements_per_thread").value_or(1);
  return fmt::format("blocks of {} threads with {} each end sooner than new ones start", *threads,
                     counted(elements, "element"));
}
std::string launch_brief(const Evidence&) { return "blocks too small: launching them takes longest"; }

std::string latency_fact(const Evidence& e) {
  const auto elements = e.number("elements_per_thread");
  std::string text = elements && e.load
                         ? fmt::format("each thread has {} bytes on their way", *elements * e.load->word_bytes)
                         : std::string("threads wait for what they load");
  if (const auto occupancy = e.counted(&measure::Counts::achieved_occupancy)) {
    text += fmt::format(" at an achieved occupancy of {}", percent(*occupancy));
  }
  return text;
}
std::string latency_brief(const Evidence& e) {
  const auto occupancy = e.counted(&measure::Counts::achieved_occupancy);
  return "too little in flight" + (occupancy ? " (occupancy " + percent(*occupancy) + ")" : "");
}

std::string link_fact(const Evidence& e) {
  const auto rate = e.record.headline_gb_per_s();
  if (!rate || !e.record.peak_gb_per_s || !e.record.fraction_of_peak)
    return "the data crosses it and is then used again";
  return fmt::format("{} of {} GB/s", significant(*rate, 3), significant(*e.record.peak_gb_per_s, 3));
}

std::string copies_fact(const Evidence& e) {
  const auto copies = std::ranges::find(e.record.stages, "copies", &StageRecord::stage);
  if (copies == e.record.stages.end() || !seconds_of(*copies)) return "each copy has a fixed cost";
  return "the fixed costs of copies are " + times(*seconds_of(*copies));
}
std::string copies_brief(const Evidence&) { return "the fixed cost of copies"; }

std::string staging_fact(const Evidence&) { return "pageable data passes through the host's own buffers"; }
std::string staging_brief(const Evidence&) { return "pageable memory, which the host copies first"; }

std::string packing_fact(const Evidence&) { return "the host gathers the pieces itself"; }
std::string packing_brief(const Evidence&) { return "the host gathers the pieces"; }

std::string turns_fact(const Evidence& e) {
  return fmt::format("the stages take turns, {} one after another", times(work_s(e)));
}
std::string turns_brief(const Evidence&) { return "stages take turns"; }

std::string longest_fact(const Evidence&) { return "it takes longest, whatever runs beside it"; }
std::string longest_brief(const Evidence& e) { return stage_words(e.limit) + " takes longest"; }

// ---- the table

struct Rule {
  std::string_view stages;  ///< the limits under which it is told, between spaces
  bool (*applies)(const Evidence&);
  std::string (*fact)(const Evidence&);
  std::string (*brief)(const Evidence&);
  std::string_view cure;        ///< may be empty
  std::string_view brief_cure;  ///< left out where the cell has no room for it
  bool by_requests = false;     ///< removed in a case whose requests cost less, whose gain then goes with the cure
};

bool has_elements(const Evidence& e) { return e.number("elements_per_thread").has_value(); }
bool on_host(const Evidence& e) { return e.on_host(); }
bool scattered_on_host(const Evidence& e) { return e.on_host() && scattered(e); }
bool shifted_on_host(const Evidence& e) { return e.on_host() && shifted(e); }
bool wide_conflicts(const Evidence& e) { return conflicts(e) && e.shared->word_bytes > 4; }

constexpr std::string_view memory_stages = " dram l2_lines l2_sectors ";

constexpr Rule rules[] = {
    {" shared_wavefronts ", wide_conflicts, conflicts_fact, conflicts_brief, "pad the row by one element",
     "pad the row by one element", true},
    {" shared_wavefronts ", conflicts, conflicts_fact, conflicts_brief, "pad the row by one word",
     "pad the row by one word", true},
    {" launch ", has_elements, launch_fact, launch_brief, "give each thread more elements", "more per thread"},
    {" launch ", always, launch_fact, launch_brief, "make fewer, larger blocks", "fewer, larger ones"},
    {" latency ", always, latency_fact, latency_brief, "let threads issue more or larger loads before they wait",
     "more or larger loads"},
    {memory_stages, scattered, scattered_fact, scattered_brief, "make neighbouring lanes access neighbouring words",
     "use whole sectors", true},
    {memory_stages, shifted_stores, shifted_stores_fact, shifted_stores_brief, "align the base to 32 bytes",
     "align the base", true},
    {memory_stages, moves_too_much, moved_fact, moved_brief, "use all of every sector while it is there",
     "use whole sectors", true},
    {" pcie host_copy ", copies_add, copies_fact, copies_brief,
     "copy more at once, or hand all copies to one batched call", "copy more at once"},
    {" pcie kernel host host_copy ", one_after_another, turns_fact, turns_brief,
     "overlap them in several streams, with pinned memory", "overlap them in streams"},
    {" pcie ", scattered_on_host, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words, or copy the data and access the copy", "use whole sectors",
     true},
    {" pcie ", shifted_on_host, shifted_fact, shifted_brief, "align the base to 32 bytes", "align the base", true},
    {" pcie ", on_host, link_fact, link_fact, "copy the data first if it is used more than once", "copy if used again"},
    {" pcie ", always, link_fact, link_fact, "only moving fewer bytes would help", "only fewer bytes help"},
    {" copies ", always, copies_fact, copies_brief, "copy more at once, or hand all copies to one batched call",
     "copy more at once"},
    {" host_copy ", is_pageable, staging_fact, staging_brief, "use page-locked memory", "pin it"},
    {" host_copy ", always, packing_fact, packing_brief, "hand the pieces to one batched copy call",
     "batch the copies"},
    {" kernel host ", always, longest_fact, longest_brief, "", ""},
};

bool names(std::string_view stages, std::string_view stage) {
  return stages.find(" " + std::string(stage) + " ") != std::string_view::npos;
}

const Rule* rule_for(const Evidence& e) {
  const auto* const found =
      std::ranges::find_if(rules, [&](const Rule& rule) { return names(rule.stages, e.limit) && rule.applies(e); });
  return found == std::end(rules) ? nullptr : found;
}

// ---- the sentences

/// "device memory, 249 us of 251 us (the sectors moved between L1 and L2 240 us)".
std::string limit_words(const Evidence& e) {
  std::string text = stage_words(e.limit);
  if (!e.limit_s || !e.case_s) return text;
  text += fmt::format(", {} of {}", times(*e.limit_s), times(*e.case_s));
  constexpr double near = 0.8;
  if (e.next == nullptr || *seconds_of(*e.next) < near * *e.limit_s) return text;
  return text + fmt::format(" (close behind: {}, {})", stage_words(e.next->stage), times(*seconds_of(*e.next)));
}

std::string place_words(const Better& better) {
  return better.place == nullptr ? "another case" : position_phrase(*better.place);
}

/// "1.35 x at offset 0".
std::string gain_words(const Better& better) { return times_words(better.gain) + " at " + place_words(better); }

/// "better: pinned host memory, 3.05 x".
std::string better_words(const Better& better) {
  return fmt::format("better: {}, {}", place_words(better), times_words(better.gain));
}

/// Whether the better case's requests cost less, so that its gain is the cure's.
bool better_has_less(const Evidence& e) {
  const auto less = [&](std::string_view op, bool shared, const std::optional<RequestCost>& own) {
    const auto other = costliest(*e.better->record, op, shared);
    return own && other && other->excess() < own->excess() * 0.99;
  };
  return less("load", false, e.load) || less("store", false, e.store) || less("", true, e.shared);
}

/// How much more of the limiting stage a useful byte takes here than in the better case.
std::optional<double> demand_beyond(const Evidence& e) {
  const auto per_byte = [&](const Record& record) -> std::optional<double> {
    const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
    const auto bytes = static_cast<double>(record.useful_bytes_read) + static_cast<double>(record.useful_bytes_written);
    if (stage == record.stages.end() || bytes <= 0 || !seconds_of(*stage)) return std::nullopt;
    return *seconds_of(*stage) / bytes;
  };
  const auto own = per_byte(e.record);
  const auto other = per_byte(*e.better->record);
  if (!own || !other || *other <= 0 || *own / *other < noticeable) return std::nullopt;
  return *own / *other;
}

std::string peak_words(const Evidence& e) {
  return e.record.fraction_of_peak ? percent(*e.record.fraction_of_peak) + " of peak" : "";
}

/// What there is to say when no rule applies.
Explanation without_waste(const Evidence& e) {
  const std::string peak = peak_words(e);
  if (e.better) {
    const auto more = demand_beyond(e);
    const std::string text = better_words(*e.better);
    const std::string how = more ? fmt::format(", where {} takes {} less time per useful byte", stage_words(e.limit),
                                               percent(1 - 1 / *more))
                                 : ", for a reason that no stage shows";
    return {.brief = text, .full = capitalised(text) + how + "."};
  }
  std::string text = e.others > 0 ? "nothing better in this sweep" : "nothing in it is wasted";
  if (!peak.empty()) text += ": " + peak;
  return {.brief = text, .full = capitalised(text) + "."};
}

Explanation by_rule(const Rule& rule, const Evidence& e) {
  const bool gained = e.better && rule.by_requests && better_has_less(e);
  std::string full = rule.fact(e);
  if (!rule.cure.empty()) full += fmt::format("; {}", rule.cure);
  if (gained) full += ": " + gain_words(*e.better);
  full += ".";
  if (e.better && !gained) full += " " + capitalised(better_words(*e.better)) + ".";
  std::string brief = rule.brief(e);
  const std::string cured = brief + (rule.brief_cure.empty() ? "" : "; ") + std::string(rule.brief_cure);
  if (display_width(cured) <= brief_width) brief = cured;
  return {.brief = brief, .full = std::move(full)};
}

/// Where the prediction and the clock, or the prediction and the counters, disagree.
std::vector<std::string> disagreements(const Evidence& e) {
  std::vector<std::string> all;
  constexpr double much = 0.1;
  const Record& record = e.record;
  const auto measured = record.measured_gb_per_s;
  const auto predicted = record.predicted_gb_per_s;
  if (measured && predicted && *measured > 0 && std::abs(*predicted / *measured - 1) > much) {
    const double longer = *predicted / *measured - 1;
    // Where the counted demand takes as long as the clock says, it was the demand that was predicted wrongly.
    const auto stage = std::ranges::find(record.stages, e.limit, &StageRecord::stage);
    const bool explained =
        stage != record.stages.end() && stage->counted_s && e.case_s && *stage->counted_s > (1 - much) * *e.case_s;
    all.push_back(fmt::format("It took {} {} than predicted{}.", percent(std::abs(longer)),
                              longer > 0 ? "longer" : "less time",
                              longer > 0 && !explained ? ", so something here is not in the model" : ""));
  }
  const auto differ = [](double a, double b, double share) { return std::abs(a - b) > share * std::max(a, b); };
  for (const SiteRecord& site : record.access) {
    for (const auto& [reading, unit] :
         {std::pair{&site.sectors_per_request, "sectors"}, std::pair{&site.wavefronts_per_request, "wavefronts"}}) {
      if (!reading->predicted || !reading->counted || !differ(*reading->predicted, *reading->counted, 0.01)) continue;
      all.push_back(fmt::format("Counted are {} {} per {} of the {}, not the predicted {}.",
                                trimmed(*reading->counted, 2), unit, site.op, one_line(site.site),
                                trimmed(*reading->predicted, 2)));
    }
  }
  for (const StageRecord& stage : record.stages) {
    if (stage.stage != e.limit || !stage.predicted_s || !stage.counted_s) continue;
    if (!differ(*stage.predicted_s, *stage.counted_s, much)) continue;
    all.push_back(fmt::format("By what was counted, its stage takes {}, not the predicted {}.", times(*stage.counted_s),
                              times(*stage.predicted_s)));
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

bool has_run(const Record& record) { return record.status == Status::ok && record.verified != false; }

/// Bandwidth of the same kind for all: measured where this case was measured.
std::optional<double> rate_of(const Record& record, bool measured) {
  return measured ? record.measured_gb_per_s : record.predicted_gb_per_s;
}

/// The fastest of some cases by either bandwidth, for all of them at once.
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
      if (!has_run(record)) continue;
      ++group.size;
      for (const bool measured : {true, false}) {
        const Record*& best = measured ? group.best_measured : group.best_predicted;
        const auto rate = rate_of(record, measured);
        if (rate && (best == nullptr || *rate > *rate_of(*best, measured))) best = &record;
      }
    }
    for (const std::size_t member : members) found[member] = group;
  }
  return found;
}

/// The best of a group, if it is noticeably better; it differs from the record in `parameter`.
std::optional<Better> better_in(const Group& group, const Record& record, const std::string& parameter) {
  const bool measured = record.measured_gb_per_s.has_value();
  const Record* best = measured ? group.best_measured : group.best_predicted;
  const auto own = rate_of(record, measured);
  if (best == nullptr || best == &record || !own || !(*own > 0)) return std::nullopt;
  const double gain = *rate_of(*best, measured) / *own;
  if (!(gain >= noticeable)) return std::nullopt;
  return Better{.record = best, .place = find_parameter(*best, parameter), .gain = gain};
}

}  // namespace

std::optional<double> seconds_of(const StageRecord& stage) {
  return stage.counted_s ? stage.counted_s : stage.predicted_s;
}

std::string limit_of(const Record& record) {
  if (record.bottleneck) return record.bottleneck->counted.value_or(record.bottleneck->predicted);
  const StageRecord* slowest = nullptr;
  for (const StageRecord& stage : record.stages) {
    const auto seconds = seconds_of(stage);
    if (seconds && (slowest == nullptr || *seconds > *seconds_of(*slowest))) slowest = &stage;
  }
  return slowest == nullptr ? "" : slowest->stage;
}

std::vector<Explanation> explanations(std::span<const Record> results) {
  const std::vector<Group> sweep_groups = groups_of(results, sweeps(results));
  const std::vector<Group> alternative_groups = groups_of(results, alternatives(results));
  std::vector<Explanation> all(results.size());
  for (std::size_t i = 0; i < results.size(); ++i) {
    const Record& record = results[i];
    const std::string limit = limit_of(record);
    if (!has_run(record) || limit.empty()) continue;
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
