#include "probes/sweep_facts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <map>
#include <utility>
#include <vector>

#include "engine/base/words.hpp"
#include "probes/listed_values.hpp"

namespace gpumem {

namespace {

/// Cases whose requests cost the same.
struct CostClass {
  PerRequest cost;
  std::vector<const Outcome*> outcomes;  ///< the best first

  [[nodiscard]] const Outcome& best() const { return *outcomes.front(); }
  [[nodiscard]] const Outcome& median() const { return *outcomes[outcomes.size() / 2]; }
  [[nodiscard]] const Outcome& worst() const { return *outcomes.back(); }
};

/// Returns the one number of a cost, or nullopt if loads and stores differ.
std::optional<double> one_number(const PerRequest& cost) {
  if (!cost.load || !cost.store) return cost.load ? cost.load : cost.store;
  constexpr double rounding = 0.005;  // costs are said to two decimals
  return std::abs(*cost.load - *cost.store) < rounding ? cost.load : std::nullopt;
}

/// The facts of one sweep. Each function returns what it adds to the sentences, and the values in them.
class Sweep {
 public:
  Sweep(std::span<const Outcome> outcomes, std::string accesses, RequestUnit unit)
      : outcomes_(outcomes.begin(), outcomes.end()),
        axis_(&outcomes.front().tested.probe->axes.front()),
        accesses_(std::move(accesses)),
        unit_(unit),
        place_(axis_->flag),
        key_(axis_->flag) {
    std::ranges::replace(place_, '-', ' ');
    std::ranges::replace(key_, '-', '_');
    numeric_ = std::ranges::all_of(outcomes_, [&](const Outcome& outcome) {
      return std::holds_alternative<std::uint64_t>(outcome.tested.value(axis_->parameter));
    });
    if (numeric_) std::ranges::stable_sort(outcomes_, {}, [&](const Outcome& outcome) { return number(outcome); });
    less_is_better_ = outcomes_.front().tested.probe->headline.quantity.better == Better::less;
    classify();
    best_ = &best_of(outcomes_);
    worst_ = &worst_of(outcomes_);
    monotone_ = is_monotone();
    if (monotone_ && better(outcomes_.front(), outcomes_.back())) worst_ = &outcomes_.back();
    if (monotone_ && better(outcomes_.back(), outcomes_.front())) worst_ = &outcomes_.front();
    const Probe& probe = *best_->tested.probe;
    for (const Outcome& outcome : outcomes_) {  // the case that others are related to, if it is as good
      if (outcome.tested.value(axis_->parameter) == probe.baseline && as_good(outcome, *best_)) best_ = &outcome;
    }
  }

  [[nodiscard]] std::vector<Fact> facts() const {
    if (as_good(*worst_, *best_)) return {same()};
    std::vector<Fact> facts = {fastest()};
    if (monotone_ && classes_.size() != 2) {
      facts.push_back(slope());
    } else if (costs_explain()) {
      facts.push_back(classes_.size() == 2 ? dearer() : ladder());
    } else {
      facts.push_back(unexplained());
    }
    if (auto limits = changing_limit()) facts.push_back(*std::move(limits));
    return facts;
  }

 private:
  [[nodiscard]] std::uint64_t number(const Outcome& outcome) const { return outcome.tested.number(axis_->parameter); }
  [[nodiscard]] const PerRequest& cost(const Outcome& outcome) const {
    return unit_ == RequestUnit::sectors ? outcome.sectors : outcome.wavefronts;
  }
  [[nodiscard]] std::string unit() const { return unit_ == RequestUnit::sectors ? "sectors" : "wavefronts"; }
  [[nodiscard]] std::string places() const { return place_ + (place_.ends_with('s') ? "" : "s"); }

  void classify() {
    const auto rounded = [](std::optional<double> value) { return value ? std::lround(*value * 100) : -1; };
    std::map<std::pair<long, long>, CostClass> classes;
    for (const Outcome& outcome : outcomes_) {
      const PerRequest& own = cost(outcome);
      if (!own.any()) return;
      CostClass& same = classes.try_emplace({rounded(own.load), rounded(own.store)}, CostClass{own, {}}).first->second;
      same.outcomes.push_back(&outcome);
    }
    for (auto& [key, same] : classes) {
      std::ranges::stable_sort(same.outcomes, [](const Outcome* a, const Outcome* b) { return gain(*b, *a) > 1; });
      classes_.push_back(std::move(same));
    }
    std::ranges::stable_sort(classes_, {}, [](const CostClass& each) { return each.cost.sum(); });
  }

