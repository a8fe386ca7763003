#include "report/explain/story.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <utility>

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
  for (CostClass& one : classes) {
    std::vector<double> rates;
    for (const Point* point : one.points) rates.push_back(point->goodness);
    const auto middle = rates.begin() + static_cast<std::ptrdiff_t>(rates.size() / 2);
    std::ranges::nth_element(rates, middle);
    one.median_goodness = *middle;
  }
  std::ranges::stable_sort(classes, {}, [](const CostClass& one) { return one.cost.sum(); });
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
    const HeadlineRecord& headline = record->headline;
    const auto value = story.measured ? headline.measured : headline.predicted;
    if (record->status != Status::ok || !value || !std::isfinite(*value) || *value <= 0) continue;
    Point point{record, find_parameter(*record, parameter), std::nullopt, *value, headline.goodness(*value), {}};
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
  double worst_cheap = cheapest.points.front()->goodness;
  for (const Point* point : cheapest.points) worst_cheap = std::min(worst_cheap, point->goodness);
  double best_dear = 0;
  for (const Point* point : dearest.points) best_dear = std::max(best_dear, point->goodness);
  constexpr double overlap = 1.01;
  return best_dear <= worst_cheap * overlap && dearest.median_goodness < cheapest.median_goodness;
}

}  // namespace gpumem::report
