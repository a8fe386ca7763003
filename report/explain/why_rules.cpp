// One table says it all; the first entry that applies speaks.

#include "report/explain/why_rules.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "probes/words.hpp"
#include "report/record/cases.hpp"
#include "report/record/readings.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful = 1.5;  // excess from which on requests are scattered, not merely shifted
constexpr double some = 1.005;    // excess that is no rounding
constexpr double lanes = access::warp_lanes;

// ---- what a case says

bool on_host(const Evidence& e) { return std::ranges::any_of(e.record.access, &SiteRecord::in_host_memory); }

/// A count, if it was taken.
std::optional<double> count_of(const Evidence& e, std::optional<double> measure::Counts::*count) {
  return e.record.counters ? (*e.record.counters).*count : std::nullopt;
}

/// Bytes that device memory moved / useful bytes, as counted.
std::optional<double> moved_per_useful(const Evidence& e) {
  const auto read = count_of(e, &measure::Counts::dram_read_bytes);
  const auto written = count_of(e, &measure::Counts::dram_write_bytes);
  const double useful = e.record.useful_bytes();
  if (!read || !written || useful <= 0) return std::nullopt;
  return (*read + *written) / useful;
}

/// Bytes that device memory read although no load asked for their sectors, as counted.
std::optional<double> unasked_read_bytes(const Evidence& e) {
  const auto read = count_of(e, &measure::Counts::dram_read_bytes);
  const auto asked = count_of(e, &measure::Counts::l2_read_sectors);
  if (!read || !asked) return std::nullopt;
  return std::max(0.0, *read - *asked * access::sector_bytes);
}

/// The value of a parameter that is a number.
std::optional<std::uint64_t> number(const Evidence& e, std::string_view parameter) {
  const Parameter* found = find_parameter(e.record, parameter);
  const auto* value = found == nullptr ? nullptr : std::get_if<std::uint64_t>(&found->value);
  return value == nullptr ? std::nullopt : std::optional(*value);
}

// ---- the requests that a rule is about

double excess(const std::optional<RequestCost>& cost) { return cost ? cost->excess() : 0; }

Requests loads(const Evidence& e) { return {e.load.value_or(RequestCost()), "load"}; }
Requests stores(const Evidence& e) { return {e.store.value_or(RequestCost()), "store"}; }
Requests to_shared(const Evidence& e) { return {e.shared.value_or(RequestCost()), "request"}; }

/// The costlier of loads and stores.
Requests costlier(const Evidence& e) {
  const bool same = e.load && e.store && std::abs(excess(e.load) - excess(e.store)) < 0.01;
  if (same) return {*e.load, "request"};
  return excess(e.load) > excess(e.store) ? Requests{*e.load, "load"} : stores(e);
}

// ---- what is wasted

bool scattered(const Evidence& e) { return std::max(excess(e.load), excess(e.store)) >= wasteful; }

bool same_waste_costs_nothing(const Evidence& e) { return e.others > 0 && !e.better; }

/// Loads are served from L1 the second time, so that shifted ones cost L2 and device memory nothing.
bool shifted_stores(const Evidence& e) { return excess(e.store) > some && !same_waste_costs_nothing(e); }

bool shifted_loads(const Evidence& e) { return excess(e.load) > some; }

/// Over the link nothing is served from L1.
bool shifted(const Evidence& e) {
  return std::max(excess(e.load), excess(e.store)) > some && !same_waste_costs_nothing(e);
}

bool conflicts(const Evidence& e) { return excess(e.shared) > some; }

bool moves_too_much(const Evidence& e) { return moved_per_useful(e).value_or(0) > 1.1; }

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

// ---- the figures that not every case has