  /// Returns true if the cases only become worse along the sweep, or only better.
  [[nodiscard]] bool is_monotone() const {
    constexpr std::size_t fewest = 3;  // two cases are always in order
    if (!numeric_ || outcomes_.size() < fewest) return false;
    bool falls = true;
    bool rises = true;
    for (std::size_t i = 1; i < outcomes_.size(); ++i) {
      falls = falls && as_good(outcomes_[i - 1], outcomes_[i]);
      rises = rises && as_good(outcomes_[i], outcomes_[i - 1]);
    }
    return falls || rises;
  }

  /// Returns true if the cost of the requests orders the cases: the dearer the class, the worse it is.
  [[nodiscard]] bool costs_explain() const {
    if (classes_.size() < 2) return false;
    for (std::size_t i = 1; i < classes_.size(); ++i) {
      if (better(classes_[i].median(), classes_[i - 1].median())) return false;
    }
    const CostClass& cheapest = classes_.front();
    const CostClass& dearest = classes_.back();
    return as_good(cheapest.worst(), dearest.best()) && better(cheapest.median(), dearest.median());
  }

  /// Says a case by its place: "offset {offset}".
  [[nodiscard]] std::string at() const { return place_ + " {" + key_ + "}"; }
  [[nodiscard]] FactValue place_value(std::string name, const Outcome& outcome) const {
    const Value& value = outcome.tested.value(axis_->parameter);
    if (const auto* text = std::get_if<std::string>(&value)) return {std::move(name), *text};
    return {std::move(name), std::get<std::uint64_t>(value)};
  }
  [[nodiscard]] FactValue rate_value(const Outcome& outcome) const {
    return headline_value(outcome.tested.probe->headline.quantity.name, outcome);
  }
  [[nodiscard]] std::string rate() const { return "{" + outcomes_.front().tested.probe->headline.quantity.name + "}"; }

  /// Says the cost of one case's requests: "5 sectors per request".
  [[nodiscard]] std::string cost_words(const PerRequest& its, std::vector<FactValue>& values) const {
    if (const auto only = one_number(its)) {
      values.emplace_back(unit(), *only);
      return fmt::format("{{{}}} {} per request", unit(), *only == 1 ? unit().substr(0, unit().size() - 1) : unit());
    }
    values.emplace_back("load", *its.load);
    values.emplace_back("store", *its.store);
    return fmt::format("{{load}} {} per load and {{store}} per store request", unit());
  }
  /// Says the range of the costs: "from 4 to 32".
  [[nodiscard]] std::string range_words(const PerRequest& low, const PerRequest& high,
                                        std::vector<FactValue>& values) const {
    values.emplace_back("fewest", one_number(low).value_or(std::max(low.load, low.store).value_or(0)));
    values.emplace_back("most", one_number(high).value_or(std::max(high.load, high.store).value_or(0)));
    return "from {fewest} to {most}";
  }

  /// Begins the facts: "reads reach 4626 GB/s (96 % of peak)".
  [[nodiscard]] Fact reaches(FactKind kind) const {
    Fact fact{kind, {best_->index}, "{accesses} " + std::string(less_is_better_ ? "take " : "reach ") + rate(), {}};
    fact.values = {{"accesses", accesses_}, rate_value(*best_)};
    if (best_->share_of_peak) {
      fact.says += " ({peak_percent} of peak)";
      fact.values.emplace_back("peak_percent", 100 * *best_->share_of_peak);
    }
    return fact;
  }

  [[nodiscard]] Fact fastest() const {
    Fact fact = reaches(FactKind::fastest);
    fact.says += " at " + at();
    fact.values.push_back(place_value(key_, *best_));
    if (classes_.size() > 2) fact.says += ", with " + cost_words(cost(*best_), fact.values);
    fact.says += ".";
    return fact;
  }

