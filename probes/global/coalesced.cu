// Coalesced: which lane of a warp takes which element does not matter as long as the warp stays within the same
// sectors, and leaving lanes out does not make a request cheaper.

#include "probes/global/global_probe.cuh"

namespace gpumem::global {

/// Within each run of 32 elements, lane l takes element (multiplier l + addend) mod 32: a permutation for every odd
/// multiplier, written without a branch so that choosing costs nothing. Lanes with a bit of `left_out` sit out.
struct LanePattern {
  std::uint32_t multiplier;
  std::uint32_t addend;
  std::uint32_t left_out;

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    // Flips what changes of the low five bits: cheap, because stores of small words have few cycles to spare.
    const auto low = static_cast<std::uint32_t>(i);
    return i ^ ((low ^ (multiplier * low + addend)) & 31U);
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t i) const {
    return (static_cast<std::uint32_t>(i) & left_out) == 0;
  }
  /// Whole runs of 32, because a permutation may reach the end of the last.
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return (count + 31) / 32 * 32; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const {
    return left_out == 0 ? count : (count + 1) / 2;
  }
  /// Nothing but the low five bits of i decides what is flipped, and whether it is left out.
  [[nodiscard]] constexpr PatternPeriod period() const { return {.accesses = 32, .growth_elements = 32}; }
};

namespace axis {
constexpr Choice<LanePattern> lanes{"lanes",
                                    {{"aligned", {.multiplier = 1, .addend = 0, .left_out = 0}},
                                     {"permuted", {.multiplier = 5, .addend = 3, .left_out = 0}},
                                     {"reversed", {.multiplier = 31, .addend = 31, .left_out = 0}},
                                     // Every other lane: half of the words, yet bytes of every sector.
                                     {"subset", {.multiplier = 1, .addend = 0, .left_out = 1}}}};
}

static Probe coalesced_probe() {
  return make_probe(
      "coalesced", "the order of a warp's lanes within sectors: it costs nothing",
      axis::lanes({.flag = "lanes",
                   .purpose = "order of the lanes over the warp's elements; subset leaves out every other lane"}),
      std::string("aligned"), [](const Case& tested) { return tested[axis::lanes]; });
}

GPUMEM_PROBE(coalesced_probe);

}  // namespace gpumem::global
