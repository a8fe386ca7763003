#include "report/explain/story.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

#include "engine/base/words.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

namespace {

PerRequest cost_of(const Record& record, std::string_view unit) {
  const PerRequest predicted = per_request(record, unit, Source::predicted);
  return predicted.any() ? predicted : per_request(record, unit, Source::counted);
}

/// Averages over a launch that differ in less than this are the same pattern with other edges.
long rounded(std::optional<double> cost) { return cost ? std::lround(*cost * 100) : -1; }

std::pair<long, long> class_key(const PerRequest& cost) { return {rounded(cost.load), rounded(cost.store)}; }

/// Sectors tell most sweeps apart; where they do not, wavefronts or addresses may.
std::string_view telling_unit(const std::vector<Point>& points) {
  const auto varies = [&](std::string_view unit) {
    return std::ranges::any_of(points, [&](const Point& point) {
      return class_key(cost_of(*point.record, unit)) != class_key(cost_of(*points.front().record, unit));
    });
  };
  if (points.empty()) return sectors;
  const std::string_view units[] = {sectors, wavefronts, addresses};
  const auto* const telling = std::ranges::find_if(units, varies);
  if (telling != std::end(units)) return *telling;
  const auto* const known =
      std::ranges::find_if(units, [&](std::string_view unit) { return cost_of(*points.front().record, unit).any(); });
  return known == std::end(units) ? wavefronts : *known;
}

std::vector<CostClass> classify(const std::vector<Point>& points) {
  std::map<std::pair<long, long>, std::size_t> place;
  std::vector<CostClass> classes;
  for (const Point& point : points) {
    if (!point.cost.any()) return {};
    const auto [entry, added] = place.try_emplace(class_key(point.cost), classes.size());
    if (added) classes.push_back({point.cost, {}, 0});
    classes[entry->second].points.push_back(&point);
  }
  for (CostClass& cost_class : classes) {
    std::vector<double> rates;
    for (const Point* point : cost_class.points) rates.push_back(point->goodness);
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    cost_class.median_goodness = *middle;
  }
  std::ranges::stable_sort(classes, {}, [](const CostClass& cost_class) { return cost_class.cost.sum(); });
  return classes;
}

/// Cases that differ by less than this share are in the order that noise gave them.
constexpr double as_good = 0.01;

/// The baseline if it is as good as the best, else the first that is.
const Point* best_of(const std::vector<Point>& points) {
  const auto fastest = std::ranges::max_element(points, {}, &Point::goodness);
  const double enough = (1 - as_good) * fastest->goodness;
  for (const Point& point : points) {
    const bool baseline = point.place != nullptr && point.place->name == baseline_parameter(*point.record) &&
                          point.place->value == point.record->baseline;
    if (baseline && point.goodness >= enough) return &point;
  }
  return &*std::ranges::find_if(points, [&](const Point& point) { return point.goodness >= enough; });
}

const Point* worst_of(const std::vector<Point>& points) {
  const double slowest = std::ranges::min_element(points, {}, &Point::goodness)->goodness;
  return &*std::ranges::find_if(points, [&](const Point& p) { return p.goodness <= (1 + as_good) * slowest; });
}

bool is_in(std::span<const std::uint64_t> values, std::uint64_t value) {
  return std::ranges::find(values, value) != values.end();
}

}  // namespace

double Story::spread() const {
  const auto [slowest, fastest] = std::ranges::minmax(points, {}, &Point::goodness);
  return fastest.goodness > 0 ? (fastest.goodness - slowest.goodness) / fastest.goodness : 0;
}

Story make_story(const Cases& cases, std::string_view parameter) {
  Story story;
  story.parameter = parameter;
  story.measured = std::ranges::any_of(
      cases, [](const Record* record) { return record->headline.measured.has_value() || record->time.has_value(); });
  story.numeric = true;
  for (const Record* record : cases) {
    const auto value = positive_headline(*record, story.measured);
    if (record->status != Status::ok || !value) continue;
    Point point{record, find_parameter(*record, parameter), std::nullopt,
                *value, record->headline.goodness(*value),  {}};
    if (point.place != nullptr) {
      if (const auto* number = std::get_if<std::uint64_t>(&point.place->value)) point.number = *number;
    }
    story.numeric = story.numeric && point.number.has_value();
    story.points.push_back(point);
  }
  if (story.points.empty()) return story;

  if (story.numeric) std::ranges::stable_sort(story.points, {}, &Point::number);
  story.unit = telling_unit(story.points);
  for (Point& point : story.points) point.cost = cost_of(*point.record, story.unit);
  story.classes = classify(story.points);
  story.best = best_of(story.points);
  story.worst = worst_of(story.points);
  return story;
}

int direction(const Story& story) {
  if (!story.numeric || story.points.size() < 3) return 0;
  bool falls = true;
  bool rises = true;
  for (std::size_t i = 1; i < story.points.size(); ++i) {
    const double before = story.points[i - 1].value;
    const double now = story.points[i].value;
    falls = falls && now <= before * (1 + negligible);
    rises = rises && now >= before * (1 - negligible);
  }
  if (falls == rises) return 0;
  return falls ? -1 : 1;
}

bool cost_explains(const Story& story) {
  if (story.classes.size() < 2) return false;
  const CostClass& cheapest = story.classes.front();
  const CostClass& dearest = story.classes.back();
  for (std::size_t i = 1; i < story.classes.size(); ++i) {
    if (story.classes[i].median_goodness > story.classes[i - 1].median_goodness * (1 + negligible)) return false;
  }
  const double worst_cheap = std::ranges::min(cheapest.points, {}, &Point::goodness)->goodness;
  const double best_dear = std::ranges::max(dearest.points, {}, &Point::goodness)->goodness;
  constexpr double overlap = 1.01;
  return best_dear <= worst_cheap * overlap && dearest.median_goodness < cheapest.median_goodness;
}

std::optional<std::uint64_t> common_factor(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part) {
  if (part.size() == all.size()) return std::nullopt;
  const auto holds = [&](std::uint64_t k) {
    return std::ranges::all_of(all, [&](std::uint64_t value) { return (value % k == 0) == is_in(part, value); });
  };
  std::uint64_t smallest = 0;  // that is not zero: a factor of all divides it
  for (const std::uint64_t value : part) {
    if (value > 0 && (smallest == 0 || value < smallest)) smallest = value;
  }
  constexpr std::uint64_t furthest = 4096;  // larger factors explain nothing to a reader
  std::optional<std::uint64_t> found;
  for (std::uint64_t k = 2; k <= std::min(smallest, furthest); ++k) {
    if (smallest % k != 0 || !holds(k)) continue;
    if (found) return std::nullopt;
    found = k;
  }
  return found;
}

std::string listed(std::span<const std::uint64_t> all, std::span<const std::uint64_t> part) {
  constexpr std::size_t most_parts = 4;
  std::vector<std::string> parts;
  for (std::size_t i = 0; i < all.size() && parts.size() <= most_parts; ++i) {
    if (!is_in(part, all[i])) continue;
    const std::size_t begin = i;
    while (i + 1 < all.size() && is_in(part, all[i + 1])) ++i;
    parts.push_back(std::to_string(all[begin]));
    if (i > begin + 1) parts.back() += " to " + std::to_string(all[i]);
    if (i == begin + 1) parts.push_back(std::to_string(all[i]));
  }
  return parts.size() > most_parts ? "" : join_in_words(parts);
}

}  // namespace gpumem::report
