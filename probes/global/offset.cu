// Offset: every access shifted by a number of elements, as when a kernel works on a slice of an array. Off a sector
// boundary each request touches one sector more.

#include "probes/global/global_probe.cuh"

namespace gpumem::global {

struct OffsetPattern {
  std::uint64_t offset;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const { return i + offset; }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return count + offset; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr PatternPeriod period() const { return {.accesses = 1, .growth_elements = 1}; }
};

namespace axis {
constexpr Number offset_elements{"offset_elements"};
}

static Probe offset_probe() {
  return make_probe("offset", "shifted access: what misalignment costs",
                    axis::offset_elements({.flag = "offset",
                                           .unit = "elements",
                                           .purpose = "elements every access is shifted by from an aligned start",
                                           .defaults = "0..32",
                                           .quick = "0,1,8,16",
                                           .maximum = 1U << 20U}),
                    std::uint64_t{0}, [](const Case& tested) { return OffsetPattern{tested[axis::offset_elements]}; });
}

GPUMEM_PROBE(offset_probe);

}  // namespace gpumem::global
