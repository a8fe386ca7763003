#include "probes/user/extent.hpp"

#include <fmt/format.h>

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"
#include "probes/global/launch.hpp"

namespace gpumem::global {

void require_extent(const Case& tested, const Device& device) {
  const std::uint64_t extent = tested[axis::extent_elements];
  const std::uint64_t word = tested[axis::word_bytes];
  if (extent <= device.memory_bytes / word) return;
  const auto [needed, had] = sizes_apart(extent * word, device.memory_bytes);
  throw usage_error(fmt::format(
      "--extent {}: an array of so many elements of {} bytes has {}, the GPU {}; pass a smaller --extent, or "
      "leave it out for arrays as long as the accesses need",
      extent, word, needed, had));
}

}  // namespace gpumem::global
