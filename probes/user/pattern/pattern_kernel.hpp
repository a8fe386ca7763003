#pragma once
// The kernels of kernels.cuh with a pattern that a user wrote, compiled when they are needed.

#include <map>
#include <memory>
#include <span>
#include <string>
#include <string_view>

#include "engine/measure/experiment.hpp"
#include "engine/measure/kernel_source.hpp"
#include "engine/measure/module.hpp"
#include "engine/measure/session.hpp"
#include "probes/user/pattern/user_pattern.hpp"

namespace gpumem::global {

/// A header that such a kernel includes, by the name that it includes it by.
struct KernelHeader {
  std::string_view name;
  std::string_view text;
};
[[nodiscard]] std::span<const KernelHeader> kernel_headers();

/// The kernel of a launch as profilers show it.
[[nodiscard]] std::string pattern_kernel_name(const Launch& launch);

/// The source of a launch's kernel and of what checks it, and their names in it: the kernel first.
[[nodiscard]] measure::KernelSource pattern_source(const Launch& launch, const UserPattern& pattern);

/// The source of what counts a launch's requests, see count_requests.cuh: one kernel.
[[nodiscard]] measure::KernelSource counting_source(const Launch& launch, const UserPattern& pattern);

/// Throws a probe error if the compiled kernel holds other accesses than the workload's sites.
void require_accesses(const measure::CompiledKernels& compiled, const Workload& workload);

/// Kernels that were compiled and loaded, until the program ends: to unload one while counters are set up ends the
/// process (CUPTI of CUDA 13.0). For one thread.
class LoadedPatterns {
 public:
  /// Throws as measure::compile() and require_accesses().
  [[nodiscard]] std::shared_ptr<const measure::Module> get(const Launch& launch, const UserPattern& pattern,
                                                           const Workload& workload, const Device& device);

 private:
  std::map<std::string, std::shared_ptr<const measure::Module>> modules_;
};

/// Readies the arrays of a launch, of so many elements each.
[[nodiscard]] std::unique_ptr<measure::Experiment> prepare_pattern(const Launch& launch, std::uint64_t extent_elements,
                                                                   std::shared_ptr<const measure::Module> kernels,
                                                                   measure::Session& session);

}  // namespace gpumem::global
