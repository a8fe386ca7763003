// Pitch: the rows of a 2-D array, one right behind the other or each padded as cudaMallocPitch does. If the width is no
// multiple of a sector, every row starts somewhere else in a sector, and its requests touch one sector more.

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "engine/base/error.hpp"
#include "probes/global/pitch/pitch.hpp"
#include "probes/global/placement.cuh"

namespace gpumem::global {

template <>
struct KernelsOf<RowPlacement> {
  using Shapes = ShapesOfAllWords<RowPlacement::parts>;
};

/// cudaMallocPitch pads rows to a multiple of this, for predictions without a device to ask. Its documentation promises
/// no more than that rows stay aligned; 512 bytes is what textures need (cudaDevAttrTextureAlignment).
constexpr std::uint64_t usual_pitch_bytes = 512;
constexpr std::uint64_t most_rows = (std::uint64_t{1} << 31U) - 1;

/// A case in numbers.
struct Rows {
  bool pitched;
  std::uint32_t width;
  std::uint32_t word_bytes;
  Walk walk;

  explicit Rows(const Case& chosen)
      : pitched(chosen[axis::pitched]),
        width(chosen[axis::width_elements]),
        word_bytes(chosen[axis::word_bytes]),
        walk(chosen[axis::walk]) {}

  [[nodiscard]] std::uint64_t row_bytes() const { return std::uint64_t{width} * word_bytes; }
  /// The number of rows in the buffer, rounded down to row_multiple() of the walk, but not to 0.
  [[nodiscard]] std::uint64_t rows(std::uint64_t buffer_bytes) const {
    const std::uint64_t multiple = row_multiple(walk);
    return std::max(buffer_bytes / row_bytes() / multiple, std::uint64_t{1}) * multiple;
  }
  /// The placement of the rows; if they are pitched, they start `pitch_bytes` apart.
  [[nodiscard]] RowPlacement placement(std::uint64_t buffer_bytes, std::uint64_t pitch_bytes) const {
    const std::uint64_t step_bytes = pitched ? pitch_bytes : row_bytes();
    return {walk, word_bytes, rows(buffer_bytes), width, static_cast<std::uint32_t>(step_bytes / word_bytes)};
  }
};

static RowPlacement usual_placement(const Case& sized) {
  const Rows rows(sized);
  const std::uint64_t pitch_bytes = (rows.row_bytes() + usual_pitch_bytes - 1) / usual_pitch_bytes * usual_pitch_bytes;
  return rows.placement(sized[axis::buffer_bytes], pitch_bytes);
}

/// The pitch that cudaMallocPitch chooses on the current device.
static std::uint64_t ask_for_pitch(std::uint64_t row_bytes) {
  void* rows = nullptr;
  std::size_t pitch_bytes = 0;
  measure::check(cudaMallocPitch(&rows, &pitch_bytes, row_bytes, 2), "allocate two rows with cudaMallocPitch");
  measure::check(cudaFree(rows), "free the rows");
  return pitch_bytes;
}

/// Down a column, a sector has long left L1 when most of its elements are asked for.
static Modelling modelling_of_pitch(const Case& tested) {
  return tested[axis::walk] == Walk::column ? Modelling::simulated : Modelling::summed;
}

static void validate_rows(const Case& chosen) {
  if (!has_buffer(chosen)) return;
  const Rows rows(chosen);
  const std::uint64_t buffer = chosen[axis::buffer_bytes];
  const std::uint64_t least = rows.row_bytes() * row_multiple(rows.walk);
  const std::string what = "--buffer " + std::to_string(buffer) + " is ";
  const std::string of_rows =
      " rows of " + std::to_string(rows.width) + " " + std::to_string(rows.word_bytes) + "-byte elements; use ";
  if (buffer < least) {
    throw usage_error(what + "less than " + std::to_string(row_multiple(rows.walk)) + of_rows + "at least " +
                      std::to_string(least) + ", or a smaller --width");
  }
  if (rows.rows(buffer) > most_rows) {
    throw usage_error(what + "more than " + std::to_string(most_rows) + of_rows + "a larger --width");
  }
}

static std::vector<Axis> row_axes() {
  Axis buffer = buffer_axis();
  buffer.purpose = "useful bytes per array, in whole rows; auto is 16 times the L2";
  return {axis::width_elements({.flag = "width",
                                .unit = "elements",
                                .purpose = "elements per row; a sector holds 8 of 4 bytes",
                                .defaults = "4096..4104",
                                .quick = "4096,4097",
                                .minimum = 1,
                                .maximum = 1U << 24U}),
          axis::pitched({.flag = "rows",
                         .purpose = "one row right behind the other, or each padded as cudaMallocPitch does",
                         .value_optional = true}),
          axis::walk(
              {.flag = "walk",
               .purpose = "elements that a warp accesses at once: 32 of a row, 32 of a column, or 8 of each of 4 rows",
               .quick = "row"}),
          op_axis(),
          word_bytes_axis(),
          std::move(buffer)};
}

static Probe pitch_probe() {
  Probe probe;
  probe.name = "pitch";
  probe.purpose = "rows of a 2-D array, padded or not: what an odd width costs";
  probe.family = Family::global;
  probe.axes = row_axes();
  probe.compared = axis::pitched.name;
  probe.baseline = std::string("plain");
  probe.validate = validate_rows;
  run_placed(probe, usual_placement, modelling_of_pitch);
  probe.prepare = [](const Case& decided, measure::Session& session) {
    const Rows rows(decided);
    const std::uint64_t pitch_bytes = rows.pitched ? ask_for_pitch(rows.row_bytes()) : 0;
    return prepare_placed(decided, rows.placement(decided[axis::buffer_bytes], pitch_bytes), session);
  };
  probe.conclude = conclude_pitch;
  return probe;
}

GPUMEM_PROBE(pitch_probe);

}  // namespace gpumem::global
