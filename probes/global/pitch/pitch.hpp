#pragma once
// The rows of a 2-D array and the ways to walk them: the accesses of the probe `pitch`.

#include <cstdint>
#include <numeric>
#include <span>

#include "engine/access/host_device.hpp"
#include "engine/access/request.hpp"
#include "probes/global/divisor.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

/// The elements that a warp accesses with one instruction and with the next, and the elements of the next warp.
enum class Walk {
  row,     ///< 32 of a row; of the next row, 4 in all; the next 32 of those rows
  tile,    ///< 8 of each of 4 rows, a sector of 4-byte words; of the next 4, 16 in all; the next 8 of those rows
  column,  ///< 32 of a column; the next 32 of it, 128 in all; and the next 128
};

namespace axis {
inline constexpr Number<std::uint32_t> width_elements{"width_elements"};
inline constexpr Choice<bool> pitched{"rows", {{"plain", false}, {"pitched", true}}};
inline constexpr Choice<Walk> walk{"walk", {{"row", Walk::row}, {"column", Walk::column}, {"tile", Walk::tile}}};
}  // namespace axis

/// A placement (placement.hpp) of `rows` rows of `width` elements, each starting `pitch` elements after the last. If
/// the width is no multiple of the elements that a warp takes of a row, the last warp of a row is cut off. Rows are a
/// multiple of row_multiple(walk), so that none is below the last. For less than 2^31 rows, and a pitch of less than
/// 2^25 elements.
class RowPlacement {
 public:
  static constexpr std::uint32_t parts = 4;  ///< that a warp accesses one after another

  RowPlacement(Walk walk, std::uint32_t word_bytes, std::uint64_t rows, std::uint32_t width, std::uint32_t pitch);

  GPUMEM_HOST_DEVICE constexpr std::uint64_t operator()(std::uint64_t thread, std::uint32_t which) const {
    const Place at = place_of(thread);
    return std::uint64_t{at.line} * line_elements_ + std::uint64_t{at.step} * step_elements_ +
           std::uint64_t{which} * piece_elements_ + ((at.lane >> lane_columns_log2_) * pitch_ + lane_column(at));
  }
  GPUMEM_HOST_DEVICE constexpr bool active(std::uint64_t thread, std::uint32_t /*which*/) const {
    const Place at = place_of(thread);
    const std::uint32_t column = at.line * line_columns_ + at.step * step_columns_ + lane_column(at);
    return at.line < lines_ && column < width_;
  }
  /// The elements of a warp's lanes at once.
  struct Warp {
    std::uint64_t first;   ///< the element of the first lane
    std::uint32_t active;  ///< a bit for each lane that accesses its element
  };
  [[nodiscard]] Warp of_warp(std::uint64_t warp, std::uint32_t which) const {
    const Place at = place_of(warp * access::warp_lanes);
    if (at.line >= lines_) return {0, 0};
    const std::uint64_t first = std::uint64_t{at.line} * line_elements_ + std::uint64_t{at.step} * step_elements_ +
                                std::uint64_t{which} * piece_elements_;
    const std::uint32_t column = at.line * line_columns_ + at.step * step_columns_;
    const std::uint32_t columns = 1U << lane_columns_log2_;
    const std::uint32_t there = column < width_ ? width_ - column : 0;
    if (there >= columns) return {first, ~std::uint32_t{0}};
    std::uint32_t active = 0;
    for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
      active |= std::uint32_t{(lane & (columns - 1)) < there} << lane;
    }
    return {first, active};
  }
  /// Returns how many elements the one of a lane lies behind where its warp's begin: the same for all warps.
  [[nodiscard]] std::uint64_t lane_offset(std::uint32_t lane) const {
    return (lane >> lane_columns_log2_) * pitch_ + (lane & ((1U << lane_columns_log2_) - 1));
  }
  [[nodiscard]] std::uint32_t word_bytes() const { return word_bytes_; }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t elements_per_thread() const { return parts; }
  [[nodiscard]] std::uint64_t threads() const { return std::uint64_t{lines_} * steps_.divisor() * access::warp_lanes; }
  [[nodiscard]] std::uint64_t extent() const { return rows_ * pitch_; }
  [[nodiscard]] std::uint64_t useful() const { return rows_ * width_; }
  /// The warps of a period. It ends before the first line that starts as far into a sector as the first one, for any
  /// word of at least 4 bytes, or for smaller ones of this size.
  [[nodiscard]] std::uint64_t period_warps() const {
    const std::uint32_t most_words =
        access::sector_bytes / (word_bytes_ < sizeof(std::uint32_t) ? word_bytes_ : sizeof(std::uint32_t));
    return std::uint64_t{most_words / std::gcd(line_elements_, most_words)} * steps_.divisor();
  }

 private:
  /// A warp takes a step along a line: along some rows, or down a column.
  struct Place {
    std::uint32_t line;
    std::uint32_t step;
    std::uint32_t lane;
  };
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr Place place_of(std::uint64_t thread) const {
    const auto warp = static_cast<std::uint32_t>(thread / access::warp_lanes);
    const std::uint32_t line = steps_.quotient(warp);
    return {line, warp - line * steps_.divisor(), static_cast<std::uint32_t>(thread % access::warp_lanes)};
  }
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint32_t lane_column(const Place& at) const {
    return at.lane & ((1U << lane_columns_log2_) - 1);
  }

  Divisor steps_;  ///< in a line
  std::uint32_t lines_;
  std::uint32_t lane_columns_log2_;  ///< of what a warp accesses at once
  std::uint32_t line_elements_;      ///< from one line to the next
  std::uint32_t line_columns_;
  std::uint32_t step_elements_;  ///< from one step to the next
  std::uint32_t step_columns_;
  std::uint32_t piece_elements_;  ///< from one of a thread's elements to the next
  std::uint32_t width_;
  std::uint32_t pitch_;
  std::uint32_t word_bytes_;
  std::uint64_t rows_;
};

/// The number that rows must be a multiple of. It is at least 32, so that the alignment of rows repeats after the last.
[[nodiscard]] constexpr std::uint64_t row_multiple(Walk walk) {
  return walk == Walk::column ? std::uint64_t{access::warp_lanes} * RowPlacement::parts : access::warp_lanes;
}

/// Concludes from cases of one walk, op and word size whether rows are worth padding.
[[nodiscard]] Conclusion conclude_pitch(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
