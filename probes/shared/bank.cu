// Bank: a warp's lanes access shared-memory words a stride apart. A request takes as many wavefronts as the busiest
// bank has distinct words; stride 0 is one word for all lanes, which a load broadcasts.

#include "probes/shared/shared_probe.cuh"

namespace gpumem::shared {

struct BankPattern {
  std::uint32_t stride;

  GPUMEM_HOST_DEVICE constexpr std::uint32_t operator()(std::uint32_t thread, std::uint32_t /*turn*/) const {
    return thread % access::warp_lanes * stride;
  }
  GPUMEM_HOST_DEVICE constexpr std::uint32_t extent() const { return (access::warp_lanes - 1) * stride + 1; }
};

namespace axis {
constexpr Number<std::uint32_t> stride_words{"stride_words"};
}

static Probe bank_probe() {
  return make_probe(
      "bank", "strided accesses of shared memory: what bank conflicts cost",
      {axis::stride_words({.flag = "bank-stride",
                           .unit = "words",
                           .purpose = "distance between the words of neighbouring lanes; 0 broadcasts one word",
                           .defaults = "0..33",
                           .quick = "0,1,2,4,8,16,32,33",
                           .maximum = 1024})},
      std::uint64_t{1}, [](const Case& tested) { return BankPattern{tested[axis::stride_words]}; });
}

GPUMEM_PROBE(bank_probe);

}  // namespace gpumem::shared