  /// Says that the cases do not differ.
  [[nodiscard]] Fact same() const {
    if (outcomes_.size() == 1) return fastest();
    Fact fact = reaches(FactKind::as_fast_as);
    fact.outcomes = indices_of(outcomes_);
    fact.values.push_back(place_value("first", outcomes_.front()));
    fact.values.push_back(place_value("last", outcomes_.back()));
    if (outcomes_.size() == 2) {
      fact.says += " at " + places() + " {first} and {last}";
    } else {
      fact.values.emplace_back("cases", outcomes_.size());
      fact.says += " at all {cases} " + places() + (numeric_ ? " from {first} to {last}" : "");
    }
    if (classes_.size() > 1) {
      fact.says += ", although " + unit() + " per request range " +
                   range_words(classes_.front().cost, classes_.back().cost, fact.values);
    }
    fact.says += ".";
    return fact;
  }

  [[nodiscard]] Fact slowest() const {
    return {FactKind::costs,
            {worst_->index, best_->index},
            "At " + at() + " {accesses} take {slowdown_ratio} as long: " + rate() + ".",
            {place_value(key_, *worst_),
             {"accesses", accesses_},
             gain_value("slowdown_ratio", *worst_, *best_),
             rate_value(*worst_)}};
  }

  /// Says what the worse end of the sweep costs, how the requests' costs grow on the way there, and what happens once
  /// they have stopped growing.
  [[nodiscard]] Fact slope() const {
    Fact fact = slowest();
    const Outcome& first = outcomes_.front();
    const Outcome& last = outcomes_.back();
    if (classes_.size() < 2 || worst_ != &last || cost(first).sum() >= cost(last).sum()) return fact;
    const Outcome& full = *std::ranges::find_if(outcomes_, [&](const Outcome& outcome) {
      constexpr double rounding = 0.01;  // costs are averages over a launch, whose edges differ
      return cost(outcome).sum() > cost(last).sum() - rounding;
    });
    fact.says +=
        fmt::format(" {} per request grow {}", capitalised(unit()), range_words(cost(first), cost(last), fact.values));
    if (&full != &last) {
      fact.outcomes.push_back(full.index);
      fact.says += " at " + place_ + " {full} and stay there";
      fact.values.push_back(place_value("full", full));
      if (better(full, last)) {
        fact.says += "; from there on the time still grows, to {further_ratio}";
        fact.values.push_back(gain_value("further_ratio", last, full));
      }
    }
    fact.says += ".";
    return fact;
  }

  /// The cases of a class as a subject, and whether it is plural: "offsets that are no multiple of 8".
  [[nodiscard]] std::pair<std::string, bool> subject_of(const CostClass& of) const {
    if (of.outcomes.size() == 1)
      return {fmt::format("{} {}", place_, to_string(of.best().tested.value(axis_->parameter))), false};
    const std::string some = fmt::format("{} of {} {}", of.outcomes.size(), outcomes_.size(), places());
    if (!numeric_) {
      constexpr std::size_t most_names = 4;
      if (of.outcomes.size() > most_names) return {some, true};
      std::vector<std::string> names;
      for (const Outcome& outcome : outcomes_) {
        if (std::ranges::find(of.outcomes, &outcome) == of.outcomes.end()) continue;
        names.push_back(to_string(outcome.tested.value(axis_->parameter)));
      }
      return {places() + " " + join_in_words(names), true};
    }
    std::vector<std::uint64_t> all;
    std::vector<std::uint64_t> part;
    std::vector<std::uint64_t> rest;
    for (const Outcome& outcome : outcomes_) {
      const bool member = std::ranges::find(of.outcomes, &outcome) != of.outcomes.end();
      all.push_back(number(outcome));
      (member ? part : rest).push_back(number(outcome));
    }
    if (const auto k = common_factor(all, rest))
      return {fmt::format("{} that are no multiple of {}", places(), *k), true};
    if (const auto k = common_factor(all, part))
      return {fmt::format("{} that are multiples of {}", places(), *k), true};
    const std::string list = listed(all, part);
    return {list.empty() ? some : places() + " " + list, true};
  }

