#pragma once
// Launches with a given number of resident warps, and no more.

#include <array>
#include <cstdint>
#include <optional>

#include "engine/access/request.hpp"
#include "probes/probe.hpp"

namespace gpumem::kernels {

enum class OccupancyLimit { shared_memory, registers, block_size };

namespace axis {
inline constexpr Number<unsigned> resident_warps{"resident_warps_per_multiprocessor"};
inline constexpr Choice<OccupancyLimit> occupancy_limit{"occupancy_limit",
                                                        {"shared-memory", "registers", "block-size"}};
}  // namespace axis

constexpr unsigned most_occupancy_threads = 128;  ///< of a block
constexpr unsigned loads_in_a_row = 2;
constexpr unsigned loads_of_thread = 128;

/// The registers that a kernel takes for a thread, and how many of them it only holds. The others do the kernel's work.
struct RegisterClass {
  unsigned registers;
  unsigned held;
};
constexpr std::array<RegisterClass, 4> register_classes = {{{32, 1}, {64, 44}, {128, 108}, {256, 230}}};

/// A case in numbers.
struct OccupancyCase {
  unsigned block_threads = 0;
  unsigned shared_bytes = 0;  ///< of a block, of which it uses none
  RegisterClass registers = register_classes.front();
  unsigned resident_blocks = 0;  ///< of a multiprocessor
  std::uint64_t blocks = 0;

  [[nodiscard]] std::uint64_t block_bytes() const {
    constexpr std::uint64_t vector_bytes = 16;
    return block_threads * loads_of_thread * vector_bytes;
  }
  [[nodiscard]] std::uint64_t bytes() const { return blocks * block_bytes(); }
  [[nodiscard]] std::uint64_t threads() const { return blocks * block_threads; }
  [[nodiscard]] unsigned resident_warps() const { return resident_blocks * (block_threads / access::warp_lanes); }
};

/// Finds the launch of a case; nullopt if the limit that the case names cannot leave its number of warps resident on
/// the device.
[[nodiscard]] std::optional<OccupancyCase> find_occupancy_case(const Case& decided, const Device& device);
/// Does the same, but throws a missing-capability error instead, with the numbers that the limit can leave.
[[nodiscard]] OccupancyCase require_occupancy_case(const Case& decided, const Device& device);

/// The workload of a launch, except for the kernel's name.
[[nodiscard]] Workload occupancy_workload(const OccupancyCase& occupancy);

}  // namespace gpumem::kernels
