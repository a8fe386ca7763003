#pragma once
// The steps of GeLU in its tanh form, y = x / 2 (1 + tanh(sqrt(2 / pi) (x + 0.044715 x^3))), and the values between
// which every computed y lies.

#include <cmath>

#include "engine/access/host_device.hpp"
#include "probes/real_format.hpp"

namespace gpumem::kernels {

/// The steps in their order. Each makes a new t of the t before it, the first of x.
enum class GeluStep : unsigned { square, cube, scale_cube, add_x, scale_sum, tanh, add_one, times_x, halve };
inline constexpr unsigned gelu_steps = 9;

inline constexpr double gelu_cubic = 0.044715;
inline constexpr double gelu_scale = 0.79788456080286535588;  ///< sqrt(2 / pi)

/// True if the step reads x beside t.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr bool reads_x_too(GeluStep step) {
  return step == GeluStep::cube || step == GeluStep::add_x || step == GeluStep::times_x;
}

/// Returns a step of t as if nothing were rounded.
[[nodiscard]] GPUMEM_HOST_DEVICE inline double exact_step(GeluStep step, double t, double x) {
  switch (step) {
    case GeluStep::square:
      return t * t;
    case GeluStep::cube:
    case GeluStep::times_x:
      return t * x;
    case GeluStep::scale_cube:
      return gelu_cubic * t;
    case GeluStep::add_x:
      return x + t;
    case GeluStep::scale_sum:
      return gelu_scale * t;
    case GeluStep::tanh:
      return tanh(t);
    case GeluStep::add_one:
      return 1 + t;
    case GeluStep::halve:
      return t / 2;
  }
  return t;
}

/// Returns the most by which a step in float is off, as a share of its result. A rounding is half an epsilon of float,
/// and a little more for products of roundings and for those of double precision. The two constants are rounded as
/// well. Tanh is off by 1 ulp, which is two roundings (CUDA C++ Programming Guide, mathematical functions); that was
/// measured and not proven, so twice as much is allowed.
[[nodiscard]] GPUMEM_HOST_DEVICE constexpr double share_off(GeluStep step) {
  constexpr double rounding = 0x1.0001p-24;
  if (step == GeluStep::tanh) return 4 * rounding;
  if (step == GeluStep::scale_cube || step == GeluStep::scale_sum) return 2 * rounding;
  return rounding;
}

/// Two numbers, and all between them.
struct Interval {
  double low;
  double high;

  [[nodiscard]] GPUMEM_HOST_DEVICE bool contains(double value) const { return low <= value && value <= high; }
};

/// Returns where y may lie for an x that is exact. Every step is computed in float. Its result is rounded to the stored
/// type if each step stores its t, else that of the last step alone. Rounding to the nearest and every step but the
/// square, which is that of x, are monotone in t. So the two ends of the interval bound all between them (Moore,
/// Kearfott and Cloud, Introduction to Interval Analysis).
[[nodiscard]] GPUMEM_HOST_DEVICE inline Interval gelu_interval(double x, const RealFormat& stored,
                                                               bool stores_every_step) {
  Interval t{x, x};
  for (unsigned k = 0; k < gelu_steps; ++k) {
    const auto step = static_cast<GeluStep>(k);
    const double of_low = exact_step(step, t.low, x);
    const double of_high = t.high == t.low ? of_low : exact_step(step, t.high, x);
    t = {fmin(of_low, of_high), fmax(of_low, of_high)};
    t.low -= share_off(step) * fabs(t.low);
    t.high += share_off(step) * fabs(t.high);
    if (stores_every_step || k + 1 == gelu_steps) t = {stored.nearest(t.low), stored.nearest(t.high)};
  }
  return t;
}

}  // namespace gpumem::kernels
