#pragma once
// Functions of the driver, found at run time: this library is a guest that brings nothing along, and calls them in the
// program's threads.

#include <cuda.h>

#include <string>

#include "program/watch/thread_state.hpp"

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
  F(cuLaunchCooperativeKernel)                   \
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

/// Functions that inspect CUDA graphs, and functions that launch what their nodes do.
#define GPUMEM_GRAPH_FUNCTIONS(F)   \
  F(cuGraphChildGraphNodeGetGraph)  \
  F(cuGraphCreate)                  \
  F(cuGraphDestroy)                 \
  F(cuGraphEventRecordNodeGetEvent) \
  F(cuGraphEventWaitNodeGetEvent)   \
  F(cuGraphGetEdges_v2)             \
  F(cuGraphGetNodes)                \
  F(cuGraphHostNodeGetParams)       \
  F(cuGraphInstantiateWithFlags)    \
  F(cuGraphKernelNodeGetAttribute)  \
  F(cuGraphKernelNodeGetParams_v2)  \
  F(cuGraphMemcpyNodeGetParams)     \
  F(cuGraphMemsetNodeGetParams)     \
  F(cuGraphNodeGetType)             \
  F(cuLaunchHostFunc)               \
  F(cuMemcpy3DAsync_v2)             \
  F(cuMemsetD2D16Async)             \
  F(cuMemsetD2D32Async)             \
  F(cuMemsetD2D8Async)              \
  F(cuStreamWaitEvent)

struct Driver {
#define GPUMEM_MEMBER(name) decltype(&::name) name = nullptr;
  GPUMEM_DRIVER_FUNCTIONS(GPUMEM_MEMBER)
  // Null if the driver lacks them; has_graphs() is true if it has all of them.
  GPUMEM_GRAPH_FUNCTIONS(GPUMEM_MEMBER)
#undef GPUMEM_MEMBER
  [[nodiscard]] bool has_graphs() const { return cuGraphGetNodes != nullptr; }
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
  // Null if the driver lacks them.
  CUresult (*cuStreamWaitValue32)(CUstream, CUdeviceptr, cuuint32_t, unsigned) = nullptr;
  CUresult (*cuFuncLoad)(CUfunction) = nullptr;
  CUresult (*cuFuncGetParamInfo)(CUfunction, std::size_t, std::size_t*, std::size_t*) = nullptr;
  CUresult (*cuFuncGetName)(const char**, CUfunction) = nullptr;
  CUresult (*cuKernelGetFunction)(CUfunction*, CUkernel) = nullptr;
};

/// The functions. They are found once, by the first call of this function or the next, and never change.
[[nodiscard]] const Driver& driver();
/// Finds the functions. Returns the name of a missing one, or of the library if that is missing; empty if all were
/// found.
[[nodiscard]] std::string load_driver();

/// While it lives, calls of this thread are ours: no stream capture of the program's takes offence at them, and they
/// are not watched.
class OwnCalls {
 public:
  OwnCalls() {
    ++this_thread.own_calls;
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
  }
  ~OwnCalls() {
    static_cast<void>(driver().cuThreadExchangeStreamCaptureMode(&mode_));
    --this_thread.own_calls;
  }
  OwnCalls(const OwnCalls&) = delete;
  OwnCalls& operator=(const OwnCalls&) = delete;

  [[nodiscard]] static bool active() { return this_thread.own_calls > 0; }

 private:
  CUstreamCaptureMode mode_ = CU_STREAM_CAPTURE_MODE_RELAXED;
};

}  // namespace gpumem::inject
