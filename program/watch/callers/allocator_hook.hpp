#pragma once
// PyTorch's allocator of GPU memory gives out parts of what it has from the driver. It reports each to its profiler, by
// a call from one library to another; the report is listened to on its way.

namespace gpumem::inject {

/// Begins to listen, if the allocator is there and is not listened to yet. Any thread may call it that holds the lock
/// of watch.hpp.
void hook_allocator();

}  // namespace gpumem::inject
