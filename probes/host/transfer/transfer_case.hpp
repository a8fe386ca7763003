#pragma once
// A case of the transfer probe in numbers, and what transfers of several sizes from several kinds of host memory show
// together.

#include <cstdint>
#include <span>

#include "engine/measure/host_memory.hpp"
#include "probes/host/whole_words.hpp"
#include "probes/probe.hpp"

namespace gpumem::host {

enum class Direction { to_device, to_host, both };

namespace axis {
inline constexpr Choice<Memory> host_memory{"host_memory", {"pageable", "pinned", "registered", "write-combined"}};
inline constexpr Choice<Direction> direction{"direction", {"to-device", "to-host", "both"}};
}  // namespace axis

/// A case in numbers.
struct Transfer {
  std::uint64_t bytes;  ///< each way
  Memory memory;
  bool to_device;
  bool to_host;

  explicit Transfer(const Case& decided)
      : bytes(decided[axis::size_bytes]),
        memory(decided[axis::host_memory]),
        to_device(decided[axis::direction] != Direction::to_host),
        to_host(decided[axis::direction] != Direction::to_device) {}

  [[nodiscard]] std::uint64_t words() const { return bytes / sizeof(std::uint32_t); }
  [[nodiscard]] bool both() const { return to_device && to_host; }
  [[nodiscard]] bool pageable() const { return memory == Memory::pageable; }
};

/// For the cases of one direction. Every kind of host memory whose sizes support it gets fixed_cost_us,
/// asymptotic_gb_per_s (both ways together, if they are) and half_size_bytes, in all of its cases: see
/// measure::fit_linear_cost. The facts compare the kinds at the largest size that all have.
[[nodiscard]] Conclusion conclude_transfer(std::span<const Outcome> outcomes);

}  // namespace gpumem::host
