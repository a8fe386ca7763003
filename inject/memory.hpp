#pragma once
// Memory of the GPU. The program is to get all that it gets by itself.

#include <cstdint>

#include "inject/driver.hpp"

namespace gpumem::inject {

/// Whether the current context's GPU can spare so many bytes: there is more than the driver takes, without asking, for
/// code that is loaded when it is first launched.
[[nodiscard]] inline bool has_room(std::uint64_t bytes) {
  constexpr std::uint64_t of_the_driver = std::uint64_t{64} << 20U;
  std::size_t available = 0;
  std::size_t all = 0;
  return driver().cuMemGetInfo(&available, &all) == CUDA_SUCCESS && available >= bytes + of_the_driver;
}

}  // namespace gpumem::inject
