#pragma once
// Memory of the GPU. A watched program must get as much of it as it would get by itself.

#include <cstdint>

#include "program/watch/driver.hpp"
#include "program/watch/output.hpp"

namespace gpumem::inject {

/// Tells whether a context's GPU can spare memory. After a refusal it does not ask the driver again for a second,
/// because asking takes time.
class Room {
 public:
  /// Returns true if `bytes`, and 64 MiB for the driver, are free in the current context. The driver takes memory
  /// without asking, for code that is loaded when it is first launched.
  [[nodiscard]] bool has(std::uint64_t bytes) {
    constexpr std::uint64_t of_the_driver = std::uint64_t{64} << 20U;
    constexpr std::uint64_t next_try_ns = 1'000'000'000;
    if (refused_ns_ != 0 && now_ns() - refused_ns_ < next_try_ns) return false;
    std::size_t available = 0;
    std::size_t all = 0;
    const bool fits = driver().cuMemGetInfo(&available, &all) == CUDA_SUCCESS && available >= bytes + of_the_driver;
    refused_ns_ = fits ? 0 : now_ns();
    return fits;
  }

 private:
  std::uint64_t refused_ns_ = 0;
};

}  // namespace gpumem::inject
