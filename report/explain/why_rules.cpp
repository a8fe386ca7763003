// One table says it all; the first entry that applies speaks.

#include "report/explain/why_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/words.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful = 1.5;  // excess from which on requests are scattered, not merely shifted
constexpr double some = 1.005;    // excess that is no rounding
constexpr double lanes = access::warp_lanes;

// ---- words

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
  return fmt::format("each {} {} {} {} where {} would do", name, unit == sectors ? "touches" : "takes",
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
  if (unasked < 0.1 * e.record.useful_bytes()) return text;
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
  return where_fewer_do(*e.store, "store", sectors) + l2_requests(e);
}
std::string shifted_stores_brief(const Evidence& e) {
  return fmt::format("{} sectors per store where {} would do", trimmed(e.store->each, 2), trimmed(e.store->least, 2));
}

std::string shifted_fact(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return where_fewer_do(cost, name, sectors);
}
std::string shifted_brief(const Evidence& e) {
  const auto [cost, name] = costlier(e);
  return fmt::format("{} sectors per {} where {} would do", trimmed(cost.each, 2), name, trimmed(cost.least, 2));
}

std::string conflicts_fact(const Evidence& e) {
  return where_fewer_do(*e.shared, "request", wavefronts) + ", " + trimmed(e.shared->excess(), 1) +
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
    text += fmt::format(" at an achieved occupancy of {}", whole_percent(*occupancy));
  }
  return text;
}
std::string latency_brief(const Evidence& e) {
  const auto occupancy = e.counted(&measure::Counts::achieved_occupancy);
  return "too little in flight" + (occupancy ? " (occupancy " + whole_percent(*occupancy) + ")" : "");
}

std::string link_fact(const Evidence& e) {
  const HeadlineRecord& headline = e.record.headline;
  if (!headline.value() || !headline.peak || !e.record.fraction_of_peak) {
    return "the data crosses it and is then used again";
  }
  return fmt::format("{} of {}", significant(*headline.value(), 3), value_words(headline.quantity, *headline.peak));
}

std::string copies_fact(const Evidence& e) {
  const auto copies = std::ranges::find(e.record.stages, "copies", &StageRecord::stage);
  if (copies == e.record.stages.end() || !seconds_of(*copies)) return "each copy has a fixed cost";
  return "the fixed costs of copies are " + stage_time_words(*seconds_of(*copies));
}
std::string copies_brief(const Evidence&) { return "the fixed cost of copies"; }

std::string staging_fact(const Evidence&) { return "pageable data passes through the host's own buffers"; }
std::string staging_brief(const Evidence&) { return "pageable memory, which the host copies first"; }

std::string packing_fact(const Evidence&) { return "the host gathers the pieces itself"; }
std::string packing_brief(const Evidence&) { return "the host gathers the pieces"; }

std::string turns_fact(const Evidence& e) {
  return fmt::format("the stages take turns, {} one after another", stage_time_words(work_s(e)));
}
std::string turns_brief(const Evidence&) { return "stages take turns"; }

std::string longest_fact(const Evidence&) { return "it takes longest, whatever runs beside it"; }
std::string longest_brief(const Evidence& e) { return stage_words(e.limit) + " takes longest"; }

// ---- the table

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

}  // namespace

std::string whole_percent(double fraction) { return fixed(fraction * 100, 0) + " %"; }

std::string stage_time_words(double seconds) { return duration_words(seconds, 3); }

const Rule* rule_for(const Evidence& e) {
  const auto* const found =
      std::ranges::find_if(rules, [&](const Rule& rule) { return names(rule.stages, e.limit) && rule.applies(e); });
  return found == std::end(rules) ? nullptr : found;
}

}  // namespace gpumem::report
