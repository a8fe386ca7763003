// Facts about layouts of structures: the ones that are as fast as any, and the cost of the others.

#include <algorithm>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/layout/layout.hpp"

namespace gpumem::global {

namespace {

using BySize = std::map<std::uint32_t, std::vector<Outcome>>;

const std::string& layout_of(const Outcome& outcome) { return outcome.tested.name(axis::layout); }

const char* accessed(const Outcome& outcome) {
  return outcome.tested[axis::one_field] ? "one field of structures" : "structures";
}

/// Returns how many times as long the worst of some layouts takes as the best; 1 if it is as good.
double cost_of_worst(const std::vector<Outcome>& layouts) {
  const Outcome& best = best_of(layouts);
  const Outcome& worst = worst_of(layouts);
  return better(best, worst) ? gain(worst, best) : 1;
}

/// A sentence about the layout of a case.
Fact layout_fact(FactKind kind, const Outcome& outcome, const char* says) {
  return {kind,
          {outcome.index},
          says,
          {{"doing", doing(outcome.tested)},
           {"what", accessed(outcome)},
           {"structure_bytes", outcome.tested[axis::structure_bytes]},
           {"layout", layout_of(outcome)},
           headline_value("rate_gb_per_s", outcome)}};
}

/// The sizes at which a layout is as fast as any that ran.
struct AsFast {
  std::string layout;
  std::vector<double> sizes = {};
  std::vector<std::size_t> outcomes = {};
};

std::vector<AsFast> as_fast_layouts(std::span<const Outcome> outcomes, const BySize& sizes) {
  std::vector<AsFast> all;
  for (const Outcome& outcome : outcomes) {
    if (std::ranges::find(all, layout_of(outcome), &AsFast::layout) == all.end()) all.push_back({layout_of(outcome)});
  }
  for (AsFast& fast : all) {
    for (const auto& [bytes, layouts] : sizes) {
      const Outcome* outcome = find_outcome(layouts, axis::layout, axis::layout.value_of(fast.layout));
      if (outcome == nullptr || better(best_of(layouts), *outcome)) continue;
      fast.sizes.push_back(bytes);
      fast.outcomes.push_back(outcome->index);
    }
  }
  return all;
}

/// Says which layouts are as fast as any at every size. If there are none, or only one size, says which is best at one.
Fact best_layout(const std::vector<AsFast>& as_fast, std::size_t sizes, const Outcome& best) {
  std::vector<std::string> layouts;
  std::vector<std::size_t> shown_by;
  for (const AsFast& fast : as_fast) {
    if (fast.sizes.size() < sizes) continue;
    layouts.push_back(fast.layout);
    shown_by.insert(shown_by.end(), fast.outcomes.begin(), fast.outcomes.end());
  }
  if (layouts.empty() || sizes == 1) {
    return layout_fact(FactKind::fastest, best,
                       "{doing} {what} of {structure_bytes} is fastest laid out as {layout}: {rate_gb_per_s}.");
  }
  return {FactKind::fastest,
          shown_by,
          "For {doing} {what} no layout is faster than {layout} at any size.",
          {{"doing", doing(best.tested)}, {"what", accessed(best)}, {"layout", layouts}}};
}

}  // namespace

Conclusion conclude_layout(std::span<const Outcome> outcomes) {
  BySize sizes;
  for (const Outcome& outcome : outcomes) sizes[outcome.tested[axis::structure_bytes]].push_back(outcome);
  const std::vector<Outcome>& layouts =
      std::ranges::max_element(sizes, {}, [](const auto& size) { return cost_of_worst(size.second); })->second;
  const Outcome& worst = worst_of(layouts);
  const Outcome& best = best_of(layouts);
  if (outcomes.size() == sizes.size()) {
    return {.facts = {layout_fact(FactKind::fastest, best,
                                  "{doing} {what} of {structure_bytes} laid out as {layout} reaches {rate_gb_per_s}. "
                                  "Add another --layout to see what this one costs.")}};
  }
  if (as_good(worst, best)) {
    Fact same =
        layout_fact(FactKind::as_fast_as, best, "{doing} {what} is as fast in any of these layouts: {rate_gb_per_s}.");
    same.outcomes = all_of(outcomes);
    return {.facts = {std::move(same)}};
  }
  const std::vector<AsFast> as_fast = as_fast_layouts(outcomes, sizes);
  std::vector<Fact> facts = {best_layout(as_fast, sizes.size(), best)};
  Fact cost = layout_fact(FactKind::costs, worst,
                          "At {structure_bytes} {layout} takes {slowdown_ratio} as long as {best}: "
                          "{rate_gb_per_s} instead of {best_gb_per_s}.");
  cost.outcomes.push_back(best.index);
  cost.values.insert(
      cost.values.end(),
      {gain_value("slowdown_ratio", worst, best), {"best", layout_of(best)}, headline_value("best_gb_per_s", best)});
  facts.push_back(std::move(cost));
  for (const AsFast& fast : as_fast) {
    const bool said = sizes.size() > 1 ? fast.sizes.size() == sizes.size() : fast.layout == layout_of(best);
    if (said || fast.sizes.empty()) continue;
    facts.push_back({FactKind::as_fast_as,
                     fast.outcomes,
                     "No layout is faster than {layout} at {structure_bytes}.",
                     {{"layout", fast.layout}, {"structure_bytes", fast.sizes}}});
  }
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::global
