// Stride: neighbouring threads a number of elements apart, as when a kernel reads one column of a row-major matrix or
// one field of an array of structures. The useful bytes stay the same while ever more of each sector goes unused.

#include "probes/global/global_probe.cuh"

namespace gpumem::global {

struct StridePattern {
  std::uint64_t stride;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const { return i * stride; }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t) const { return true; }
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return count * stride; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const { return count; }
  [[nodiscard]] constexpr PatternPeriod period() const {
    return {.accesses = 1, .growth_elements = static_cast<std::int64_t>(stride)};
  }
};

namespace axis {
constexpr Number stride_elements{"stride_elements"};
}

static Probe stride_probe() {
  return make_probe("stride", "strided access: what unused parts of sectors cost",
                    axis::stride_elements({.flag = "stride",
                                           .unit = "elements",
                                           .purpose = "distance between the elements of neighbouring threads",
                                           .defaults = "1..32",
                                           .quick = "1,2,4,8,16,32",
                                           .minimum = 1,
                                           .maximum = 1U << 16U}),
                    std::uint64_t{1}, [](const Case& tested) { return StridePattern{tested[axis::stride_elements]}; });
}

GPUMEM_PROBE(stride_probe);

}  // namespace gpumem::global
