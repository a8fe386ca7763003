#pragma once
// Atomics in numbers: how often each address is added to, what that leaves there, and what it costs.

#include <cstdint>
#include <span>

#include "engine/access/host_device.hpp"
#include "engine/measure/content.hpp"
#include "probes/probe.hpp"

namespace gpumem::global {

namespace axis {
inline constexpr Number<std::uint32_t> addresses{"addresses", &count_phrase};
inline constexpr Choice<std::uint32_t> unit_lanes{"address_per", {{"lane", 1}, {"warp", access::warp_lanes}}};
inline constexpr Choice<bool> in_shared{"space", {{"global", false}, {"shared", true}}};
inline constexpr Choice<bool> returns{"atomic_op", {{"red", false}, {"atom", true}}};
}  // namespace axis

inline constexpr unsigned atomics_threads = 1024;  ///< of the one block of a multiprocessor
inline constexpr unsigned atomics_in_a_row = 8;    ///< of a thread, before it uses what the first returned

/// A case of the atomics probe. A unit is a lane or a warp: it adds to one address at a time. Units are counted over
/// all blocks in global memory, and within each block in shared memory. In its turns unit u adds to the words u, u +
/// units, u + 2 x units and so on, modulo the addresses, so that all units and turns together go once through units x
/// turns numbers.
struct AtomicsLaunch {
  bool in_shared = false;
  bool returns = false;
  std::uint32_t unit_lanes = 1;
  std::uint32_t addresses = 1;
  unsigned blocks = 1;
  std::uint32_t turns = atomics_in_a_row;
  std::uint32_t value = measure::random_word(1);  ///< added each time; not 1, which shared memory counts in another way

  AtomicsLaunch() = default;
  /// Chooses turns that take a few milliseconds at most.
  AtomicsLaunch(const Case& decided, const Device& device);

  [[nodiscard]] std::uint64_t threads() const { return std::uint64_t{blocks} * atomics_threads; }
  /// Words of the output: shared memory has those of every block.
  [[nodiscard]] std::uint64_t words() const { return std::uint64_t{in_shared ? blocks : 1} * addresses; }

  /// Updates of one address, in shared memory by one block.
  [[nodiscard]] GPUMEM_HOST_DEVICE constexpr std::uint64_t updates_of(std::uint64_t address) const {
    const std::uint64_t numbers = std::uint64_t{in_shared ? 1 : blocks} * atomics_threads / unit_lanes * turns;
    return (numbers / addresses + (address < numbers % addresses ? 1 : 0)) * unit_lanes;
  }
  /// The sum of all old values, modulo 2^32: in whatever order they come, n updates of an address return
  /// 0, value, ..., (n - 1) x value.
  [[nodiscard]] std::uint32_t returned() const;

  /// Requests in which a block reads its words of shared memory at the end.
  [[nodiscard]] std::uint64_t requests_of_sums() const {
    return (addresses + access::warp_lanes - 1) / access::warp_lanes;
  }
  [[nodiscard]] access::WarpRequest request_of_sums(std::uint64_t k) const;
};

/// Concludes what contention costs, from the cases of one space and operation.
[[nodiscard]] Conclusion conclude_atomics(std::span<const Outcome> outcomes);

}  // namespace gpumem::global
