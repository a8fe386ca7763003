#pragma once
// Several GPUs measured at the same time, each in a process of its own: a fault, a lost process or a lack of memory
// fails the cases of one GPU, and the others go on. GPUs may take turns with cases that use the host, which they share.

#include <functional>
#include <memory>
#include <span>
#include <string>
#include <vector>

#include "app/run/backend.hpp"
#include "app/run/connection.hpp"

namespace gpumem::app {

/// Measures on several GPUs at the same time. Cases have a parameter `device` (report/record/kernels.hpp). run() of a
/// case also starts all expected cases that differ from it in nothing else. Cases of probes that use several GPUs run
/// one at a time in a process of their own. `gpus` have their indices; `connect` starts the process that measures on
/// one of them, or for a device without an index the one that sees all GPUs. Throws as make_cuda_backend() does if none
/// of the GPUs can be opened, or if one lacks a required capability.
[[nodiscard]] std::unique_ptr<Backend> make_side_by_side_backend(const MeasureOptions& options,
                                                                 std::span<const Device> gpus,
                                                                 const std::function<Connect(const Device&)>& connect);

/// Does the same with copies of this program.
[[nodiscard]] std::unique_ptr<Backend> measure_in_copies(const MeasureOptions& options, std::span<const Device> gpus);

}  // namespace gpumem::app
