#pragma once
// PyTorch's allocator of GPU memory gives out parts of what it has from the driver. It reports each to its profiler, by
// a call from one library to another; the report is listened to on its way.

#include <link.h>

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <string_view>

#include "program/watch/callers/allocations.hpp"

namespace gpumem::inject {

/// c10::reportMemoryUsageToProfiler(void* memory, int64_t bytes, size_t allocated, size_t reserved, c10::Device): bytes
/// of memory that is given back are negative. Before PyTorch 2 both sizes were int64_t. The device is two bytes, which
/// are passed on as the register that they come in.
using AllocatorReport = void (*)(void*, std::int64_t, std::size_t, std::size_t, std::uint64_t);

class AllocatorHook {
 public:
  /// `replacement` is called in place of the allocator's report, and hands it to pass_on().
  AllocatorHook(Allocations& allocations, AllocatorReport replacement)
      : allocations_(allocations), replacement_(replacement) {}

  /// Begins to listen, if the allocator is there and is not listened to yet. Any thread may call it that holds the lock
  /// of watch.hpp.
  void install();
  /// Notes what a report says, and makes it. Any thread.
  void pass_on(void* memory, std::int64_t bytes, std::size_t allocated, std::size_t reserved, std::uint64_t device);

 private:
  bool install_in(const dl_phdr_info& image, std::string_view name, AllocatorReport report);

  Allocations& allocations_;
  AllocatorReport replacement_;
  std::atomic<AllocatorReport> original_ = nullptr;
  bool is_installed_ = false;
  std::uint64_t looked_at_ = ~std::uint64_t{0};  ///< image_changes() then
};

}  // namespace gpumem::inject
