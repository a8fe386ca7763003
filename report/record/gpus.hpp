#pragma once
// Several GPUs side by side: a report that has every case once per GPU. The cases differ in the parameter `device`,
// CUDA's index of the GPU, which is the parameter across. Code that looks at one GPU alone takes the part of that GPU,
// which is an ordinary report.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

/// The index of the GPU that a case ran on beside others; absent for any other case.
[[nodiscard]] std::optional<std::uint64_t> gpu_beside_others(const Record& record);

/// Groups the members of a table by GPU, in order of first appearance; one group if they name no GPU.
[[nodiscard]] std::vector<Members> by_gpu(std::span<const Record> results, const Members& table);

struct GpuPart {
  std::uint64_t gpu = 0;
  Members cases;  ///< indices into the whole report's results, of the part's
  Report report;  ///< with the GPU as its only device, its cases without the parameter, and what follows from these
};

/// The GPUs that a report's cases ran on side by side; empty for an ordinary report, and for a part.
[[nodiscard]] std::vector<Device> gpus_side_by_side(const Report& report);

/// Returns a part for each of these GPUs, in their order.
[[nodiscard]] std::vector<GpuPart> gpu_parts(const Report& report);

/// The GPUs that a case moves data between, by their indices.
struct GpuPair {
  std::uint64_t source = 0;
  std::uint64_t target = 0;
};
/// Absent for a case of one GPU.
[[nodiscard]] std::optional<GpuPair> gpu_pair(const Record& record);

/// The cases between the GPUs of a report, without its conclusions and checks.
struct BetweenGpus {
  Members cases;  ///< indices into the whole report's results, of this one's
  Report report;
};
/// Absent for an ordinary report.
[[nodiscard]] std::optional<BetweenGpus> between_gpus(const Report& report);

/// The cases between two GPUs, in one direction.
struct PairPart {
  GpuPair pair;
  Members cases;  ///< indices into the whole report's results, of the part's
  Report report;  ///< without the parameters that name the pair; its device has the UUIDs of both for its own
};
/// Empty for an ordinary report.
[[nodiscard]] std::vector<PairPart> pair_parts(const Report& report);

/// The GPU of that index among the report's devices; an empty Device if the report does not describe it.
[[nodiscard]] Device device_of(const Report& report, std::uint64_t gpu);

/// Identifies a GPU for a person who has to find it: "GPU 3 (00000000:41:00.0, GPU-8f2a11c0-...)".
[[nodiscard]] std::string gpu_identity(std::uint64_t gpu, const Device& device);
/// The same in short: "GPU 3 (41:00.0, GPU-8f2a11c0)".
[[nodiscard]] std::string short_gpu_identity(std::uint64_t gpu, const Device& device);

/// "41:00.0" of "00000000:41:00.0": the domain is left out if it is 0, as on nearly every machine.
[[nodiscard]] std::string short_pci_bus_id(const std::string& pci_bus_id);
/// "GPU-8f2a11c0" of "GPU-8f2a11c0-...".
[[nodiscard]] std::string short_uuid(const std::string& uuid);

/// GPUs in words: "GPU 3", "GPUs 0, 2 and 3".
[[nodiscard]] std::string gpu_list(std::span<const std::uint64_t> gpus);

}  // namespace gpumem::report
