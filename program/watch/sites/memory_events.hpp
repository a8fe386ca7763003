#pragma once
// The driver's allocations, as the sanitizer's library tells of them.

#include <sanitizer.h>

#include <span>

namespace gpumem::inject {

[[nodiscard]] std::span<const Sanitizer_CallbackId> memory_events();
[[nodiscard]] bool is_memory_event(Sanitizer_CallbackId id);
/// By the thread that allocates or gives back, with the driver's locks held: calls nothing of the driver's.
void on_memory_event(Sanitizer_CallbackId id, const Sanitizer_ResourceMemoryData& memory);

}  // namespace gpumem::inject
