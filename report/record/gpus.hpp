#pragma once
// Several GPUs side by side: a report in which every case stands once per GPU, told apart by the parameter `device`,
// CUDA's index of the GPU, which is the one across. What looks at one GPU alone, takes its part of such a report: an
// ordinary report of that GPU.

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "report/record/record.hpp"
#include "report/record/sweep.hpp"

namespace gpumem::report {

/// The GPU that a case ran on beside others; absent in any other case.
[[nodiscard]] std::optional<std::uint64_t> gpu_beside_others(const Record& record);

/// Members of a table by the GPU they ran on, in order of first appearance; all in one where they name none.
[[nodiscard]] std::vector<Members> by_gpu(std::span<const Record> results, const Members& table);

struct GpuPart {
  std::uint64_t gpu = 0;
  Members cases;  ///< indices into the whole report's results, of the part's
  Report report;  ///< with the GPU as its only device, its cases without the parameter, and what follows from these
};

/// The GPUs that a report's cases ran on side by side; none of an ordinary report, or of a part.
[[nodiscard]] std::vector<Device> gpus_side_by_side(const Report& report);

/// A part for each of them, in their order.
[[nodiscard]] std::vector<GpuPart> gpu_parts(const Report& report);

/// The GPU of that index among those of a report, as far as the report describes it.
[[nodiscard]] Device device_of(const Report& report, std::uint64_t gpu);

/// Which GPU it is, for who has to find it: "GPU 3 (00000000:41:00.0, GPU-8f2a11c0-...)".
[[nodiscard]] std::string gpu_identity(std::uint64_t gpu, const Device& device);
/// The same in short: "GPU 3 (41:00.0, GPU-8f2a11c0)".
[[nodiscard]] std::string short_gpu_identity(std::uint64_t gpu, const Device& device);

/// "41:00.0" of "00000000:41:00.0": the domain is 0 on nearly every machine, and then says nothing.
[[nodiscard]] std::string short_pci_bus_id(const std::string& pci_bus_id);
/// "GPU-8f2a11c0" of "GPU-8f2a11c0-...".
[[nodiscard]] std::string short_uuid(const std::string& uuid);

/// GPUs in words: "GPU 3", "GPUs 0, 2 and 3".
[[nodiscard]] std::string gpu_list(std::span<const std::uint64_t> gpus);

}  // namespace gpumem::report
