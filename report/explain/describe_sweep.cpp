// A story in words. The words depend on the readings alone, so that a new probe is described like the others.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "engine/base/words.hpp"
#include "report/explain/story.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

std::string percent(double fraction) {
  const double value = fraction * 100;
  return (value >= 9.95 ? fixed(value, 0) : significant(value, value >= 0.95 ? 1 : 2)) + " %";
}

/// "3 %", rounded up: a claim about all cases must hold for the last of them.
std::string at_most_percent(double fraction) {
  const double value = fraction * 100;
  return (value > 1 ? fixed(std::ceil(value - 1e-9), 0) : fixed(std::ceil(value * 10 - 1e-9) / 10, 1)) + " %";
}

std::string value_of(const Point& point) { return value_words(point.record->headline.quantity, point.value); }

/// "4227 GB/s (88 % of peak)".
std::string speed(const Point& point) {
  const std::string value = value_of(point);
  if (!point.record->fraction_of_peak) return value;
  return value + " (" + percent(*point.record->fraction_of_peak) + " of peak)";
}

std::string position(const Point& point) {
  return point.place == nullptr ? "this case" : position_phrase(*point.place);
}

std::string ratio_words(double lowest, double highest) {
  const auto words = [](double ratio) { return ratio >= 0.095 ? fixed(ratio, 2) : significant(ratio, 2); };
  const std::string low = words(lowest);
  const std::string high = words(highest);
  return low == high ? low : low + " to " + high;
}

/// The one number of a cost, or nothing if loads and stores differ.
std::optional<double> one_number(const PerRequest& cost) {
  if (!cost.load || !cost.store) return cost.load ? cost.load : cost.store;
  if (std::abs(*cost.load - *cost.store) < 0.005) return cost.load;
  return std::nullopt;
}

std::string cost_words(const PerRequest& cost, std::string_view unit) {
  if (const auto number = one_number(cost)) {
    const std::string value = trimmed(*number, 2);
    if (value == "1") unit.remove_suffix(1);
    return fmt::format("{} {} per request", value, unit);
  }
  return fmt::format("{} {} per load and {} per store request", trimmed(*cost.load, 2), unit, trimmed(*cost.store, 2));
}

/// "from 4 to 32", or in full where loads and stores differ.
std::string cost_range(const PerRequest& low, const PerRequest& high, std::string_view unit) {
  const auto from = one_number(low);
  const auto to = one_number(high);
  if (from && to) return fmt::format("from {} to {}", trimmed(*from, 2), trimmed(*to, 2));
  return "from " + cost_words(low, unit) + " to " + cost_words(high, unit);
}

/// Returns the verb for measured ("fall") or predicted ("are predicted to fall") readings.
std::string verb(const Story& story, bool plural, std::string_view stem, std::string_view singular) {
  if (story.measured) return std::string(plural ? stem : singular);
  return (plural ? "are predicted to " : "is predicted to ") + std::string(stem);
}

/// "fall" or "rise".
std::string moves(const Story& story, bool plural, bool down) {
  return down ? verb(story, plural, "fall", "falls") : verb(story, plural, "rise", "rises");
}

bool less_is_better(const Story& story) { return story.best->record->headline.better == Better::less; }

/// Names the best value: "Copies reach 4227 GB/s (88 % of peak)", or "take" for quantities of which less is better.
std::string best_words(const Story& story, const std::string& subject) {
  const std::string reach =
      less_is_better(story) ? verb(story, true, "take", "takes") : verb(story, true, "reach", "reaches");
  return subject + " " + reach + " " + speed(*story.best);
}

/// Compares goodness with the best: bandwidths as a share of it, cycles as a multiple.
std::string compared_to_best(const Story& story, double lowest, double highest) {
  if (less_is_better(story)) return ratio_words(1 / highest, 1 / lowest) + " times as long";
  return ratio_words(lowest, highest) + " of it";
}

std::string run_at(const Story& story, bool plural, double lowest, double highest) {
  const std::string run =
      less_is_better(story) ? verb(story, plural, "take", "takes") : verb(story, plural, "run", "runs") + " at";
  return run + " " + compared_to_best(story, lowest, highest);
}

/// Returns the verb between requests and their cost: they "touch" sectors and "take" wavefronts.
std::string_view touch(std::string_view unit, bool plural) {
  if (unit != wavefronts) return plural ? "touch" : "touches";
  return plural ? "take" : "takes";
}

/// The points of a class as a subject, and whether it is plural: "offsets that are no multiple of 8".
struct Subject {
  std::string words;
  bool plural = true;
};

