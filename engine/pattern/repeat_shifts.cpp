#include "engine/pattern/repeat_shifts.hpp"

#include <algorithm>
#include <array>
#include <stdexcept>

namespace gpumem::pattern {

namespace {

__extension__ using Wide = __int128;  // products of two numbers of 63 bits

std::int64_t narrow(Wide value) {
  constexpr Wide most = most_index;
  if (value > most || value < -most) throw std::length_error("a shift exceeds 63 bits");
  return static_cast<std::int64_t>(value);
}

std::array<std::int64_t, 1> one_delta(std::uint64_t delta) { return {narrow(static_cast<Wide>(delta))}; }

}  // namespace

RepeatShifts::RepeatShifts(std::uint64_t repeats, std::uint64_t delta) : RepeatShifts(repeats, one_delta(delta)) {}

RepeatShifts::RepeatShifts(std::uint64_t repeats, std::span<const std::int64_t> deltas) : repeats_(repeats) {
  if (repeats == 0 || deltas.empty()) throw std::logic_error("shifts are of one repeat at least, by some delta");
  const std::uint64_t turns = std::min<std::uint64_t>(deltas.size(), repeats);
  Wide sum = 0;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    prefix_.push_back(narrow(sum));
    sum += deltas[turn];
  }
  if (repeats > turns) growth_ = narrow(sum);
  // Each turn is linear in the rounds: its lowest and its highest shift are the first or the last.
  Wide lowest = 0;
  Wide highest = 0;
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const Wide last = prefix_[turn] + static_cast<Wide>(growth_) * ((repeats - 1 - turn) / turns);
    lowest = std::min({lowest, Wide{prefix_[turn]}, last});
    highest = std::max({highest, Wide{prefix_[turn]}, last});
  }
  start_ = static_cast<std::uint64_t>(narrow(-lowest));
  static_cast<void>(narrow(highest - lowest));
}

std::uint64_t RepeatShifts::highest(std::uint64_t repeats) const {
  std::uint64_t result = 0;
  const std::uint64_t turns = prefix_.size();
  for (std::uint64_t turn = 0; turn < std::min(turns, repeats); ++turn) {
    const std::uint64_t last = (repeats - 1 - turn) / turns * turns + turn;
    result = std::max({result, (*this)(turn), (*this)(last)});
  }
  return result;
}

std::optional<std::uint64_t> RepeatShifts::first_from(std::uint64_t least) const {
  std::optional<std::uint64_t> first;
  const std::uint64_t turns = prefix_.size();
  for (std::uint64_t turn = 0; turn < turns; ++turn) {
    const std::uint64_t begins = (*this)(turn);
    std::uint64_t round = 0;
    if (begins < least) {
      if (growth_ <= 0) continue;
      const auto growth = static_cast<std::uint64_t>(growth_);
      round = (least - begins - 1) / growth + 1;
    }
    if (round > (repeats_ - 1 - turn) / turns) continue;
    first = std::min(first.value_or(repeats_), round * turns + turn);
  }
  return first;
}

}  // namespace gpumem::pattern
