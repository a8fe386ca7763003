#pragma once
// Functions of the driver and of the sanitizer's library, found at run time: this library is a guest that brings
// nothing along.

#include <cuda.h>
#include <sanitizer.h>

#include <string>

namespace gpumem::inject {

// Every function with the name that it has in the library: cuda.h renames some.
#define GPUMEM_DRIVER_FUNCTIONS(F)               \
  F(cuCtxGetDevice)                              \
  F(cuDeviceGetAttribute)                        \
  F(cuDeviceGetName)                             \
  F(cuDeviceGetPCIBusId)                         \
  F(cuDriverGetVersion)                          \
  F(cuEventCreate)                               \
  F(cuEventQuery)                                \
  F(cuEventRecord)                               \
  F(cuFuncGetAttribute)                          \
  F(cuFuncGetModule)                             \
  F(cuLaunchKernel)                              \
  F(cuLaunchKernelEx)                            \
  F(cuMemsetD8Async)                             \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  F(cuPointerGetAttribute)                       \
  F(cuStreamIsCapturing)                         \
  F(cuStreamSynchronize)                         \
  F(cuThreadExchangeStreamCaptureMode)

struct Driver {
#define GPUMEM_MEMBER(name) decltype(&::name) name = nullptr;
  GPUMEM_DRIVER_FUNCTIONS(GPUMEM_MEMBER)
#undef GPUMEM_MEMBER
  CUresult (*cuMemAlloc)(CUdeviceptr*, std::size_t) = nullptr;
  CUresult (*cuMemcpyDtoHAsync)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr, const void*, std::size_t, CUstream) = nullptr;
  CUresult (*cuDeviceTotalMem)(std::size_t*, CUdevice) = nullptr;
  CUresult (*cuDeviceGetUuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*cuEventElapsedTime)(float*, CUevent, CUevent) = nullptr;
  // Of drivers that know kernels apart from contexts; else null.
  CUresult (*cuFuncGetName)(const char**, CUfunction) = nullptr;
  CUresult (*cuKernelGetFunction)(CUfunction*, CUkernel) = nullptr;
};

#define GPUMEM_SANITIZER_FUNCTIONS(F) \
  F(sanitizerAddPatches)              \
  F(sanitizerEnableCallback)          \
  F(sanitizerEnableDomain)            \
  F(sanitizerGetFunctionPcAndSize)    \
  F(sanitizerGetResultString)         \
  F(sanitizerPatchInstructions)       \
  F(sanitizerPatchModule)             \
  F(sanitizerSetLaunchCallbackData)   \
  F(sanitizerSubscribe)               \
  F(sanitizerUnpatchModule)

struct Sanitizer {
#define GPUMEM_MEMBER(name) decltype(&::name) name = nullptr;
  GPUMEM_SANITIZER_FUNCTIONS(GPUMEM_MEMBER)
#undef GPUMEM_MEMBER
};

[[nodiscard]] const Driver& driver();
[[nodiscard]] const Sanitizer& sanitizer();

/// Finds the driver's functions. What is missing in words, or empty.
[[nodiscard]] std::string load_driver();
/// The same of the library at `path`.
[[nodiscard]] std::string load_sanitizer(const std::string& path);

}  // namespace gpumem::inject
