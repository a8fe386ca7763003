// Stands in for PyTorch's libc10_cuda: an allocator that reports what it gives out.

#include <cstddef>
#include <cstdint>

namespace c10 {

struct Device {
  std::int8_t type;
  std::int8_t index;
};
void reportMemoryUsageToProfiler(void* memory, std::int64_t bytes, std::size_t allocated, std::size_t reserved,
                                 Device device);

}  // namespace c10

extern "C" __attribute__((visibility("default"))) void framework_allocate(std::uint64_t address, std::int64_t bytes) {
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(address), bytes, 3, 4, {1, 7});
}
extern "C" __attribute__((visibility("default"))) void framework_give_back(std::uint64_t address, std::int64_t bytes) {
  c10::reportMemoryUsageToProfiler(reinterpret_cast<void*>(address), -bytes, 3, 4, {1, 7});
}
/// So many pairs of calls, to be timed.
extern "C" __attribute__((visibility("default"))) void framework_churn(std::uint64_t address, int times) {
  for (int i = 0; i < times; ++i) {
    framework_allocate(address + static_cast<std::uint64_t>(i % 4096) * 512, 512);
    framework_give_back(address + static_cast<std::uint64_t>((i + 2048) % 4096) * 512, 512);
  }
}
