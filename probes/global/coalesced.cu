// Coalesced: which lane of a warp takes which element does not matter as long as the warp stays within the same
// sectors, and leaving lanes out does not make a request cheaper.

#include "probes/global/global_probe.cuh"

namespace gpumem::global {

struct LanePattern {
  enum class Lanes : std::uint32_t { aligned, permuted, reversed, subset };
  Lanes lanes;

  /// Within each run of 32 elements: lane -> element. 5 lane + 3 (mod 32) is a permutation, 5 being odd, that leaves no
  /// two neighbouring lanes with neighbouring elements.
  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t i) const {
    const std::uint64_t lane = i % 32;
    switch (lanes) {
      case Lanes::permuted:
        return i - lane + (5 * lane + 3) % 32;
      case Lanes::reversed:
        return i - lane + (31 - lane);
      default:
        return i;
    }
  }
  /// The subset is every other lane: half of the words, yet bytes of every sector.
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t i) const { return lanes != Lanes::subset || i % 2 == 0; }
  /// Whole runs of 32, because a permutation may reach the end of the last.
  [[nodiscard]] constexpr std::uint64_t extent(std::uint64_t count) const { return (count + 31) / 32 * 32; }
  [[nodiscard]] constexpr std::uint64_t useful(std::uint64_t count) const {
    return lanes == Lanes::subset ? (count + 1) / 2 : count;
  }
};

static LanePattern lane_pattern(const Case& one) {
  const std::string& name = one.name("lanes");
  if (name == "permuted") return {LanePattern::Lanes::permuted};
  if (name == "reversed") return {LanePattern::Lanes::reversed};
  if (name == "subset") return {LanePattern::Lanes::subset};
  return {LanePattern::Lanes::aligned};
}

static Probe coalesced_probe() {
  return make_probe("coalesced", "the order of a warp's lanes within its sectors: it costs nothing",
                    {.flag = "lanes",
                     .parameter = "lanes",
                     .unit = "",
                     .purpose = "which lane takes which of the warp's elements; subset leaves out every other lane",
                     .defaults = "aligned,permuted,reversed,subset",
                     .quick = "",
                     .names = {"aligned", "permuted", "reversed", "subset"}},
                    std::string("aligned"), lane_pattern);
}

GPUMEM_PROBE(coalesced_probe);

}  // namespace gpumem::global
