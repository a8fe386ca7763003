#pragma once
// The patch (patch.cu) as machine code, for every architecture that gpumem was built for.

#include <cstddef>
#include <span>

namespace gpumem::inject {

struct PatchImage {
  unsigned architecture = 0;  ///< 90 is compute capability 9.0
  const unsigned char* data = nullptr;
  std::size_t size = 0;
};

[[nodiscard]] std::span<const PatchImage> patch_images();

}  // namespace gpumem::inject
