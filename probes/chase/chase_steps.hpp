#pragma once
// The number of steps that a chase takes, and how many of them stand in a row in its machine code.

#include <cstdint>

namespace gpumem::chase {

/// Steps in a row in the machine code. Between two of them nothing is executed; the loop around them counts while the
/// thread waits for a load. The odd number is one with which the assembler comes round to the same registers: with 16,
/// two moves of the address delay every 16th load.
constexpr unsigned unrolled = 57;
/// Rounds of a launch's steps, of which the last is timed: the first brings code and small footprints into the caches.
constexpr unsigned rounds = 2;
/// Steps of a round: long enough for its beginning and its end not to show, a millisecond or two of device memory.
constexpr std::uint32_t timed_steps = 36 * unrolled;

/// As time_chase() leaves it.
struct ChaseResult {
  std::uint64_t place = 0;
  std::uint32_t cycles = 0;
  std::uint32_t nanoseconds = 0;
};

}  // namespace gpumem::chase
