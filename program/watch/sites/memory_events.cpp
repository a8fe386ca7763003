#include "program/watch/sites/memory_events.hpp"

#include <algorithm>

#include "program/watch/driver.hpp"
#include "program/watch/watch.hpp"

namespace gpumem::inject {

namespace {

constexpr Sanitizer_CallbackId made[] = {SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC,
                                         SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC,
                                         SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC};
constexpr Sanitizer_CallbackId all_events[] = {
    SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_ALLOC, SANITIZER_CBID_RESOURCE_DEVICE_MEMORY_FREE,
    SANITIZER_CBID_RESOURCE_HOST_MEMORY_ALLOC,   SANITIZER_CBID_RESOURCE_HOST_MEMORY_FREE,
    SANITIZER_CBID_RESOURCE_MEMORY_ALLOC_ASYNC,  SANITIZER_CBID_RESOURCE_MEMORY_FREE_ASYNC};

}  // namespace

std::span<const Sanitizer_CallbackId> memory_events() { return all_events; }

bool is_memory_event(Sanitizer_CallbackId id) { return std::ranges::find(all_events, id) != std::end(all_events); }

void on_memory_event(Sanitizer_CallbackId id, const Sanitizer_ResourceMemoryData& memory) {
  if (OwnCalls::active()) return;
  if (std::ranges::find(made, id) == std::end(made))
    return watch().allocations.note_free(AllocatedBy::driver, memory.address);
  const bool of_module = (memory.flags & SANITIZER_MEMORY_FLAG_MODULE) != 0;
  watch().allocations.note(of_module ? AllocatedBy::loader : AllocatedBy::driver, memory.address, memory.size);
}

}  // namespace gpumem::inject
