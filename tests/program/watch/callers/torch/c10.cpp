// Stands in for PyTorch's libc10: what its allocators report to.

#include <cstddef>
#include <cstdint>

namespace c10 {

struct Device {
  std::int8_t type;
  std::int8_t index;
};

static std::int64_t reported_bytes = 0;
static int reports_of_device_7 = 0;

__attribute__((visibility("default"))) void reportMemoryUsageToProfiler(void* memory, std::int64_t bytes,
                                                                        std::size_t allocated, std::size_t reserved,
                                                                        Device device) {
  if (memory == nullptr || allocated != 3 || reserved != 4) return;
  reported_bytes += bytes;
  reports_of_device_7 += device.type == 1 && device.index == 7 ? 1 : 0;
}

}  // namespace c10

/// Bytes that were reported and not reported back, and how often, if all went through as it was.
extern "C" __attribute__((visibility("default"))) std::int64_t reported() { return c10::reported_bytes; }
extern "C" __attribute__((visibility("default"))) int reports() { return c10::reports_of_device_7; }
