#include "engine/measure/cuda.hpp"

#include <fmt/format.h>

#include <filesystem>

#include "engine/base/error.hpp"

namespace gpumem::measure {

namespace {

constexpr double mib = 1024.0 * 1024.0;

/// For destructors: a failed release must not surface later as the error of an unrelated call.
void forget_failure(cudaError_t status) noexcept {
  if (status != cudaSuccess) static_cast<void>(cudaGetLastError());
}

}  // namespace

void check(cudaError_t status, std::string_view what, std::source_location location) {
  if (status == cudaSuccess) return;
  forget_failure(status);
  throw probe_error(fmt::format("{}: {} ({}) [{}:{}]", what, cudaGetErrorName(status), cudaGetErrorString(status),
                                std::filesystem::path(location.file_name()).filename().string(), location.line()));
}

CurrentDevice::CurrentDevice(int device_index) {
  check(cudaGetDevice(&before_), "ask for the current device");
  check(cudaSetDevice(device_index), "make a device current");
}

CurrentDevice::~CurrentDevice() { forget_failure(cudaSetDevice(before_)); }

namespace detail {
void DestroyStream::operator()(cudaStream_t stream) const noexcept { forget_failure(cudaStreamDestroy(stream)); }
void DestroyEvent::operator()(cudaEvent_t event) const noexcept { forget_failure(cudaEventDestroy(event)); }
void FreeDevice::operator()(void* data) const noexcept { forget_failure(cudaFree(data)); }
void FreeHost::operator()(void* data) const noexcept { forget_failure(cudaFreeHost(data)); }
}  // namespace detail

Stream::Stream(Priority priority) {
  cudaStream_t stream = nullptr;
  int number = 0;  // that of every stream for which nobody asks another
  if (priority == Priority::highest) {
    check(cudaDeviceGetStreamPriorityRange(nullptr, &number), "ask for the priorities of streams");
  }
  check(cudaStreamCreateWithPriority(&stream, cudaStreamNonBlocking, number), "create a stream");
  stream_.reset(stream);
}

void Stream::synchronize() const { check(cudaStreamSynchronize(get()), "wait for a stream"); }

Event::Event() {
  cudaEvent_t event = nullptr;
  check(cudaEventCreate(&event), "create an event");
  event_.reset(event);
}

void Event::record(const Stream& stream) { check(cudaEventRecord(get(), stream.get()), "record an event"); }

void Event::synchronize() const { check(cudaEventSynchronize(get()), "wait for an event"); }

bool Event::reached() const {
  const cudaError_t status = cudaEventQuery(get());
  if (status == cudaErrorNotReady) {
    forget_failure(status);
    return false;
  }
  check(status, "query an event");
  return true;
}

void order_streams(cudaStream_t earlier, cudaStream_t later, const Event& event) {
  check(cudaEventRecord(event.get(), earlier), "record an event");
  check(cudaStreamWaitEvent(later, event.get()), "order two streams");
}

std::chrono::duration<double> elapsed(const Event& start, const Event& stop) {
  stop.synchronize();
  float milliseconds = 0;
  check(cudaEventElapsedTime(&milliseconds, start.get(), stop.get()), "read the time between two events");
  return std::chrono::duration<double, std::milli>(static_cast<double>(milliseconds));
}

DeviceBuffer::DeviceBuffer(std::size_t bytes) : bytes_(bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaMalloc(&data, bytes);
  if (status == cudaErrorMemoryAllocation) {
    forget_failure(status);
    std::size_t free_bytes = 0;
    std::size_t total_bytes = 0;
    check(cudaMemGetInfo(&free_bytes, &total_bytes), "query free device memory");
    throw probe_error(fmt::format(
        "cannot allocate {:.1f} MiB of device memory: {:.1f} of {:.1f} MiB are free; pass a smaller --buffer "
        "or --size",
        static_cast<double>(bytes) / mib, static_cast<double>(free_bytes) / mib,
        static_cast<double>(total_bytes) / mib));
  }
  check(status, fmt::format("allocate {} bytes of device memory", bytes));
  data_.reset(data);
}

void load_now(const void* kernel) {
  cudaFuncAttributes attributes{};
  check(cudaFuncGetAttributes(&attributes, kernel), "load a kernel");
}

void allow_all_shared_memory(const void* kernel) {
  int device = 0;
  int most = 0;
  cudaFuncAttributes attributes{};
  check(cudaGetDevice(&device), "tell the device");
  check(cudaDeviceGetAttribute(&most, cudaDevAttrMaxSharedMemoryPerBlockOptin, device), "tell its shared memory");
  check(cudaFuncGetAttributes(&attributes, kernel), "look at a kernel");
  check(cudaFuncSetAttribute(kernel, cudaFuncAttributeMaxDynamicSharedMemorySize,
                             most - static_cast<int>(attributes.sharedSizeBytes)),
        "reserve shared memory");
}

PinnedBuffer::PinnedBuffer(std::size_t bytes) : bytes_(bytes) {
  void* data = nullptr;
  const cudaError_t status = cudaHostAlloc(&data, bytes, cudaHostAllocMapped);
  if (status == cudaErrorMemoryAllocation) {
    forget_failure(status);
    throw probe_error(fmt::format("cannot page-lock {} bytes of host memory for the host's signals to the GPU", bytes));
  }
  check(status, fmt::format("allocate {} bytes of pinned host memory", bytes));
  data_.reset(data);
  check(cudaHostGetDevicePointer(&device_data_, data, 0), "map pinned host memory into the device's address space");
}

}  // namespace gpumem::measure