Subject subject_of(const Story& story, const CostClass& cost_class) {
  if (cost_class.points.size() == 1) return {position(*cost_class.points.front()), false};
  const Noun noun = parameter_noun(story.parameter);
  if (!story.numeric) {
    std::vector<std::string> names;
    for (const Point* point : cost_class.points)
      names.push_back(point->place == nullptr ? "-" : value_text(*point->place));
    constexpr std::size_t most_names = 4;
    if (names.size() <= most_names) return {noun.plural + " " + join_in_words(names)};
    return {fmt::format("{} of {} {}", names.size(), story.points.size(), noun.plural)};
  }
  std::vector<std::uint64_t> all;
  std::vector<std::uint64_t> part;
  std::vector<std::uint64_t> rest;
  for (const Point& point : story.points) {
    const bool member = std::ranges::find(cost_class.points, &point) != cost_class.points.end();
    all.push_back(*point.number);
    (member ? part : rest).push_back(*point.number);
  }
  if (const auto k = common_factor(all, rest)) return {fmt::format("{} that are no multiple of {}", noun.plural, *k)};
  if (const auto k = common_factor(all, part)) return {fmt::format("{} that are multiples of {}", noun.plural, *k)};
  if (const std::string list = listed(all, part); !list.empty()) return {noun.plural + " " + list};
  return {fmt::format("{} of {} {}", part.size(), all.size(), noun.plural)};
}

std::string everywhere(const Story& story) {
  const Noun noun = parameter_noun(story.parameter);
  const auto* const first = story.points.front().place;
  const auto* const last = story.points.back().place;
  if (story.points.size() == 2 && first != nullptr && last != nullptr) {
    return fmt::format("at {} {} and {}", noun.plural, value_text(*first), value_text(*last));
  }
  const std::string all = fmt::format("at all {} {}", story.points.size(), noun.plural);
  if (!story.numeric) return all;
  return fmt::format("{} from {} to {}", all, value_text(*first), value_text(*last));
}

std::string flat_story(const Story& story, const std::string& subject) {
  std::string text = best_words(story, subject) + " " + everywhere(story);
  if (story.spread() >= 0.0005) text += ", within " + at_most_percent(story.spread());
  if (story.classes.size() > 1) {
    text += fmt::format(", although {} per request range {}", story.unit,
                        cost_range(story.classes.front().cost, story.classes.back().cost, story.unit));
  }
  return text;
}

/// Describes how the cost grows along a falling sweep, and what happens once it has stopped growing.
std::string growth(const Story& story) {
  const PerRequest& first = story.points.front().cost;
  const PerRequest& last = story.points.back().cost;
  std::string text = capitalised(story.unit) + " per request grow " + cost_range(first, last, story.unit);
  std::size_t reached = story.points.size() - 1;
  while (reached > 0 && std::abs(story.points[reached - 1].cost.sum() - last.sum()) < 0.01) --reached;
  if (reached == story.points.size() - 1) return text;
  const Point& full = story.points[reached];
  const Point& end = story.points.back();
  text += " at " + position(full) + " and stay there";
  if (end.goodness < full.goodness * (1 - negligible)) {
    text +=
        fmt::format(", while the {} {} further, from {} to {}", quantity_heading(end.record->headline.quantity).name,
                    moves(story, false, full.value > end.value), significant(full.value, 3), value_of(end));
  }
  return text;
}

std::string sloping_story(const Story& story, const std::string& subject, int slope) {
  const Point& first = story.points.front();
  const Point& last = story.points.back();
  std::string text = fmt::format("{} {} from {} at {} to {} at {}", subject, moves(story, true, slope < 0),
                                 speed(first), position(first), speed(last), position(last));
  if (last.goodness < first.goodness && story.classes.size() > 1 && first.cost.sum() < last.cost.sum())
    text += ". " + growth(story);
  return text;
}

std::string class_runs(const Story& story, const CostClass& cost_class, bool plural) {
  const auto [low, high] = std::ranges::minmax(cost_class.points, {}, &Point::goodness);
  return run_at(story, plural, low->goodness / story.best->goodness, high->goodness / story.best->goodness);
}

std::string two_classes(const Story& story) {
  const CostClass& cheap = story.classes.front();
  const CostClass& dear = story.classes.back();
  const Subject group = subject_of(story, dear);
  const auto other = one_number(cheap.cost);
  return fmt::format("{} {} {} instead of {} and {}", capitalised(group.words), touch(story.unit, group.plural),
                     cost_words(dear.cost, story.unit), other ? trimmed(*other, 2) : cost_words(cheap.cost, story.unit),
                     class_runs(story, dear, group.plural));
}

