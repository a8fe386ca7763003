#include "engine/statistics/earlier_values.hpp"

#include <algorithm>
#include <cmath>
#include <numbers>
#include <vector>

#include "engine/statistics/statistics.hpp"

namespace gpumem::measure {

namespace {

constexpr std::size_t left_out_of = 10;       // one of so many values
constexpr double spread_of_the_rest = 0.789;  // of a normal distribution without a tenth in its tails

}  // namespace

double student_t_tail(double t, std::size_t degrees) {
  const double angle = std::atan(t / std::sqrt(static_cast<double>(degrees)));
  const double cosine = std::cos(angle);
  const bool odd = degrees % 2 == 1;
  double term = odd ? cosine : 1;
  double sum = degrees == 1 ? 0 : term;
  for (std::size_t i = odd ? 3 : 2; i < degrees; i += 2) {
    const auto step = static_cast<double>(i);
    term *= cosine * cosine * (step - 1) / step;
    sum += term;
  }
  const double within = odd ? 2 / std::numbers::pi * (angle + std::sin(angle) * sum) : std::sin(angle) * sum;
  return (1 - within) / 2;
}

double student_t_quantile(double chance, std::size_t degrees) {
  double low = 0;
  double high = 1;
  while (student_t_tail(high, degrees) > chance && high < 1e9) high *= 2;
  constexpr int halvings = 60;
  for (int i = 0; i < halvings; ++i) {
    const double middle = (low + high) / 2;
    (student_t_tail(middle, degrees) > chance ? low : high) = middle;
  }
  return high;
}

NoiseLimit noise_limit(std::span<const double> earlier, double least_spread, double chance) {
  NoiseLimit limit;
  limit.median = estimate_median(earlier).median;
  std::vector<double> off;
  for (const double value : earlier) off.push_back(std::abs(std::log(value / limit.median)));
  std::ranges::sort(off);
  const std::size_t left_out = off.size() / left_out_of;
  off.resize(off.size() - left_out);
  double squares = 0;
  for (const double distance : off) squares += distance * distance;
  const std::size_t degrees = off.size() - 1;
  const double own = std::sqrt(squares / static_cast<double>(degrees)) / (left_out > 0 ? spread_of_the_rest : 1);
  limit.spread = std::max(own, least_spread);
  const double prediction = std::sqrt(1 + std::numbers::pi / 2 / static_cast<double>(earlier.size()));
  const double explained = student_t_quantile(chance, degrees) * limit.spread * prediction;
  limit.lowest = limit.median * std::min(std::exp(-explained), 1 - least_slowdown);
  return limit;
}

}  // namespace gpumem::measure
