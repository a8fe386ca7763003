// Concludes how much of copying and computing a run does at once, and in how many streams.

#include <algorithm>
#include <optional>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/host/overlap/overlap_case.hpp"

namespace gpumem::host {

namespace {

std::uint64_t streams_of(const Outcome& outcome) { return outcome.tested[axis::streams]; }

/// The cases of an alternative, by number of streams.
struct Runs {
  std::vector<Outcome> all;
  const Outcome* sequence = nullptr;  ///< in one stream; null if it did not run
  const Outcome* best = nullptr;      ///< the fewest streams of several that are as fast as any; null without several

  Runs(std::span<const Outcome> outcomes, Overlap alternative)
      : all(outcomes_with(outcomes, axis::overlap, alternative)) {
    std::ranges::sort(all, {}, streams_of);
    if (!all.empty() && streams_of(all.front()) == 1) sequence = &all.front();
    const auto several = std::span<const Outcome>(all).subspan(sequence == nullptr ? 0 : 1);
    if (several.empty()) return;
    const Outcome& fastest = best_of(several);
    best = &*std::ranges::find_if(several, [&](const Outcome& outcome) { return as_good(outcome, fastest); });
  }
  Runs(const Runs&) = delete;
  Runs& operator=(const Runs&) = delete;

  /// The gain of several streams over the stages one after another; nullopt if it is not known.
  [[nodiscard]] std::optional<FactValue> speedup() const {
    if (const auto measured = best->metric("speedup")) return FactValue("speedup_ratio", *measured);
    return sequence == nullptr ? std::nullopt : std::optional(gain_value("speedup_ratio", *sequence, *best));
  }
};

/// Adds the gain of several streams; `parts` names everything that can overlap.
void add_streams(std::vector<Fact>& facts, const Runs& runs, const char* parts) {
  if (runs.best == nullptr) return;
  const auto streams = static_cast<double>(streams_of(*runs.best));
  const bool more_ran = streams_of(runs.all.back()) > streams_of(*runs.best);
  Fact fact{FactKind::costs,
            {runs.best->index},
            "In {streams} streams {parts} take {duration_s}.",
            {{"parts", parts}, {"streams", streams}, {"duration_s", runs.best->seconds}}};
  if (runs.sequence != nullptr) fact.outcomes.push_back(runs.sequence->index);
  const auto speedup = runs.speedup();
  const double ratio = speedup ? std::get<double>(speedup->items.front()) : 1;
  const bool gains = ratio > 1 && differs(ratio) && (runs.sequence == nullptr || better(*runs.best, *runs.sequence));
  if (gains) {
    fact.kind = more_ran ? FactKind::saturates_at : FactKind::fastest;
    fact.says = "Use {streams} streams for {parts}: {speedup_ratio} as fast as one after another.";
    if (const auto share = runs.best->metric("share_of_bound")) {
      fact.says =
          "Use {streams} streams for {parts}: {speedup_ratio} as fast as one after another, {share_percent} of what "
          "the longest part allows.";
      fact.values.emplace_back("share_percent", *share * 100);
    }
  } else if (speedup) {
    if (ratio > 1 || !differs(ratio)) fact.kind = FactKind::as_fast_as;
    fact.says = "Streams gain nothing for {parts}: {streams} are {speedup_ratio} as fast as one.";
  }
  if (speedup) fact.values.push_back(*speedup);
  if (more_ran && (gains || !speedup)) {
    fact.outcomes.push_back(runs.all.back().index);
    fact.says += " More streams gain nothing.";
  }
  facts.push_back(std::move(fact));
}

void add_pageable(std::vector<Fact>& facts, const Outcome* pageable, const Outcome* pinned) {
  if (pageable == nullptr || pinned == nullptr) return;
  facts.push_back(cost_fact(*pageable, *pinned, "Pageable memory takes {slowdown_ratio} as long as pinned memory.",
                            "Pageable memory takes no longer than pinned memory.",
                            {gain_value("slowdown_ratio", *pageable, *pinned)}));
}

/// Adds that copies in both directions slow each other down, if they are the longest part and the run stays below its
/// bound.
void add_both_ways(std::vector<Fact>& facts, const Outcome* best) {
  if (best == nullptr) return;
  const auto in = best->metric("copy_in_ms");
  const auto kernel = best->metric("kernel_ms");
  const auto out = best->metric("copy_out_ms");
  const auto share = best->metric("share_of_bound");
  if (!in || !kernel || !out || !share || *share >= saturated_share) return;
  const double copies = std::max(*in, *out);
  if (*kernel > copies && differs(*kernel / copies)) return;
  facts.push_back({FactKind::limit,
                   {best->index},
                   "Copies in both directions at once slow each other down: alone they take {in_ms} and {out_ms}.",
                   {{"in_ms", *in}, {"out_ms", *out}}});
}

/// The fact for cases of one stream alone.
Fact on_one_stream(const Outcome& outcome) {
  Fact fact{FactKind::limit, {outcome.index}, "One stream overlaps nothing."};
  if (const auto bound = outcome.metric("bound_speedup")) {
    fact.says = "One stream overlaps nothing. Several could be up to {bound_ratio} as fast.";
    fact.values.emplace_back("bound_ratio", *bound);
  }
  return fact;
}

}  // namespace

Conclusion conclude_overlap(std::span<const Outcome> outcomes) {
  const Runs staged(outcomes, Overlap::staged);
  const Runs pageable(outcomes, Overlap::pageable);
  const Runs host_work(outcomes, Overlap::host_work);
  std::vector<Fact> facts;
  add_streams(facts, staged, "copies and the kernel");
  add_pageable(facts, pageable.best, staged.best);
  add_streams(facts, host_work, "copies, the kernel and the host's own work");
  add_both_ways(facts, staged.best);
  add_streams(facts, pageable, "copies of pageable memory and the kernel");
  if (facts.empty()) {
    const Outcome* pinned = staged.sequence != nullptr ? staged.sequence : host_work.sequence;
    facts.push_back(on_one_stream(pinned != nullptr ? *pinned : *pageable.sequence));
  }
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::host
