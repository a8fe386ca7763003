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

/// Splits the value of --device into the parts of its list, or "all" alone. Throws a usage error for a malformed list.
[[nodiscard]] std::vector<std::string> device_list(const std::string& text);

/// True if the value of --device may mean more than one GPU.
[[nodiscard]] bool may_be_several(const std::string& text);

/// Returns the GPUs of the machine that the value of --device means, with their indices. Throws a no-GPU error for one
/// that is not there, and a usage error for one that is named twice.
[[nodiscard]] std::vector<Device> devices_of(const std::string& text, std::span<const Device> gpus);

/// Measures on several GPUs at the same time. Cases have a parameter `device` (report/record/kernels.hpp). run() of a
/// case also starts all expected cases that differ from it in nothing else. `gpus` have their indices; `connect` starts
/// the process that measures on one of them. Throws as make_cuda_backend() does if none of the GPUs can be opened, or
/// if one lacks a required capability.
[[nodiscard]] std::unique_ptr<Backend> make_side_by_side_backend(const MeasureOptions& options,
                                                                 std::span<const Device> gpus,
                                                                 const std::function<Connect(const Device&)>& connect);

/// Does the same with copies of this program.
[[nodiscard]] std::unique_ptr<Backend> measure_in_copies(const MeasureOptions& options, std::span<const Device> gpus);

}  // namespace gpumem::app
