#pragma once
// The part of the probe `shared-pattern` that needs no compiler of kernels: its axes, its sizes, its conclusions.

#include <memory>

#include "probes/user/shared_pattern/shared_case.hpp"

namespace gpumem::shared_pattern {

/// The launch of a case: every block makes the same requests.
struct TileLaunch {
  TileCase tile;
  std::shared_ptr<const TileRequests> block;
  std::uint32_t groups = 1;      ///< of requests that a block has in flight at once
  std::uint32_t iterations = 1;  ///< of each group

  /// Throws as requests_of(), and a missing-capability error if the device lacks the instruction.
  TileLaunch(const Case& decided, const Device& device);

  /// Times that each request of the table is made by a block in one iteration of all groups.
  [[nodiscard]] std::uint64_t rounds() const;
  /// Requests that a block makes.
  [[nodiscard]] std::uint64_t requests() const;
  /// The table of addresses, as the kernels read it (shared_kernels.cuh).
  [[nodiscard]] std::vector<std::uint32_t> table() const;
};

/// The instruction that a case is about, and the least compute capability that has it, times 10; 0 for all GPUs.
struct TileInstruction {
  const char* name;
  unsigned least_capability;
};
[[nodiscard]] TileInstruction instruction_of(const TileCase& tile);

/// Bytes that the lanes of a warp copy from; 0 if nothing is copied.
[[nodiscard]] std::uint64_t copied_bytes(const TileLaunch& launch);

/// Describes the launch, except for the name of its kernel.
[[nodiscard]] Workload workload_of(const TileLaunch& launch, const Device& device);

/// The probe without describe() and prepare(), which need the kernels.
[[nodiscard]] Probe tile_pattern_probe();

/// The layouts that would remove the bank conflicts of a case, or most of them, as imperatives: "pad the rows by 1
/// element (2 wavefronts)". Empty if there are no conflicts, or nothing was found.
[[nodiscard]] std::string conflict_cure(const Case& tested);

/// The picture of a case. Takes one whose requests can be evaluated.
[[nodiscard]] BankGrid bank_grid_of(const Case& tested);

/// Facts about the cases of one table: the swizzles without conflicts, and the cures of the others.
[[nodiscard]] Conclusion conclude_tiles(std::span<const Outcome> outcomes);

}  // namespace gpumem::shared_pattern
