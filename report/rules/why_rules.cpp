// The table of the rules. The first entry that applies is used.

#include "report/rules/why_rules.hpp"

#include <algorithm>
#include <cmath>

#include "engine/measure/host_memory.hpp"
#include "report/record/readings.hpp"

namespace gpumem::report {

namespace {

constexpr double wasteful = 1.5;   // excess from which on requests are scattered, not merely shifted
constexpr double rounded = 1.005;  // excess up to which it may come of rounding

bool on_host(const Evidence& e) { return std::ranges::any_of(e.record.access, &SiteRecord::in_host_memory); }

// ---- the requests that a rule is about

double excess(const std::optional<RequestCost>& cost) { return cost ? cost->excess() : 0; }

std::optional<Waste> requests(const std::optional<RequestCost>& cost, const char* name) {
  return cost ? std::optional(Waste{*cost, name}) : std::nullopt;
}
std::optional<Waste> loads(const Evidence& e) { return requests(e.load, "load"); }
std::optional<Waste> stores(const Evidence& e) { return requests(e.store, "store"); }
std::optional<Waste> loads_or_stores(const Evidence& e) { return e.load ? loads(e) : stores(e); }
std::optional<Waste> to_shared(const Evidence& e) { return requests(e.shared, "request"); }

/// The costlier of loads and stores.
std::optional<Waste> costlier(const Evidence& e) {
  const bool same = e.load && e.store && std::abs(excess(e.load) - excess(e.store)) < 0.01;
  if (same) return requests(e.load, "request");
  return excess(e.load) > excess(e.store) ? loads(e) : stores(e);
}

// ---- what else a rule is about

std::optional<Waste> per_useful_byte(std::optional<double> amount) {
  return amount ? std::optional(Waste{{.each = *amount}, "useful byte"}) : std::nullopt;
}

/// Bytes asked for.
std::optional<Waste> asked(const Evidence& e) { return per_useful_byte(asked_per_useful(e)); }

/// Seconds of the stage that limits.
std::optional<Waste> time_of_limit(const Evidence& e) {
  const double useful = e.record.useful_bytes();
  return per_useful_byte(e.limit_s && useful > 0 ? std::optional(*e.limit_s / useful) : std::nullopt);
}

double excess(const std::optional<Waste>& waste) { return waste ? waste->cost.excess() : 0; }

// ---- what is wasted

/// Returns true if L1 makes up for what requests waste, so that only useful bytes reach the limiting stage. This shows
/// in the counts, or in an alternative whose requests cost less but need no less of the stage.
bool made_up_for(const Evidence& e) {
  const auto own = time_of_limit(e);
  const double moved = e.limit == "l2_sectors" ? l2_per_useful(e).value_or(0) : moved_per_useful(e).value_or(0);
  if (moved > 0) return moved <= beyond_useful;
  return own && std::ranges::any_of(e.alternatives, [&](const Record* other) {
           const Evidence its = evidence_on(*other, e.limit);
           return excess(costlier(its)) < wasteful && excess(time_of_limit(its)) > 0.97 * excess(own);
         });
}

bool scattered(const Evidence& e) { return std::max(excess(e.load), excess(e.store)) >= wasteful; }

bool scattered_in_memory(const Evidence& e) { return scattered(e) && !made_up_for(e); }

/// Returns true if requests ask for far more bytes in whole sectors than are useful, and their sites do not explain it.
bool asked_again(const Evidence& e) {
  return excess(asked(e)) >= wasteful * std::max(1.0, std::max(excess(e.load), excess(e.store)));
}

/// Returns true if the case also stores far more than the result, so that data in between passes through memory.
bool passed_on(const Evidence& e) {
  const auto stored = count_of(e, &measure::Counts::global_store_sectors);
  const auto useful = static_cast<double>(e.record.useful_bytes_written);
  return asked_again(e) && useful > 0 && stored.value_or(0) * access::sector_bytes >= wasteful * useful;
}

bool same_waste_costs_nothing(const Evidence& e) { return e.others > 0 && !e.better; }

/// Returns true for shifted stores alone: shifted loads are served from L1 the second time, and cost L2 and device
/// memory nothing.
bool shifted_stores(const Evidence& e) { return excess(e.store) > rounded && !same_waste_costs_nothing(e); }

bool shifted_loads(const Evidence& e) { return excess(e.load) > rounded; }

/// Returns true for shifted loads too: over the link, nothing is served from L1.
bool shifted(const Evidence& e) {
  return std::max(excess(e.load), excess(e.store)) > rounded && !same_waste_costs_nothing(e);
}

bool conflicts(const Evidence& e) { return excess(e.shared) > rounded; }

/// Returns true if device memory moves more than is used, for a reason that lies in the requests.
bool moves_unused(const Evidence& e) {
  const bool in_part = std::max(excess(e.load), excess(e.store)) > rounded;
  return moves_too_much(e) && (in_part || unasked_read_bytes(e).value_or(0) > 0.1 * e.record.useful_bytes());
}

bool computes(const Evidence& e) { return e.record.useful_flops.has_value(); }

/// Returns true if the limit takes so much of the case that only less of it would help.
bool fills_the_case(const Evidence& e) { return !e.limit_s || !e.case_s || *e.limit_s >= 0.8 * *e.case_s; }

/// Returns true if a parameter says so, whatever it is called: a report has nothing else to tell by.
bool is_pageable(const Evidence& e) {
  const Value pageable = std::string(to_string(host::Memory::pageable));
  return std::ranges::find(e.record.parameters, pageable, &Parameter::value) != e.record.parameters.end();
}

/// Returns true if the second slowest stage matters, because it does not run beside the slowest.
bool next_adds(const Evidence& e) {
  if (!e.limit_s || !e.case_s || e.next == nullptr || *seconds_of(*e.next) < 0.1 * *e.limit_s) return false;
  return *e.case_s > 1.25 * *e.limit_s && work_s(e) < 1.25 * *e.case_s;
}

/// The fixed costs of copies come before their bytes, and nothing overlaps them.
bool copies_add(const Evidence& e) { return next_adds(e) && e.next->stage == "copies"; }

/// Work that takes turns although it could overlap.
bool one_after_another(const Evidence& e) { return next_adds(e) && !is_pageable(e); }

bool loads_something(const Evidence& e) { return e.load.has_value(); }

bool only_stores(const Evidence& e) { return e.store && !e.load; }

bool another_is_better(const Evidence& e) { return e.better.has_value(); }

bool always(const Evidence&) { return true; }

// ---- the table

bool has_elements(const Evidence& e) { return number(e, "elements_per_thread").has_value(); }
bool scattered_on_host(const Evidence& e) { return on_host(e) && scattered(e); }
bool shifted_on_host(const Evidence& e) { return on_host(e) && shifted(e); }
/// Returns true if every access moves 1 or 2 bytes a lane, so that a request asks for 64 bytes at most.
bool narrow_words(const Evidence& e) {
  const auto is_narrow = [](const std::optional<RequestCost>& cost) { return !cost || cost->word_bytes < 4; };
  return (e.load || e.store) && is_narrow(e.load) && is_narrow(e.store);
}
bool curable_conflicts(const Evidence& e) { return conflicts(e) && !conflict_cure_of(e).empty(); }
bool wide_conflicts(const Evidence& e) { return conflicts(e) && e.shared->word_bytes > 4; }

constexpr const char* conflict_fact =
    "each request takes {each} wavefronts where {least} would do, {ways}-way bank conflicts";
constexpr const char* conflict_brief = "{ways}-way bank conflicts";
constexpr const char* scattered_fact =
    "each {name} uses {used} of the {words} words of a sector ({each} sectors where {least} would do){l2}{so_moved}";
constexpr const char* scattered_brief = "{name}s use {used} of {words} words per sector";
constexpr const char* shifted_fact = "each {name} touches {each} sectors where {least} would do";
constexpr const char* shifted_brief = "{each} sectors per {name} where {least} would do";
constexpr const char* asked_fact = "its requests ask for {each} bytes for every useful one, in whole sectors";
constexpr const char* asked_brief = "{each} x the useful bytes";
constexpr const char* blocks_fact = "blocks{shape} end sooner than new ones start";
constexpr const char* blocks_brief = "blocks too small: launching them takes longest";
constexpr const char* copies_brief = "the fixed cost of copies";
constexpr const char* copies_cure = "copy more at once, or hand all copies to one batched call";

constexpr const char* wider_cure = "let a thread take neighbouring elements as one word of 8 or 16 bytes";

constexpr Limits memory_stages("dram", "l2_lines", "l2_sectors", "l2_requests");

constexpr Rule rules[] = {
    {"shared_wavefronts", curable_conflicts, to_shared, conflict_fact, conflict_brief, "{conflict_cure}",
     "another layout"},
    {"shared_wavefronts", wide_conflicts, to_shared, conflict_fact, conflict_brief, "pad the row by one element",
     "pad"},
    {"shared_wavefronts", conflicts, to_shared, conflict_fact, conflict_brief, "pad the row by one word", "pad"},
    {"shared_wavefronts", computes, time_of_limit,
     "shared memory serves a wavefront a cycle, and no request takes more than it needs", "a wavefront a cycle",
     "use a value more often once it is in a register", "reuse registers"},
    {"cluster", another_is_better, time_of_limit, "the network between the blocks of a cluster is busy",
     "the cluster's network", "spread shared data over the cluster's blocks, or make it smaller", "spread it"},
    {"cluster", always, time_of_limit, "the network between the blocks of a cluster is busy", "the cluster's network",
     "keep data that is used again in the block's own shared memory", "keep a copy"},
    {"launch", has_elements, nullptr, blocks_fact, blocks_brief, "give each thread more elements", "more per thread"},
    {"launch", always, nullptr, blocks_fact, blocks_brief, "make fewer, larger blocks", "fewer, larger ones"},
    {"latency", narrow_words, time_of_limit,
     "{in_flight}{at_occupancy}, and a request of a warp asks for 64 bytes at most",
     "small words: too little in flight", wider_cure, "wider words"},
    {"latency", always, time_of_limit, "{in_flight}{at_occupancy}", "too little in flight",
     "let threads issue more or larger loads before they wait", "load more at once"},
    {"l1_lines", scattered, loads_or_stores, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words", "coalesce"},
    {"l1_lines", shifted_loads, loads, shifted_fact, shifted_brief, "align the base to 128 bytes", "align the base"},
    {"l1_lines", only_stores, nullptr, "L1 takes a line a cycle, and every store needs all of its lines",
     "a line a cycle", "let the lanes of a warp store to fewer lines", "fewer lines"},
    {"l1_lines", always, time_of_limit, "L1 looks up a line a cycle, and every load needs all of its lines",
     "a line a cycle", "use a value more often once it is in a register", "reuse registers"},
    {"barriers", always, nullptr, "the threads of a block wait for each other in every round, and few blocks fill in",
     "waits at barriers", "have more, smaller blocks resident, or load the next round meanwhile", "smaller blocks"},
    {"instructions", loads_something, nullptr,
     "a multiprocessor issues four instructions a cycle, and most are no loads", "instructions beside the loads",
     "compute fewer addresses, and load more with each", "load more at once"},
    {"instructions", another_is_better, nullptr, "a warp issues the different paths of its lanes one after another",
     "instructions issued", "let the lanes of a warp take the same path", "same path"},
    {"addresses", narrow_words, nullptr,
     "each access takes as many instructions as one of 16 bytes, and a request of a warp moves 64 bytes at most",
     "small words", wider_cure, "wider words"},
    {"addresses", always, nullptr, "each access takes more instructions to find its element than to move it",
     "address arithmetic",
     "divide by powers of two, compute the common part of a thread's indices once, or move wider words",
     "simpler addresses"},
    {"rewrites", always, nullptr, "many stores go to the same lines at the same time, and wait for each other",
     "stores to the same lines", "combine them in registers or shared memory first", "combine them first"},
    {Limits("fp32", "fp64"), fills_the_case, nullptr, "its multiply-adds take longer than any data does",
     "the operations themselves", "only fewer operations would help", "only fewer help"},
    {Limits("fp32", "fp64"), always, nullptr,
     "its multiply-adds take longer than any data does, and {busy} of the time", "arithmetic, {busy} of the time",
     "let more of them run while others wait for data", "overlap the rest"},
    {memory_stages, scattered_in_memory, costlier, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words", "coalesce"},
    {memory_stages, shifted_stores, stores, "each store touches {each} sectors where {least} would do{l2}",
     shifted_brief, "align the base to 32 bytes", "align the base"},
    {memory_stages, passed_on, asked, asked_fact, asked_brief,
     "fuse the kernels, so that data between them stays in registers", "fuse"},
    {memory_stages, asked_again, asked, asked_fact, asked_brief,
     "keep data that is used again in registers or shared memory", "tile"},
    {memory_stages, moves_unused, costlier, "{moved}", "{per_useful} bytes move for every useful one",
     "use all of every sector while it is there", "use whole sectors"},
    {Limits("pcie", "host_copy"), copies_add, nullptr, "{fixed_costs}", copies_brief, copies_cure, "copy more at once"},
    {Limits("pcie", "kernel", "host", "host_copy"), one_after_another, nullptr,
     "the stages take turns, {work} one after another", "stages take turns",
     "overlap them in several streams, with pinned memory", "overlap them in streams"},
    {"pcie", scattered_on_host, costlier, scattered_fact, scattered_brief,
     "make neighbouring lanes access neighbouring words, or copy the data and access the copy", "coalesce"},
    {"pcie", shifted_on_host, costlier, shifted_fact, shifted_brief, "align the base to 32 bytes", "align the base"},
    {"pcie", on_host, nullptr, "{of_link}", "{of_link}", "copy the data first if it is used more than once",
     "copy if used again"},
    {"pcie", always, nullptr, "{of_link}", "{of_link}", "only moving fewer bytes would help", "only fewer bytes help"},
    {"nvlink", loads_something, nullptr, "{of_link}, for each packet of a kernel holds one line beside its header",
     "{of_link}", "let a copy engine move the data, whose packets hold two", "use a copy engine"},
    {"nvlink", always, nullptr, "{of_link}, for packets have headers", "{of_link}",
     "only moving fewer bytes would help", "only fewer bytes help"},
    {"copies", always, nullptr, "{fixed_costs}", copies_brief, copies_cure, "copy more at once"},
    {"host_copy", is_pageable, nullptr, "pageable data passes through the host's own buffers",
     "pageable memory, which the host copies first", "use page-locked memory", "pin it"},
    {"host_copy", always, nullptr, "the host gathers the pieces itself", "the host gathers the pieces",
     "hand the pieces to one batched copy call", "batch the copies"},
    {Limits("kernel", "host"), always, nullptr, "it takes longest, whatever runs beside it", "{limit} takes longest",
     "", ""},
};

}  // namespace

const Rule* rule_for(const Evidence& e) {
  const auto* const found =
      std::ranges::find_if(rules, [&](const Rule& rule) { return rule.limits.have(e.limit) && rule.applies(e); });
  return found == std::end(rules) ? nullptr : found;
}

}  // namespace gpumem::report