  /// Says what the cases of the dearest class cost.
  [[nodiscard]] Fact dearest(const std::string& instead) const {
    const CostClass& dear = classes_.back();
    const auto [subject, plural] = subject_of(dear);
    Fact fact{FactKind::costs, {}, "", {{"which", subject}}};
    for (const Outcome* outcome : dear.outcomes) fact.outcomes.push_back(outcome->index);
    fact.outcomes.push_back(best_->index);
    const bool touches = unit_ == RequestUnit::sectors;
    fact.says = fmt::format("{{which}} {}{} {}{} and {} ", touches ? "touch" : "take",
                            plural    ? ""
                            : touches ? "es"
                                      : "s",
                            cost_words(dear.cost, fact.values), instead, plural ? "take" : "takes");
    const double least = gain(dear.best(), *best_);
    const double most = gain(dear.worst(), *best_);
    if (times_words(least) != times_words(most)) {
      fact.says += "{least_ratio} to ";
      fact.values.emplace_back("least_ratio", least);
    }
    fact.says += "{slowdown_ratio} as long.";
    fact.values.push_back(gain_value("slowdown_ratio", dear.worst(), *best_));
    return fact;
  }

  /// Says what the dearer one of two classes costs.
  [[nodiscard]] Fact dearer() const {
    const auto other = one_number(classes_.front().cost);
    Fact fact = dearest(other ? " instead of {otherwise}" : "");
    if (other) fact.values.emplace_back("otherwise", *other);
    return fact;
  }

  /// Says the costs of several classes, one after another, or only of the dearest if that would be long.
  [[nodiscard]] Fact ladder() const {
    constexpr std::size_t most_steps = 7;
    if (classes_.size() > most_steps ||
        std::ranges::any_of(classes_, [](const CostClass& each) { return !one_number(each.cost); })) {
      Fact fact = dearest("");
      fact.says.insert(0, "At worst, ");
      return fact;
    }
    std::vector<double> costs;
    std::vector<double> ratios;
    Fact fact{FactKind::costs, {}, "", {}};
    for (const CostClass& each : std::span(classes_).subspan(1)) {
      costs.push_back(*one_number(each.cost));
      ratios.push_back(gain(each.median(), *best_));
      fact.outcomes.push_back(each.median().index);
    }
    fact.outcomes.push_back(best_->index);
    fact.says = fmt::format("{{{0}}} {0} per request take {{slowdown_ratio}} as long.", unit());
    fact.values = {{unit(), costs}, {"slowdown_ratio", ratios}};
    return fact;
  }

  /// Says what the slowest case costs, which its requests do not explain.
  [[nodiscard]] Fact unexplained() const {
    Fact fact = slowest();
    if (classes_.size() > 1) {
      fact.says += fmt::format(" {} per request range {}, which alone does not explain it.", capitalised(unit()),
                               range_words(classes_.front().cost, classes_.back().cost, fact.values));
    } else if (classes_.size() == 1) {
      fact.says += fmt::format(" All {} {}.", unit_ == RequestUnit::sectors ? "touch" : "take",
                               cost_words(classes_.front().cost, fact.values));
    }
    return fact;
  }

  /// Says what is predicted to limit the best case and the worst, if that is not the same.
  [[nodiscard]] std::optional<Fact> changing_limit() const {
    if (best_->limit.empty() || worst_->limit.empty() || best_->limit == worst_->limit) return std::nullopt;
    return Fact{FactKind::limit,
                {best_->index, worst_->index},
                fmt::format("The predicted limit is {{fastest_stage}} at {0} {{fastest}} and {{slowest_stage}} at {0} "
                            "{{slowest}}.",
                            place_),
                {{"fastest_stage", best_->limit},
                 place_value("fastest", *best_),
                 {"slowest_stage", worst_->limit},
                 place_value("slowest", *worst_)}};
  }

  std::vector<Outcome> outcomes_;
  const Axis* axis_;
  std::string accesses_;
  RequestUnit unit_;
  std::string place_;  ///< the noun for a value of the axis: "bank stride"
  std::string key_;    ///< the same as the name of a fact's value: "bank_stride"
  bool numeric_ = false;
  bool less_is_better_ = false;
  bool monotone_ = false;
  std::vector<CostClass> classes_;  ///< by rising cost; empty if a cost is not known
  const Outcome* best_ = nullptr;
  const Outcome* worst_ = nullptr;
};

}  // namespace

Conclusion conclude_sweep(std::span<const Outcome> outcomes, const std::string& accesses, RequestUnit unit) {
  return {.facts = Sweep(outcomes, accesses, unit).facts()};
}

}  // namespace gpumem