/// The classes as a ladder, "2 and 4 wavefronts per request run at 0.50 and 0.25 of it", or only its foot where that
/// would be long.
std::string many_classes(const Story& story) {
  constexpr std::size_t most_steps = 7;
  const CostClass& dearest = story.classes.back();
  const bool short_enough =
      story.classes.size() <= most_steps && std::ranges::all_of(story.classes, [](const CostClass& cost_class) {
        return one_number(cost_class.cost).has_value();
      });
  if (!short_enough) {
    const Subject group = subject_of(story, dearest);
    return fmt::format("At worst, {} {} {} and {}", group.words, touch(story.unit, group.plural),
                       cost_words(dearest.cost, story.unit), class_runs(story, dearest, group.plural));
  }
  const bool less = less_is_better(story);
  std::vector<std::string> costs;
  std::vector<std::string> ratios;
  for (std::size_t i = 1; i < story.classes.size(); ++i) {
    const double ratio = story.classes[i].median_goodness / story.best->goodness;
    costs.push_back(trimmed(*one_number(story.classes[i].cost), 2));
    ratios.push_back(less ? ratio_words(1 / ratio, 1 / ratio) : ratio_words(ratio, ratio));
  }
  const std::string run = less ? verb(story, true, "take", "takes") : verb(story, true, "run", "runs") + " at";
  return fmt::format("{} {} per request {} {} {}", join_in_words(costs), story.unit, run, join_in_words(ratios),
                     less ? "times as long" : "of it");
}

std::string classes_story(const Story& story, const std::string& subject) {
  std::string text = best_words(story, subject) + " at " + position(*story.best);
  if (story.classes.size() > 2) text += ", with " + cost_words(story.best->cost, story.unit);
  return text + ". " + (story.classes.size() == 2 ? two_classes(story) : many_classes(story));
}

std::string unordered_story(const Story& story, const std::string& subject) {
  const double ratio = story.worst->goodness / story.best->goodness;
  std::string text = fmt::format("{} at {}. The slowest {} {}, {}, at {}", best_words(story, subject),
                                 position(*story.best), less_is_better(story) ? "take" : "reach",
                                 value_of(*story.worst), compared_to_best(story, ratio, ratio), position(*story.worst));
  if (story.classes.size() > 1) {
    text += fmt::format("; {} per request range {}, which alone does not explain it", story.unit,
                        cost_range(story.classes.front().cost, story.classes.back().cost, story.unit));
  } else if (story.classes.size() == 1) {
    text += ", although all " + std::string(touch(story.unit, true)) + " " +
            cost_words(story.classes.front().cost, story.unit);
  }
  return text;
}

std::string limits(const Story& story) {
  const auto& best = story.best->record->bottleneck;
  const auto& worst = story.worst->record->bottleneck;
  if (!best || !worst || best->predicted == worst->predicted) return {};
  return fmt::format(" The predicted limit is {} at {} and {} at {}.", stage_words(best->predicted),
                     position(*story.best), stage_words(worst->predicted), position(*story.worst));
}

}  // namespace

std::string describe_sweep(const Story& story, const std::string& subject) {
  std::string text;
  if (story.points.size() == 1) {
    text = best_words(story, subject) + " at " + position(*story.best);
  } else if (story.spread() <= negligible) {
    text = flat_story(story, subject);
  } else if (const int slope = direction(story); slope != 0 && story.classes.size() != 2) {
    text = sloping_story(story, subject, slope);
  } else {
    text = cost_explains(story) ? classes_story(story, subject) : unordered_story(story, subject);
  }
  Cases ran;
  for (const Point& point : story.points) ran.push_back(point.record);
  const std::string agreed = agreement(ran);
  return text + (agreed.empty() ? "" : "; " + agreed) + "." + limits(story);
}

std::string agreement(const Cases& cases) {
  Cases measured = cases;
  std::erase_if(measured, [](const Record* record) {
    return record->status != Status::ok || !(record->headline.measured.value_or(0) > 0);
  });
  const auto is_predicted = [](const Record* record) { return record->headline.predicted.has_value(); };
  if (measured.empty() || !std::ranges::all_of(measured, is_predicted)) return {};
  const auto deviation = [](const Record* record) {
    return std::abs(*record->headline.predicted / *record->headline.measured - 1);
  };
  const Record* where = std::ranges::max(measured, {}, deviation);
  const double farthest = deviation(where);
  constexpr double agrees = 0.1;
  if (farthest <= agrees) return "predicted within " + at_most_percent(farthest);
  return fmt::format("predictions are off by up to {}{}", at_most_percent(farthest),
                     measured.size() > 1 ? " (at " + position_among(measured, *where) + ")" : "");
}

}  // namespace gpumem::report
