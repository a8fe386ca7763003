#pragma once
// The part of the probes `shared-pattern` and `shared-indices` that needs no compiler of kernels: their launches, sizes
// and conclusions.

#include <functional>
#include <memory>
#include <optional>
#include <string>

#include "probes/user/shared_pattern/shared_case.hpp"

namespace gpumem::shared_pattern {

/// The cases of a probe in numbers.
struct TileCases {
  /// Returns the tile of a case. Throws a usage error for values that do not go together. It may read a file.
  std::function<TileCase(const Case&)> get;
  /// The same for a case of a report that anybody may have written: nullopt if its values do not go together, or if its
  /// file was not read yet. The file may be another one by now.
  std::function<std::optional<TileCase>(const Case&)> known;
};

/// The cases of `shared-pattern`.
[[nodiscard]] TileCases expression_cases();
/// The cases of `shared-indices`, with a cache of their files. For one thread.
[[nodiscard]] TileCases list_cases();

/// The shared memory that a block of the device may have.
[[nodiscard]] std::uint64_t most_shared_bytes(const Device& device);

/// The launch of a case: every block makes the same requests.
struct TileLaunch {
  TileCase tile;
  std::shared_ptr<const TileRequests> block;
  std::uint32_t groups = 1;      ///< of requests that a block has in flight at once
  std::uint32_t iterations = 1;  ///< of each group

  /// Throws as requests_of(), and a missing-capability error if the device lacks the instruction.
  TileLaunch(TileCase in_numbers, const Device& device);

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

/// The probes without describe() and prepare(), which need the kernels.
[[nodiscard]] Probe tile_pattern_probe(const TileCases& cases);
[[nodiscard]] Probe tile_indices_probe(const TileCases& cases);

/// The layouts that would remove the bank conflicts of a case, or most of them, as imperatives: "pad the rows by 1
/// element (2 wavefronts)". Empty if there are no conflicts, or nothing was found.
[[nodiscard]] std::string conflict_cure(const TileCase& tile);

/// The picture of a case. Takes one whose requests can be evaluated.
[[nodiscard]] BankGrid bank_grid_of(const TileCase& tile);

/// Facts about the cases of one table: the swizzles without conflicts, and the cures of the others. Tiles that are not
/// known have neither.
[[nodiscard]] Conclusion conclude_tiles(std::span<const Outcome> outcomes, const TileCases& cases);

}  // namespace gpumem::shared_pattern
