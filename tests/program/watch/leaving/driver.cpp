// The functions of the driver that the library finds by their names. No header declares them here, because cuda.h
// renames some and declares all with other types.

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <cstdlib>

// NOLINTBEGIN(readability-identifier-naming): as the driver's functions are named

namespace {

constexpr int success = 0;
constexpr int not_ready = 600;
constexpr int invalid_value = 1;

/// An event is passed at the second question after it was recorded: the GPU is behind the host.
struct Event {
  std::atomic<bool> is_passed = true;
};
std::atomic<bool> context_has_ended = false;
std::atomic<unsigned> kernel_ns = 200;
constexpr float nothing_ms = 0.002F;  // between two events with nothing in between
constexpr float launch_ms = 0.0012F;  // as timing.cpp has it

Event& event_of(void* event) {
  if (context_has_ended) std::abort();
  return *static_cast<Event*>(event);
}

}  // namespace

#define GPUMEM_DOES_NOTHING(name) \
  extern "C" int name() { return success; }
GPUMEM_DOES_NOTHING(cuCtxSynchronize)
GPUMEM_DOES_NOTHING(cuDeviceGetAttribute)
GPUMEM_DOES_NOTHING(cuDeviceGetName)
GPUMEM_DOES_NOTHING(cuDeviceGetPCIBusId)
GPUMEM_DOES_NOTHING(cuDriverGetVersion)
GPUMEM_DOES_NOTHING(cuEventSynchronize)
GPUMEM_DOES_NOTHING(cuFuncGetAttribute)
GPUMEM_DOES_NOTHING(cuFuncLoad)
GPUMEM_DOES_NOTHING(cuLaunchCooperativeKernel)
GPUMEM_DOES_NOTHING(cuLaunchKernel)
GPUMEM_DOES_NOTHING(cuLaunchKernelEx)
GPUMEM_DOES_NOTHING(cuMemFree_v2)
GPUMEM_DOES_NOTHING(cuMemcpyDtoHAsync_v2)
GPUMEM_DOES_NOTHING(cuMemcpyHtoDAsync_v2)
GPUMEM_DOES_NOTHING(cuMemsetD8Async)
GPUMEM_DOES_NOTHING(cuOccupancyMaxActiveBlocksPerMultiprocessor)
GPUMEM_DOES_NOTHING(cuPointerGetAttribute)
GPUMEM_DOES_NOTHING(cuStreamCreate)
GPUMEM_DOES_NOTHING(cuStreamDestroy_v2)
GPUMEM_DOES_NOTHING(cuStreamIsCapturing)
GPUMEM_DOES_NOTHING(cuStreamSynchronize)
GPUMEM_DOES_NOTHING(cuStreamWaitValue32_v2)
GPUMEM_DOES_NOTHING(cuThreadExchangeStreamCaptureMode)
GPUMEM_DOES_NOTHING(cuDeviceGetUuid_v2)
#undef GPUMEM_DOES_NOTHING

extern "C" {

int cuCtxGetDevice(int* device) {
  *device = 0;
  return success;
}

int cuDeviceTotalMem_v2(std::size_t* bytes, int) {
  *bytes = std::size_t{1} << 34U;
  return success;
}

int cuEventCreate(void** event, unsigned) {
  *event = new Event;
  return success;
}

int cuEventRecord(void* event, void*) {
  event_of(event).is_passed = false;
  return success;
}

int cuEventQuery(void* event) { return event_of(event).is_passed.exchange(true) ? success : not_ready; }

int cuEventElapsedTime(float* milliseconds, void* start, void* stop) {
  static_cast<void>(event_of(start));
  static_cast<void>(event_of(stop));
  static std::atomic<unsigned> asked = 0;
  constexpr unsigned by_the_clock = 9;  // times of nothing, before others
  constexpr float ms_per_ns = 1e-6F;
  *milliseconds = nothing_ms;
  if (asked++ >= by_the_clock) *milliseconds += launch_ms + static_cast<float>(kernel_ns) * ms_per_ns;
  return success;
}

int cuFuncGetModule(void** module, void*) {
  static int the_only = 0;
  *module = &the_only;
  return success;
}

int cuFuncGetName(const char** name, void* function) {
  *name = reinterpret_cast<std::uintptr_t>(function) == 1 ? "_Z3addv" : "_Z4swapv";
  return success;
}

int cuMemAlloc_v2(std::uintptr_t* address, std::size_t bytes) {
  *address = reinterpret_cast<std::uintptr_t>(std::malloc(bytes));
  return success;
}

int cuMemGetInfo_v2(std::size_t* available, std::size_t* all) {
  *available = *all = std::size_t{1} << 34U;
  return success;
}

int cuMemHostAlloc(void** memory, std::size_t bytes, unsigned) {
  *memory = std::calloc(bytes, 1);
  return success;
}

int cuMemHostGetDevicePointer_v2(std::uintptr_t* address, void* memory, unsigned) {
  *address = reinterpret_cast<std::uintptr_t>(memory);
  return success;
}

int cuFuncGetParamInfo() { return invalid_value; }

void stand_in_set_kernel_time(unsigned nanoseconds) { kernel_ns = nanoseconds; }

void stand_in_end_context() { context_has_ended = true; }
}

// NOLINTEND(readability-identifier-naming)
