#pragma once
// A timed chase: one thread takes the steps inside the kernel. The address of each step is what the step before loaded.

#include <cstdint>

#include "engine/measure/global_timer.cuh"
#include "probes/chase/chase_steps.hpp"

namespace gpumem::chase {

/// No place of a chase: addresses and indices are even, sums positive.
template <class Place>
constexpr auto nowhere = static_cast<Place>(-1);

// Does nothing. But the compiler takes it for the code that makes the place, and leaves it behind the clock.
__device__ inline void pin(std::uint64_t& place) { asm volatile("" : "+l"(place)); }
__device__ inline void pin(std::uint32_t& place) { asm volatile("" : "+r"(place)); }
__device__ inline void pin(float& place) { asm volatile("" : "+f"(place)); }

/// Takes `steps` (a positive multiple of `in_a_row`) from `place` in each round. Leaves in `result` how far from
/// `origin` it came, then how long the timed round took: cycles in the lower half, nanoseconds in the upper.
template <unsigned in_a_row, class Place, class Step>
__device__ void time_chase(Place place, Place origin, std::uint32_t steps, std::uint64_t* result, Step step) {
  std::uint64_t start_ns = 0;
  std::uint64_t start = 0;
#pragma unroll 1
  for (unsigned round = 0; round < rounds; ++round) {
    start_ns = measure::global_ns();
    start = clock64();
    pin(place);
    std::uint32_t left = steps;
#pragma unroll 1
    do {
#pragma unroll
      for (unsigned k = 0; k < in_a_row; ++k) step(place);
      left -= in_a_row;
    } while (left != 0);
    // Never true. But the comparison takes the last value, so the clock is read after that has arrived and not while it
    // is on its way: a latency that is measured without this reads low by most of a load.
    if (place == nowhere<Place>) return;
  }
  const auto cycles = static_cast<std::uint32_t>(clock64() - start);
  const auto elapsed_ns = static_cast<std::uint32_t>(measure::global_ns() - start_ns);
  result[0] = static_cast<std::uint64_t>(place - origin);
  result[1] = std::uint64_t{elapsed_ns} << 32U | cycles;
}

}  // namespace gpumem::chase
