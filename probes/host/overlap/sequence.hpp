#pragma once
// Arithmetic that takes time and whose result is known: the linear congruential sequence x -> 1664525 x + 1013904223
// modulo 2^32 (Press et al., Numerical Recipes, 7.1), step by step, and all its steps at once.

#include "engine/access/host_device.hpp"

namespace gpumem::host {

inline constexpr std::uint32_t sequence_multiplier = 1664525;
inline constexpr std::uint32_t sequence_increment = 1013904223;

/// `steps` steps one after another: work for a processor.
[[nodiscard]] constexpr std::uint32_t walk(std::uint32_t x, std::uint64_t steps) {
  for (std::uint64_t k = 0; k < steps; ++k) x = x * sequence_multiplier + sequence_increment;
  return x;
}

/// Any number of steps as one multiplication and one addition.
struct Leap {
  std::uint32_t multiplier = 1;
  std::uint32_t increment = 0;

  [[nodiscard]] constexpr std::uint32_t operator()(std::uint32_t x) const { return x * multiplier + increment; }
  /// This leap, and `next` from where it ends.
  [[nodiscard]] constexpr Leap then(const Leap& next) const { return {multiplier * next.multiplier, next(increment)}; }
};

/// The leap over `steps` steps, from those over powers of two.
[[nodiscard]] constexpr Leap leap_over(std::uint64_t steps) {
  Leap leap;
  for (Leap power{sequence_multiplier, sequence_increment}; steps != 0; steps >>= 1U, power = power.then(power)) {
    if ((steps & 1U) != 0) leap = leap.then(power);
  }
  return leap;
}

}  // namespace gpumem::host
