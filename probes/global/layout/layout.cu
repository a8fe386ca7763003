// Layout: an array of structures, with the fields of one side by side, or structures of arrays, with the fields of one
// kind side by side. Neighbouring threads take neighbouring structures: what is side by side decides how many sectors
// their requests touch.

#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/global/layout/layout.hpp"
#include "probes/global/placement.cuh"

namespace gpumem::global {

/// Kernels for fields one by one, and for structures of 8, 16 and 32 bytes as vectors.
template <>
struct KernelsOf<LayoutPlacement> {
  using Shapes =
      ShapeList<Shape<std::uint32_t, 1>, Shape<std::uint32_t, 2>, Shape<std::uint32_t, 3>, Shape<std::uint32_t, 4>,
                Shape<std::uint32_t, 5>, Shape<std::uint32_t, 6>, Shape<std::uint32_t, 7>, Shape<std::uint32_t, 8>,
                Shape<uint2, 1>, Shape<uint4, 1>, Shape<uint4, 2>>;
};

static LayoutPlacement placement_of(const Case& sized) {
  const bool one_field = sized[axis::one_field];
  const std::uint32_t structure_bytes = sized[axis::structure_bytes];
  std::uint64_t structures = sized[axis::buffer_bytes] / (one_field ? field_bytes : structure_bytes);
  // Whole blocks, each of which has at most 1024 structures. Otherwise the last request would be like no other.
  constexpr std::uint64_t block = 1024;
  if (structures >= block) structures = structures / block * block;
  return layout_placement(sized[axis::layout], structure_bytes, one_field, structures);
}

/// If several instructions share a structure's sectors, stores complete the sectors part by part.
static Modelling modelling_of_layout(const Case& tested) {
  constexpr std::uint32_t most_words = 4;
  const LayoutPlacement placement = placement_of(tested);
  const bool shares = placement.words > 1 && placement.per_structure > 1;
  if (!shares) return Modelling::summed;
  if (tested[axis::op] != Op::read) return Modelling::none;
  return placement.words <= most_words ? Modelling::summed : Modelling::simulated;
}

static void validate_layout(const Case& chosen) {
  if (!has_buffer(chosen)) return;
  const std::uint64_t buffer = chosen[axis::buffer_bytes];
  const std::uint64_t structure = chosen[axis::structure_bytes];
  if (buffer >= structure) return;
  throw usage_error("--buffer " + std::to_string(buffer) + " has no room for a structure of " +
                    std::to_string(structure) + " bytes; use at least " + std::to_string(structure));
}

static std::vector<Axis> layout_axes() {
  Axis buffer = buffer_axis();
  buffer.purpose = "useful bytes per array, in whole structures; auto is 16 times the L2";
  return {
      axis::structure_bytes({.flag = "structure-bytes",
                             .unit = "bytes",
                             .purpose = "size of a structure, in fields of 4 bytes",
                             .defaults = "4..32:4",
                             .quick = "8,12,16",
                             .numbers = {4, 8, 12, 16, 20, 24, 28, 32}}),
      axis::layout({.flag = "layout",
                    .purpose =
                        "array of structures, the same padded and aligned to vector words, an array for each field, or "
                        "those in tiles of 32 structures",
                    .value_optional = true}),
      axis::one_field({.flag = "fields",
                       .purpose = "fields of its structure that a thread accesses: all, or the first alone",
                       .quick = "all"}),
      op_axis(), std::move(buffer)};
}

static Probe layout_probe() {
  Probe probe;
  probe.name = "layout";
  probe.purpose = "arrays of structures against structures of arrays";
  probe.family = Family::global;
  probe.axes = layout_axes();
  probe.compared = axis::layout.name;
  probe.baseline = std::string("soa");
  probe.validate = validate_layout;
  run_placed(probe, placement_of, modelling_of_layout);
  probe.describe = [describe = probe.describe](const Case& decided, const Device& device) {
    Workload workload = describe(decided, device);
    const std::uint64_t useful = placement_of(decided).useful_bytes;
    if (workload.useful_bytes_read > 0) workload.useful_bytes_read = useful;
    if (workload.useful_bytes_written > 0) workload.useful_bytes_written = useful;
    return workload;
  };
  probe.conclude = conclude_layout;
  return probe;
}

GPUMEM_PROBE(layout_probe);

}  // namespace gpumem::global
