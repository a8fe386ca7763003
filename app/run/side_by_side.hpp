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

/// What --device asks for: parts of a list, or "all" alone. Throws a usage error for a list that is none.
[[nodiscard]] std::vector<std::string> device_list(const std::string& text);

/// Whether that may be more than one GPU.
[[nodiscard]] bool may_be_several(const std::string& text);

/// The GPUs of the machine that it means, with their indices. Throws a no-GPU error for one that is not there, a usage
/// error for one that is named twice.
[[nodiscard]] std::vector<Device> devices_of(const std::string& text, std::span<const Device> gpus);

/// Cases have a parameter `device` (report/record/gpus.hpp), and run() of one starts all of those expected that differ
/// from it in nothing else. `gpus` have their indices; `connect` leads to whoever measures on one of them. Throws as
/// make_cuda_backend() does if none of the GPUs can be opened, or one lacks what is required.
[[nodiscard]] std::unique_ptr<Backend> make_side_by_side_backend(const MeasureOptions& options,
                                                                 std::span<const Device> gpus,
                                                                 const std::function<Connect(const Device&)>& connect);

/// The same in copies of this program.
[[nodiscard]] std::unique_ptr<Backend> measure_in_copies(const MeasureOptions& options, std::span<const Device> gpus);

}  // namespace gpumem::app
