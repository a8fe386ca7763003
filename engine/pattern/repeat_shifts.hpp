#pragma once
// The shifts from one repeat of a block of indices to the next: by one delta, or by several that take turns.

#include <cstdint>
#include <limits>
#include <optional>
#include <span>
#include <vector>

namespace gpumem::pattern {

/// No index is larger: what is computed from one in signed 64-bit arithmetic begins with what the file says.
inline constexpr std::uint64_t most_index = std::numeric_limits<std::int64_t>::max();

/// The shift of each repeat, in elements. Repeat 0 comes first, and repeat r + 1 lies deltas[r % deltas.size()] further
/// on than repeat r, or further back. The repeat that lies lowest is shifted by 0, so that no element becomes negative.
class RepeatShifts {
 public:
  RepeatShifts() : RepeatShifts(1, std::uint64_t{0}) {}
  /// Throws std::logic_error for no repeat, and std::length_error where a shift would exceed most_index.
  RepeatShifts(std::uint64_t repeats, std::uint64_t delta);
  /// At least one delta.
  RepeatShifts(std::uint64_t repeats, std::span<const std::int64_t> deltas);

  [[nodiscard]] std::uint64_t repeats() const noexcept { return repeats_; }

  /// The shift of repeat r < repeats().
  [[nodiscard]] std::uint64_t operator()(std::uint64_t r) const noexcept {
    const std::uint64_t turns = prefix_.size();
    const std::uint64_t round = turns == 1 ? r : r / turns;  // the division would take longer than all else
    const std::uint64_t turn = turns == 1 ? 0 : r % turns;
    return start_ + static_cast<std::uint64_t>(prefix_[turn]) + static_cast<std::uint64_t>(growth_) * round;
  }

  /// The largest shift of the first `repeats` of them, at least one.
  [[nodiscard]] std::uint64_t highest(std::uint64_t repeats) const;
  /// The first repeat that is shifted by `least` or more.
  [[nodiscard]] std::optional<std::uint64_t> first_from(std::uint64_t least) const;

  /// The number of repeats after which all shifts come again, each larger by growth().
  [[nodiscard]] std::uint64_t period() const noexcept { return prefix_.size(); }
  /// The growth of shifts in a period; negative if they go down.
  [[nodiscard]] std::int64_t growth() const noexcept { return growth_; }

 private:
  std::uint64_t repeats_;
  std::uint64_t start_ = 0;           ///< shift of repeat 0
  std::vector<std::int64_t> prefix_;  ///< from there to the repeats of the first period
  std::int64_t growth_ = 0;
};

}  // namespace gpumem::pattern
