#include "report/write/portraits/svg.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cmath>

#include "report/text/text.hpp"

namespace gpumem::report {

namespace {

constexpr std::array<double, 3> round_steps = {1, 2, 5};

std::vector<double> logarithmic_ticks(double low, double high) {
  std::vector<double> found;
  // Over few decades all round values are ticks, over many only the powers of ten.
  const auto steps = std::span(round_steps).first(high / low < 100 ? 3 : 1);
  for (double decade = std::pow(10, std::floor(std::log10(low))); decade <= high; decade *= 10) {
    for (const double step : steps) {
      if (step * decade >= low && step * decade <= high) found.push_back(step * decade);
    }
  }
  return found;
}

/// A round step for about five ticks.
double linear_step(double low, double high) {
  const double exact = (high - low) / 5;
  const double decade = std::pow(10, std::floor(std::log10(exact)));
  for (const double round : round_steps) {
    if (round * decade >= exact) return round * decade;
  }
  return 10 * decade;
}

std::vector<double> linear_ticks(double low, double high) {
  const double step = linear_step(low, high);
  std::vector<double> found;
  for (double tick = std::ceil(low / step) * step; tick <= high * (1 + 1e-9); tick += step) found.push_back(tick);
  return found;
}

constexpr const char* anchor_name(Anchor anchor) {
  return anchor == Anchor::start ? "start" : anchor == Anchor::middle ? "middle" : "end";
}

}  // namespace

double Scale::at(double value) const {
  const double share = logarithmic ? std::log(value / low) / std::log(high / low) : (value - low) / (high - low);
  return from + std::clamp(share, 0.0, 1.0) * (to - from);
}

std::vector<double> Scale::ticks() const {
  return logarithmic ? logarithmic_ticks(low, high) : linear_ticks(low, high);
}

Scale scale_for(std::span<const double> values, bool logarithmic, double from, double to, bool rounded) {
  const auto [least, most] = std::ranges::minmax_element(values);
  Scale scale{.low = logarithmic ? *least : 0, .high = *most, .logarithmic = logarithmic, .from = from, .to = to};
  if (logarithmic && scale.high < 2 * scale.low) {
    scale.low /= 2;
    scale.high *= 2;
  }
  if (scale.high <= scale.low) scale.high = scale.low + 1;
  if (!logarithmic && rounded) {
    const double step = linear_step(scale.low, scale.high);
    scale.high = std::ceil(scale.high / step) * step;
  }
  return scale;
}

Svg::Svg(double width, double height, std::string_view label)
    : body_(fmt::format(R"(<svg viewBox="0 0 {:g} {:g}" role="img" aria-label="{}">)", width, height,
                        xml_escaped(label))) {}

void Svg::line(double x1, double y1, double x2, double y2, std::string_view looks) {
  body_ += fmt::format(R"(<line x1="{:.1f}" y1="{:.1f}" x2="{:.1f}" y2="{:.1f}" class="{}"/>)", x1, y1, x2, y2, looks);
}

void Svg::path(std::span<const std::pair<double, double>> points, std::string_view looks) {
  body_ += fmt::format(R"(<polyline class="{}" points=")", looks);
  for (const auto& [x, y] : points) body_ += fmt::format("{:.1f},{:.1f} ", x, y);
  body_ += R"("/>)";
}

void Svg::dot(double x, double y, double radius, std::string_view looks, std::string_view told) {
  body_ += fmt::format(R"(<circle cx="{:.1f}" cy="{:.1f}" r="{:g}" class="{}"><title>{}</title></circle>)", x, y,
                       radius, looks, xml_escaped(told));
}

void Svg::text(double x, double y, std::string_view text, std::string_view looks, Anchor anchor, double turned) {
  constexpr const char* turn = R"~( transform="rotate({:g} {:.1f} {:.1f})")~";
  body_ +=
      fmt::format(R"(<text x="{:.1f}" y="{:.1f}" text-anchor="{}" class="{}"{}>{}</text>)", x, y, anchor_name(anchor),
                  looks, turned == 0 ? "" : fmt::format(turn, turned, x, y), xml_escaped(text));
}

}  // namespace gpumem::report
