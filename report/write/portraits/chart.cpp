#include "report/write/portraits/chart.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "engine/base/words.hpp"
#include "report/text/names.hpp"
#include "report/text/text.hpp"
#include "report/write/portraits/style.hpp"
#include "report/write/portraits/svg.hpp"

namespace gpumem::report {

namespace {

constexpr double width = 480;
constexpr double height = 300;
constexpr double left = 62;
constexpr double right = width - 14;
constexpr double top = 24;
constexpr double bottom = height - 46;
constexpr double letter = 6.6;  // of the size that ticks have
constexpr std::size_t lines = 4;

struct Scales {
  Scale x;
  Scale y;
};

Scales scales_of(std::span<const LabelledChart> charts) {
  std::vector<double> x;
  std::vector<double> y;
  for (const LabelledChart& labelled : charts) {
    for (const PortraitCurve& curve : labelled.chart->curves) {
      for (const PortraitPoint& point : curve.points) {
        x.push_back(point.x);
        for (const auto& value : {point.measured, point.predicted}) {
          if (value) y.push_back(*value);
        }
      }
    }
  }
  const PortraitChart& first = *charts.front().chart;
  return {scale_for(x, first.logarithmic_x, left, right), scale_for(y, first.logarithmic_y, bottom, top, true)};
}

/// Under as many points as there is room for words.
void draw_x_axis(Svg& svg, std::span<const LabelledChart> charts, const Scales& scales) {
  std::map<double, std::string> ticks;
  for (const LabelledChart& labelled : charts) {
    for (const PortraitCurve& curve : labelled.chart->curves) {
      for (const PortraitPoint& point : curve.points) ticks[point.x] = point.tick;
    }
  }
  double taken = 0;
  for (const auto& [value, words] : ticks) {
    const double x = scales.x.at(value);
    const double half = letter * static_cast<double>(display_width(words)) / 2;
    if (x - half < taken) continue;
    svg.line(x, bottom, x, bottom + 4, "axis");
    svg.text(x, bottom + 17, words, "tick", Anchor::middle);
    taken = x + half + letter;
  }
  svg.line(left, bottom, right, bottom, "axis");
  svg.text((left + right) / 2, height - 8, charts.front().chart->x_axis, "name", Anchor::middle);
}

void draw_y_axis(Svg& svg, const PortraitChart& chart, const Scale& scale) {
  for (const double tick : scale.ticks()) {
    const double y = scale.at(tick);
    svg.line(left, y, right, y, "grid");
    svg.text(left - 6, y + 4, trimmed(tick, 3), "tick", Anchor::end);
  }
  const std::string unit = unit_of(chart.quantity);
  svg.text(14, (top + bottom) / 2, unit.empty() ? quantity_title(chart.quantity) : unit, "name", Anchor::middle, -90);
}

std::string told(const LabelledChart& labelled, const PortraitCurve& curve, const PortraitPoint& point, bool several) {
  std::vector<std::string> words;
  if (several) words.push_back(labelled.label);
  if (!curve.name.empty()) words.push_back(curve.name);
  words.push_back(point.place);
  std::vector<std::string> readings;
  const std::string& quantity = labelled.chart->quantity;
  if (point.measured) readings.push_back(value_words(quantity, *point.measured) + " measured");
  if (point.predicted) readings.push_back(value_words(quantity, *point.predicted) + " predicted");
  return fmt::format("{}: {}", join(words, ", "), join(readings, ", "));
}

using Reading = std::optional<double> PortraitPoint::*;
using Places = std::vector<std::pair<double, double>>;

class Drawing {
 public:
  Drawing(Svg& svg, const Scales& scales) : svg_(svg), scales_(scales) {}

  void curve(const LabelledChart& labelled, const PortraitCurve& curve, Reading reading, const std::string& looks,
             bool several) {
    Places run;  // of points that a line joins
    const auto draw = [&] {
      if (run.size() > 1) svg_.path(run, "curve " + looks);
      run.clear();
    };
    for (const PortraitPoint& point : curve.points) {
      if (!point.joined || !(point.*reading)) draw();
      if (point.*reading) run.emplace_back(scales_.x.at(point.x), scales_.y.at(*(point.*reading)));
    }
    draw();
    for (const PortraitPoint& point : curve.points) {
      if (!(point.*reading)) continue;
      svg_.dot(scales_.x.at(point.x), scales_.y.at(*(point.*reading)), 3.4, looks,
               told(labelled, curve, point, several));
    }
  }

 private:
  Svg& svg_;
  const Scales& scales_;
};

bool any(const PortraitCurve& curve, Reading reading) {
  return std::ranges::any_of(curve.points, [&](const PortraitPoint& point) { return (point.*reading).has_value(); });
}

}  // namespace

DrawnChart drawn_chart(std::span<const LabelledChart> charts) {
  const bool several = charts.size() > 1;
  const PortraitChart& first = *charts.front().chart;
  Svg svg(width, height, first.title);
  const Scales scales = scales_of(charts);
  draw_y_axis(svg, first, scales.y);
  draw_x_axis(svg, charts, scales);
  DrawnChart drawn;
  Drawing drawing(svg, scales);
  for (std::size_t r = 0; r < charts.size(); ++r) {
    const auto& curves = charts[r].chart->curves;
    for (std::size_t c = 0; c < curves.size(); ++c) {
      const bool alone = curves.size() == 1;
      const std::string looks = fmt::format("c{} r{}", (alone ? r : c) % colours, r % lines);
      const bool measured = any(curves[c], &PortraitPoint::measured);
      const bool predicted = any(curves[c], &PortraitPoint::predicted) && !(several && measured);
      if (predicted) drawing.curve(charts[r], curves[c], &PortraitPoint::predicted, looks + " predicted", several);
      if (measured) drawing.curve(charts[r], curves[c], &PortraitPoint::measured, looks + " measured", several);
      std::vector<std::string> words;
      if (several) words.push_back(charts[r].label);
      if (!curves[c].name.empty()) words.push_back(curves[c].name);
      if (!words.empty()) drawn.legend.push_back({looks + (measured ? " measured" : " predicted"), join(words, ": ")});
    }
  }
  if (std::ranges::any_of(charts, &LabelledChart::is_prediction)) {
    svg.text(right, 12, several ? "dashed: PREDICTED" : "PREDICTED", "mark", Anchor::end);
  }
  drawn.svg = svg.finished();
  return drawn;
}

}  // namespace gpumem::report
