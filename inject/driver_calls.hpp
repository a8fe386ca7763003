#pragma once
// The driver's calls that are watched, and what they launch.

#include <sanitizer.h>

#include <span>

#include "inject/kernels.hpp"

namespace gpumem::inject {

[[nodiscard]] std::span<const Sanitizer_CallbackId> launch_calls();
[[nodiscard]] std::span<const Sanitizer_CallbackId> graph_launch_calls();
/// Calls after which launches before them are over: where their times are taken.
[[nodiscard]] std::span<const Sanitizer_CallbackId> waiting_calls();

[[nodiscard]] bool is_launch(Sanitizer_CallbackId id);
[[nodiscard]] bool is_graph_launch(Sanitizer_CallbackId id);

/// What a call of `launch_calls` launches, from the parameters that the callback has.
[[nodiscard]] Launch launch_of(Sanitizer_CallbackId id, const void* parameters);
/// The launch once more, as the program asked for it; not a cooperative one.
CUresult launch_again(Sanitizer_CallbackId id, const void* parameters, CUstream stream);

}  // namespace gpumem::inject
