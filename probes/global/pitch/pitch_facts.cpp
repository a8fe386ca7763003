// Facts about padded rows: the widths at which padding gains, and those at which it does not.

#include <algorithm>
#include <utility>
#include <vector>

#include "probes/comparison.hpp"
#include "probes/global/launch.hpp"
#include "probes/global/pitch/pitch.hpp"

namespace gpumem::global {

namespace {

double width_of(const Outcome& outcome) { return outcome.tested[axis::width_elements]; }

Fact rows_fact(FactKind kind, const Outcome& outcome, const char* says) {
  return {kind,
          {outcome.index},
          says,
          {{"doing", doing(outcome.tested)},
           {"rows", outcome.tested.name(axis::pitched)},
           {"width", width_of(outcome)},
           headline_value("rate_gb_per_s", outcome)}};
}

/// A fact about the width of the slow case.
Fact compared_fact(FactKind kind, const Outcome& slow, const Outcome& fast, const char* says) {
  return {kind,
          {slow.index, fast.index},
          says,
          {{"doing", doing(slow.tested)},
           {"width", width_of(slow)},
           gain_value("gain_ratio", slow, fast),
           headline_value("slow_gb_per_s", slow),
           headline_value("fast_gb_per_s", fast)}};
}

/// Facts from cases with one kind of rows.
std::vector<Fact> facts_alone(std::span<const Outcome> outcomes) {
  const Outcome& best = best_of(outcomes);
  const Outcome& worst = worst_of(outcomes);
  if (outcomes.size() > 1 && as_good(worst, best)) {
    Fact same = rows_fact(FactKind::as_fast_as, best,
                          "{doing} {rows} rows reaches {rate_gb_per_s} whatever their width. "
                          "Add the other --rows to see what padding gains.");
    same.outcomes = all_of(outcomes);
    return {std::move(same)};
  }
  std::vector<Fact> facts = {rows_fact(FactKind::fastest, best,
                                       "{doing} {rows} rows of {width} elements reaches {rate_gb_per_s}. "
                                       "Add the other --rows to see what padding gains.")};
  if (outcomes.size() > 1) {
    facts.push_back(compared_fact(FactKind::costs, worst, best,
                                  "At a width of {width} {doing} takes {gain_ratio} as long: {slow_gb_per_s}."));
  }
  return facts;
}

/// One width in both kinds of rows.
struct Pair {
  const Outcome* plain;
  const Outcome* pitched;

  [[nodiscard]] double gain() const { return gpumem::gain(*plain, *pitched); }
};

/// The widths that padding makes faster, slower, or neither.
struct Pairs {
  std::vector<Pair> gaining;
  std::vector<Pair> losing;
  std::vector<Pair> same;

  explicit Pairs(std::span<const Outcome> outcomes) {
    for (const Outcome& plain : outcomes) {
      if (plain.tested[axis::pitched]) continue;
      for (const Outcome& pitched : outcomes) {
        if (!pitched.tested[axis::pitched] || width_of(pitched) != width_of(plain)) continue;
        (better(pitched, plain) ? gaining : better(plain, pitched) ? losing : same).push_back({&plain, &pitched});
      }
    }
  }
};

/// Says at which widths padding gains nothing, if it gains at others; else that it gains at none.
Fact no_gain_fact(const Pairs& pairs) {
  std::vector<Outcome> plain;
  std::vector<double> widths;
  std::vector<std::size_t> shown_by;
  const auto add = [&](const Pair& pair) {
    plain.push_back(*pair.plain);
    widths.push_back(width_of(*pair.plain));
    shown_by.insert(shown_by.end(), {pair.plain->index, pair.pitched->index});
  };
  std::ranges::for_each(pairs.same, add);
  if (!pairs.gaining.empty()) {
    return {FactKind::as_fast_as, shown_by, "Padding gains nothing at a width of {width}.", {{"width", widths}}};
  }
  std::ranges::for_each(pairs.losing, add);
  Fact fact = rows_fact(pairs.losing.empty() ? FactKind::as_fast_as : FactKind::fastest, best_of(plain),
                        "Padding the rows gains nothing here: {doing} plain rows reaches {rate_gb_per_s}.");
  fact.outcomes = shown_by;
  return fact;
}

}  // namespace

Conclusion conclude_pitch(std::span<const Outcome> outcomes) {
  const Pairs pairs(outcomes);
  if (pairs.gaining.empty() && pairs.losing.empty() && pairs.same.empty()) return {.facts = facts_alone(outcomes)};
  std::vector<Fact> facts;
  if (!pairs.gaining.empty()) {
    const Pair& most = *std::ranges::max_element(pairs.gaining, {}, &Pair::gain);
    facts.push_back(compared_fact(FactKind::fastest, *most.plain, *most.pitched,
                                  "Pad the rows, as cudaMallocPitch does: at a width of {width} {doing} is "
                                  "{gain_ratio} as fast, {fast_gb_per_s} instead of {slow_gb_per_s}."));
  }
  if (pairs.gaining.empty() || !pairs.same.empty()) facts.push_back(no_gain_fact(pairs));
  if (!pairs.losing.empty()) {
    const Pair& least = *std::ranges::min_element(pairs.losing, {}, &Pair::gain);
    facts.push_back(compared_fact(FactKind::costs, *least.pitched, *least.plain,
                                  "At a width of {width} padding loses: {doing} takes {gain_ratio} as long, "
                                  "{slow_gb_per_s} instead of {fast_gb_per_s}."));
  }
  return {.facts = std::move(facts)};
}

}  // namespace gpumem::global
