#include "probes/host/overlap/overlap_advice.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <limits>
#include <optional>
#include <ranges>
#include <string>
#include <string_view>
#include <vector>

#include "engine/base/words.hpp"

namespace gpumem::host {

namespace {

/// Closer than this, two times are called equal.
constexpr double alike = 1.02;

/// A case as the conclusion sees it.
struct Run {
  const Outcome* outcome = nullptr;
  std::optional<double> speedup;

  [[nodiscard]] std::uint64_t streams() const { return outcome->one.number("streams"); }
  [[nodiscard]] double seconds() const { return outcome->seconds; }
};

/// The runs of an alternative, by number of streams.
using Runs = std::vector<Run>;

Runs runs_of(std::span<const Outcome> outcomes, std::string_view alternative) {
  Runs runs;
  for (const Outcome& outcome : outcomes) {
    if (outcome.one.name("overlap") == alternative) runs.push_back({&outcome, outcome.metric("speedup")});
  }
  std::ranges::sort(runs, {}, &Run::streams);
  if (runs.empty() || runs.front().streams() != 1) return runs;
  for (Run& run : runs) {
    if (!run.speedup) run.speedup = runs.front().seconds() / run.seconds();
  }
  return runs;
}

/// Of those with several streams, the one with the fewest that is as fast as any. Null where there is none.
const Run* best_of(const Runs& runs) {
  const auto several = [](const Run& run) { return run.streams() > 1; };
  double fastest = std::numeric_limits<double>::infinity();
  for (const Run& run : runs | std::views::filter(several)) fastest = std::min(fastest, run.seconds());
  const auto best =
      std::ranges::find_if(runs, [&](const Run& run) { return several(run) && run.seconds() <= fastest * alike; });
  return best == runs.end() ? nullptr : &*best;
}

std::string in_streams(const Run& run) { return fmt::format("{} streams", run.streams()); }

/// "2.55 x as fast as one after another, 97 % of what the longest part allows", as far as it is known.
std::string gain(const Run& run) {
  std::string text = fmt::format("{} as fast as one after another", times_words(*run.speedup));
  if (const auto share = run.outcome->metric("share_of_bound")) {
    text += fmt::format(", {:.0f} % of what the longest part allows", *share * 100);
  }
  return text;
}

/// Of one stream alone.
std::string on_one_stream(const Runs& runs) {
  const auto bound = runs.front().outcome->metric("bound_speedup");
  return "One stream overlaps nothing" +
         (bound ? fmt::format("; several could be up to {} as fast.", times_words(*bound)) : ".");
}

/// Of pinned memory; `what` is all that can overlap.
std::string on_streams(const Runs& runs, std::string_view what) {
  const Run* const best = best_of(runs);
  if (best == nullptr) return {};
  const std::string_view more = runs.back().streams() > best->streams() ? "; more gain nothing" : "";
  if (!best->speedup) {
    return fmt::format("In {} {} take {}{}.", in_streams(*best), what, duration_words(best->seconds()), more);
  }
  if (*best->speedup < alike) {
    return fmt::format("Streams gain nothing for {}: {} with {}.", what, times_words(*best->speedup), best->streams());
  }
  return fmt::format("Use {} for {}: {}{}.", in_streams(*best), what, gain(*best), more);
}

/// Where copies are the longest part, they are longer together than alone.
std::string on_both_ways(const Run* best) {
  if (best == nullptr) return {};
  const Outcome& outcome = *best->outcome;
  const auto in = outcome.metric("copy_in_ms");
  const auto kernel = outcome.metric("kernel_ms");
  const auto out = outcome.metric("copy_out_ms");
  const auto share = outcome.metric("share_of_bound");
  if (!in || !kernel || !out || !share || *share >= 0.9) return {};
  if (*kernel > 1.05 * std::max(*in, *out) || outcome.metric("host_work_ms").value_or(0) > *kernel) return {};
  return "Copies in both directions at once slow each other, which the bound leaves out.";
}

std::string on_pageable(const Runs& pageable, const Run* pinned) {
  const Run* const best = best_of(pageable);
  if (best == nullptr) return {};
  std::string text;
  if (best->speedup) {
    text = *best->speedup < 1.05 ? "Pageable memory overlaps nothing: " : "Pageable memory gains ";
    text += fmt::format("{} with {}", times_words(*best->speedup), in_streams(*best));
  }
  if (pinned != nullptr) {
    text += text.empty() ? "Pageable memory" : ", and";
    text += fmt::format(" takes {} the time of pinned memory", times_words(best->seconds() / pinned->seconds()));
  }
  if (text.empty()) {
    text = fmt::format("Pageable memory takes {} in {}", duration_words(best->seconds()), in_streams(*best));
  }
  return text + ".";
}

}  // namespace

Conclusion conclude_overlap(std::span<const Outcome> outcomes) {
  const Runs staged = runs_of(outcomes, "staged");
  const Runs pageable = runs_of(outcomes, "pageable");
  const Runs host_work = runs_of(outcomes, "host-work");
  const Run* const best = best_of(staged);

  Conclusion conclusion;
  conclusion.advice = paragraph(std::vector{on_streams(staged, "copies and the kernel"), on_both_ways(best),
                                            on_streams(host_work, "copies, the kernel and the host's own work"),
                                            on_pageable(pageable, best)});
  if (conclusion.advice.empty()) {
    conclusion.advice = on_one_stream(!staged.empty() ? staged : !host_work.empty() ? host_work : pageable);
  }
  return conclusion;
}

}  // namespace gpumem::host