/// What device memory moves beyond what is used, where that was counted: "device memory moves 8.0 bytes for every
/// useful one".
std::string moved(const Evidence& e) {
  if (!moves_too_much(e)) return {};
  std::string text =
      fmt::format("device memory moves {} bytes for every useful one", significant(*moved_per_useful(e), 2));
  const double unasked = unasked_read_bytes(e).value_or(0);
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
    const auto requests = count_of(e, at_l2);
    const auto issued = count_of(e, at_l1);
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

/// " of 256 threads with 1 element each"
std::string block_shape(const Evidence& e) {
  const auto threads = number(e, "block_threads");
  if (!threads) return {};
  return fmt::format(" of {} threads with {} each", *threads,
                     counted(number(e, "elements_per_thread").value_or(1), "element"));
}

std::string in_flight(const Evidence& e) {
  const auto elements = number(e, "elements_per_thread");
  if (!elements || !e.load) return "threads wait for what they load";
  return fmt::format("each thread has {} bytes on their way", *elements * e.load->word_bytes);
}

/// The achieved occupancy, put into `words` where it was counted.
std::string occupancy(const Evidence& e, const char* words) {
  const auto share = count_of(e, &measure::Counts::achieved_occupancy);
  return share ? fmt::format(fmt::runtime(words), whole_percent(*share)) : "";
}

std::string of_link(const Evidence& e) {
  const HeadlineRecord& headline = e.record.headline;
  if (!headline.value() || !headline.peak || !e.record.fraction_of_peak) {
    return "the data crosses it and is then used again";
  }
  return fmt::format("{} of {}", significant(*headline.value(), 3), value_words(headline.quantity, *headline.peak));
}

std::string fixed_costs(const Evidence& e) {
  const auto copies = std::ranges::find(e.record.stages, "copies", &StageRecord::stage);
  if (copies == e.record.stages.end() || !seconds_of(*copies)) return "each copy has a fixed cost";
  return "the fixed costs of copies are " + stage_time_words(*seconds_of(*copies));
}

// ---- the table

bool has_elements(const Evidence& e) { return number(e, "elements_per_thread").has_value(); }
bool scattered_on_host(const Evidence& e) { return on_host(e) && scattered(e); }
bool shifted_on_host(const Evidence& e) { return on_host(e) && shifted(e); }
bool wide_conflicts(const Evidence& e) { return conflicts(e) && e.shared->word_bytes > 4; }

constexpr const char* conflict_fact =
    "each request takes {each} wavefronts where {least} would do, {ways}-way bank conflicts";
constexpr const char* conflict_brief = "{ways}-way bank conflicts";
constexpr const char* scattered_fact =
    "each {name} uses {used} of the {words} words of a sector ({each} sectors where {least} would do){l2}{so_moved}";
constexpr const char* scattered_brief = "{name}s use {used} of {words} words per sector";
constexpr const char* shifted_fact = "each {name} touches {each} sectors where {least} would do";
constexpr const char* shifted_brief = "{each} sectors per {name} where {least} would do";
constexpr const char* blocks_fact = "blocks{shape} end sooner than new ones start";
constexpr const char* blocks_brief = "blocks too small: launching them takes longest";
constexpr const char* copies_brief = "the fixed cost of copies";
constexpr const char* copies_cure = "copy more at once, or hand all copies to one batched call";

constexpr std::string_view memory_stages = " dram l2_lines l2_sectors ";

constexpr Rule rules[] = {
    {" shared_wavefronts ", wide_conflicts, to_shared, conflict_fact, conflict_brief, "pad the row by one element",
     "pad the row by one element"},
    {" shared_wavefronts ", conflicts, to_shared, conflict_fact, conflict_brief, "pad the row by one word",
     "pad the row by one word"},
    {" launch ", has_elements, nullptr, blocks_fact, blocks_brief, "give each thread more elements", "more per thread"},
    {" launch ", always, nullptr, blocks_fact, blocks_brief, "make fewer, larger blocks", "fewer, larger ones"},
    {" latency ", always, nullptr, "{in_flight}{at_occupancy}", "too little in flight{occupancy}",
     "let threads issue more or larger loads before they wait", "more or larger loads"},
    {" l1_lines ", scattered, loads, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words", "use whole lines"},
    {" l1_lines ", shifted_loads, loads, shifted_fact, shifted_brief, "align the base to 128 bytes", "align the base"},
    {" l1_lines ", always, nullptr, "L1 looks up a line a cycle, and every load needs all of its lines",
     "a line a cycle", "use a value more often once it is in a register", "reuse registers"},
    {" fp32 fp64 ", always, nullptr, "its multiply-adds take longer than any data does", "the operations themselves",
     "only fewer operations would help", "only fewer help"},
    {memory_stages, scattered, costlier, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words", "use whole sectors"},
    {memory_stages, shifted_stores, stores, "each store touches {each} sectors where {least} would do{l2}",
     shifted_brief, "align the base to 32 bytes", "align the base"},
    {memory_stages, moves_too_much, costlier, "{moved}", "{per_useful} bytes move for every useful one",
     "use all of every sector while it is there", "use whole sectors"},
    {" pcie host_copy ", copies_add, nullptr, "{fixed_costs}", copies_brief, copies_cure, "copy more at once"},
    {" pcie kernel host host_copy ", one_after_another, nullptr, "the stages take turns, {work} one after another",
     "stages take turns", "overlap them in several streams, with pinned memory", "overlap them in streams"},
    {" pcie ", scattered_on_host, costlier, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words, or copy the data and access the copy", "use whole sectors"},
    {" pcie ", shifted_on_host, costlier, shifted_fact, shifted_brief, "align the base to 32 bytes", "align the base"},
    {" pcie ", on_host, nullptr, "{of_link}", "{of_link}", "copy the data first if it is used more than once",
     "copy if used again"},
    {" pcie ", always, nullptr, "{of_link}", "{of_link}", "only moving fewer bytes would help",
     "only fewer bytes help"},
    {" copies ", always, nullptr, "{fixed_costs}", copies_brief, copies_cure, "copy more at once"},
    {" host_copy ", is_pageable, nullptr, "pageable data passes through the host's own buffers",
     "pageable memory, which the host copies first", "use page-locked memory", "pin it"},
    {" host_copy ", always, nullptr, "the host gathers the pieces itself", "the host gathers the pieces",
     "hand the pieces to one batched copy call", "batch the copies"},
    {" kernel host ", always, nullptr, "it takes longest, whatever runs beside it", "{limit} takes longest", "", ""},
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

std::string filled(const char* text, const Rule& rule, const Evidence& e) {
  const auto [cost, name] = rule.requests == nullptr ? Requests() : rule.requests(e);
  const std::string so_much = moved(e);
  return fmt::format(fmt::runtime(text), fmt::arg("name", name), fmt::arg("each", trimmed(cost.each, 2)),
                     fmt::arg("least", trimmed(cost.least, 2)), fmt::arg("ways", trimmed(cost.excess(), 1)),
                     fmt::arg("used", trimmed(lanes / cost.each, 1)),
                     fmt::arg("words", trimmed(lanes / cost.word_bytes, 0)), fmt::arg("l2", l2_requests(e)),
                     fmt::arg("moved", so_much), fmt::arg("so_moved", so_much.empty() ? "" : ", so that " + so_much),
                     fmt::arg("per_useful", significant(moved_per_useful(e).value_or(0), 2)),
                     fmt::arg("shape", block_shape(e)), fmt::arg("in_flight", in_flight(e)),
                     fmt::arg("at_occupancy", occupancy(e, " at an achieved occupancy of {}")),
                     fmt::arg("occupancy", occupancy(e, " (occupancy {})")), fmt::arg("of_link", of_link(e)),
                     fmt::arg("fixed_costs", fixed_costs(e)), fmt::arg("work", stage_time_words(work_s(e))),
                     fmt::arg("limit", stage_words(e.limit)));
}

}  // namespace gpumem::report
