#pragma once
// Functions of the driver, found at run time: this library is a guest that brings nothing along.

#include <cuda.h>

#include <string>

namespace gpumem::inject {

// Every function with the name that it has in the library: cuda.h renames some.
#define GPUMEM_DRIVER_FUNCTIONS(F)               \
  F(cuCtxGetDevice)                              \
  F(cuCtxSynchronize)                            \
  F(cuDeviceGetAttribute)                        \
  F(cuDeviceGetName)                             \
  F(cuDeviceGetPCIBusId)                         \
  F(cuDriverGetVersion)                          \
  F(cuEventCreate)                               \
  F(cuEventQuery)                                \
  F(cuEventRecord)                               \
  F(cuEventSynchronize)                          \
  F(cuFuncGetAttribute)                          \
  F(cuFuncGetModule)                             \
  F(cuLaunchKernel)                              \
  F(cuLaunchKernelEx)                            \
  F(cuMemHostAlloc)                              \
  F(cuMemsetD8Async)                             \
  F(cuOccupancyMaxActiveBlocksPerMultiprocessor) \
  F(cuPointerGetAttribute)                       \
  F(cuStreamCreate)                              \
  F(cuStreamIsCapturing)                         \
  F(cuStreamSynchronize)                         \
  F(cuThreadExchangeStreamCaptureMode)

struct Driver {
#define GPUMEM_MEMBER(name) decltype(&::name) name = nullptr;
  GPUMEM_DRIVER_FUNCTIONS(GPUMEM_MEMBER)
#undef GPUMEM_MEMBER
  CUresult (*cuMemAlloc)(CUdeviceptr*, std::size_t) = nullptr;
  CUresult (*cuMemFree)(CUdeviceptr) = nullptr;
  CUresult (*cuMemGetInfo)(std::size_t*, std::size_t*) = nullptr;
  CUresult (*cuMemHostGetDevicePointer)(CUdeviceptr*, void*, unsigned) = nullptr;
  CUresult (*cuStreamDestroy)(CUstream) = nullptr;
  CUresult (*cuMemcpyDtoHAsync)(void*, CUdeviceptr, std::size_t, CUstream) = nullptr;
  CUresult (*cuMemcpyHtoDAsync)(CUdeviceptr, const void*, std::size_t, CUstream) = nullptr;
  CUresult (*cuDeviceTotalMem)(std::size_t*, CUdevice) = nullptr;
  CUresult (*cuDeviceGetUuid)(CUuuid*, CUdevice) = nullptr;
  CUresult (*cuEventElapsedTime)(float*, CUevent, CUevent) = nullptr;
  // Of drivers that have them; else null.
  CUresult (*cuStreamWaitValue32)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*cuFuncLoad)(CUfunction) = nullptr;
  CUresult (*cuFuncGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  CUresult (*cuFuncGetName)(const char**, CUfunction) = nullptr;
  CUresult (*cuKernelGetFunction)(CUfunction*, CUkernel) = nullptr;
};

[[nodiscard]] const Driver& driver();
/// Finds them. What is missing in words, or empty.
[[nodiscard]] std::string load_driver();

}  // namespace gpumem::inject
