#include "probes/global/pitch/pitch.hpp"

namespace gpumem::global {

namespace {

constexpr std::uint32_t tile_columns_log2 = 3;
constexpr std::uint32_t warp_columns_log2 = 5;

}  // namespace

RowPlacement::RowPlacement(Walk walk, std::uint32_t word_bytes, std::uint64_t rows, std::uint32_t width,
                           std::uint32_t pitch)
    : steps_(1), width_(width), pitch_(pitch), word_bytes_(word_bytes), rows_(rows) {
  if (walk == Walk::column) {
    constexpr std::uint32_t step_rows = access::warp_lanes * parts;
    steps_ = Divisor(static_cast<std::uint32_t>(rows / step_rows));
    lines_ = width;
    lane_columns_log2_ = 0;
    line_elements_ = 1;
    line_columns_ = 1;
    step_elements_ = step_rows * pitch;
    step_columns_ = 0;
    piece_elements_ = access::warp_lanes * pitch;
    return;
  }
  lane_columns_log2_ = walk == Walk::tile ? tile_columns_log2 : warp_columns_log2;
  const std::uint32_t columns = 1U << lane_columns_log2_;
  const std::uint32_t piece_rows = access::warp_lanes / columns;
  steps_ = Divisor((width + columns - 1) / columns);
  lines_ = static_cast<std::uint32_t>(rows / (piece_rows * parts));
  line_elements_ = piece_rows * parts * pitch;
  line_columns_ = 0;
  step_elements_ = columns;
  step_columns_ = columns;
  piece_elements_ = piece_rows * pitch;
}

}  // namespace gpumem::global
