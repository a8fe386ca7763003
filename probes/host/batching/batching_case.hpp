#pragma once
// A case of the batching probe in numbers, and what its cases show together.

#include <cstdint>
#include <span>

#include "probes/host/whole_words.hpp"
#include "probes/probe.hpp"

namespace gpumem::host {

enum class Batching { separate, packed, batched };

namespace axis {
inline constexpr Number copies{"copies", &count_phrase};
inline constexpr Choice<Batching> batching{"batching", {"separate", "packed", "batched"}};
inline constexpr Choice<bool> to_device{"direction", {{"to-device", true}, {"to-host", false}}};
}  // namespace axis

/// The pieces of a case: contiguous on the device, each followed by a gap of its own size in host memory.
struct Pieces {
  std::uint64_t count;
  std::uint64_t bytes;  ///< of all of them
  bool to_device;

  explicit Pieces(const Case& decided)
      : count(decided[axis::copies]), bytes(decided[axis::size_bytes]), to_device(decided[axis::to_device]) {}

  [[nodiscard]] std::uint64_t piece_bytes() const { return bytes / count; }
  [[nodiscard]] std::uint64_t piece_words() const { return piece_bytes() / sizeof(std::uint32_t); }
  [[nodiscard]] std::uint64_t device_word(std::uint64_t k) const { return k * piece_words(); }
  [[nodiscard]] std::uint64_t host_word(std::uint64_t k) const { return 2 * k * piece_words(); }
  [[nodiscard]] std::uint64_t scattered_bytes() const { return 2 * bytes; }
};

/// For the cases of one size and direction. All outcomes get packing_pays_from_copies, the smallest number of copies
/// that ran from which packing is faster at every larger one; none does if there is no such number.
[[nodiscard]] Conclusion conclude_batching(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
