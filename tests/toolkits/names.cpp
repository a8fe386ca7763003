// Compares the numbers and the layouts that gpumem knows of NVIDIA's interfaces with the headers of one toolkit
// (test_toolkits.py). When a program runs, the libraries may be of another version than the headers, so the numbers
// have to hold in all versions.

#include <cupti_driver_cbid.h>
#include <cupti_result.h>
#include <nvml.h>
#include <sanitizer.h>

#include <cstddef>

#include "engine/machine/nvml_library.hpp"
#include "engine/measure/cupti.hpp"
#include "program/watch/driver_calls.hpp"
#include "program/watch/sites/patch_flags.hpp"

using namespace gpumem;

#define GPUMEM_CALL(name)                                                        \
  static_assert(inject::driver_call::name == SANITIZER_CBID_DRIVER_API_##name && \
                inject::driver_call::name == CUPTI_DRIVER_TRACE_CBID_##name)
static_assert(inject::driver_call::cuDevicePrimaryCtxRelease_v1 ==
                  SANITIZER_CBID_DRIVER_API_cuDevicePrimaryCtxRelease &&
              inject::driver_call::cuDevicePrimaryCtxRelease_v1 == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxRelease);
static_assert(inject::driver_call::cuDevicePrimaryCtxReset_v1 == SANITIZER_CBID_DRIVER_API_cuDevicePrimaryCtxReset &&
              inject::driver_call::cuDevicePrimaryCtxReset_v1 == CUPTI_DRIVER_TRACE_CBID_cuDevicePrimaryCtxReset);
GPUMEM_CALL(cuCtxDestroy_v2);
GPUMEM_CALL(cuDevicePrimaryCtxRelease_v2);
GPUMEM_CALL(cuDevicePrimaryCtxReset_v2);
GPUMEM_CALL(cuCtxSynchronize);
GPUMEM_CALL(cuEventSynchronize);
GPUMEM_CALL(cuStreamSynchronize);
GPUMEM_CALL(cuMemcpyDtoH_v2);
GPUMEM_CALL(cuLaunchKernel);
GPUMEM_CALL(cuMemcpyDtoH_v2_ptds);
GPUMEM_CALL(cuStreamSynchronize_ptsz);
GPUMEM_CALL(cuLaunchKernel_ptsz);
GPUMEM_CALL(cuLaunchCooperativeKernel);
GPUMEM_CALL(cuLaunchCooperativeKernel_ptsz);
GPUMEM_CALL(cuGraphLaunch);
GPUMEM_CALL(cuGraphLaunch_ptsz);
GPUMEM_CALL(cuLaunchKernelEx);
GPUMEM_CALL(cuLaunchKernelEx_ptsz);
GPUMEM_CALL(cuStreamBeginCapture_ptsz);
GPUMEM_CALL(cuStreamEndCapture);
GPUMEM_CALL(cuStreamEndCapture_ptsz);
GPUMEM_CALL(cuGraphExecDestroy);
GPUMEM_CALL(cuStreamBeginCapture_v2);
GPUMEM_CALL(cuStreamBeginCapture_v2_ptsz);
GPUMEM_CALL(cuGraphExecMemcpyNodeSetParams);
GPUMEM_CALL(cuGraphExecMemsetNodeSetParams);
GPUMEM_CALL(cuGraphExecHostNodeSetParams);
GPUMEM_CALL(cuGraphInstantiate_v2);
GPUMEM_CALL(cuGraphExecChildGraphNodeSetParams);
GPUMEM_CALL(cuGraphExecEventRecordNodeSetEvent);
GPUMEM_CALL(cuGraphExecEventWaitNodeSetEvent);
GPUMEM_CALL(cuGraphInstantiateWithFlags);
GPUMEM_CALL(cuGraphNodeSetEnabled);
GPUMEM_CALL(cuGraphInstantiateWithParams);
GPUMEM_CALL(cuGraphInstantiateWithParams_ptsz);
GPUMEM_CALL(cuGraphExecKernelNodeSetParams_v2);
GPUMEM_CALL(cuGraphExecUpdate_v2);
GPUMEM_CALL(cuGraphExecNodeSetParams);
GPUMEM_CALL(cuStreamBeginCaptureToGraph);
GPUMEM_CALL(cuStreamBeginCaptureToGraph_ptsz);

#define GPUMEM_FIRST_CALL(name)                                                       \
  static_assert(inject::driver_call::name##_v1 == SANITIZER_CBID_DRIVER_API_##name && \
                inject::driver_call::name##_v1 == CUPTI_DRIVER_TRACE_CBID_##name)
GPUMEM_FIRST_CALL(cuStreamBeginCapture);
GPUMEM_FIRST_CALL(cuGraphInstantiate);
GPUMEM_FIRST_CALL(cuGraphExecKernelNodeSetParams);
GPUMEM_FIRST_CALL(cuGraphExecUpdate);

// The sanitizer's library: what it is asked for, and where it puts what it says.
static_assert(SANITIZER_CB_DOMAIN_DRIVER_API == 1 && SANITIZER_CB_DOMAIN_RESOURCE == 3 &&
              SANITIZER_CB_DOMAIN_LAUNCH == 5 && SANITIZER_CB_DOMAIN_GRAPHS == 10 &&
              SANITIZER_CBID_GRAPHS_GRAPHEXEC_CREATED == 2);
static_assert(SANITIZER_CBID_RESOURCE_MODULE_LOADED == 9 && SANITIZER_CBID_RESOURCE_MODULE_UNLOAD_STARTING == 10 &&
              SANITIZER_CBID_RESOURCE_CONTEXT_DESTROY_STARTING == 4 && SANITIZER_CBID_LAUNCH_BEGIN == 1);
static_assert(SANITIZER_API_ENTER == 0 && SANITIZER_API_EXIT == 1 && SANITIZER_SUCCESS == 0);
static_assert(SANITIZER_INSTRUCTION_GLOBAL_MEMORY_ACCESS == 3 && SANITIZER_INSTRUCTION_SHARED_MEMORY_ACCESS == 4 &&
              SANITIZER_INSTRUCTION_LOCAL_MEMORY_ACCESS == 5 && SANITIZER_INSTRUCTION_MEMCPY_ASYNC == 14);
static_assert(inject::later_instruction::remote_shared_memory_access ==
                  SANITIZER_INSTRUCTION_REMOTE_SHARED_MEMORY_ACCESS &&
              inject::later_instruction::matrix_memory_access == SANITIZER_INSTRUCTION_MATRIX_MEMORY_ACCESS &&
              inject::later_instruction::warpgroup_mma_async == SANITIZER_INSTRUCTION_WARPGROUP_MMA_ASYNC &&
              inject::later_instruction::async_store == SANITIZER_INSTRUCTION_ASYNC_STORE &&
              inject::later_instruction::async_reduction == SANITIZER_INSTRUCTION_ASYNC_REDUCTION);
#if CUPTI_API_VERSION >= 130300  // the sanitizer's headers do not say which version they are
static_assert(
    inject::later_instruction::bulk_copy_global_to_shared == SANITIZER_INSTRUCTION_BULK_COPY_GLOBAL_TO_SHARED &&
    inject::later_instruction::bulk_copy_shared_to_global == SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_GLOBAL &&
    inject::later_instruction::bulk_copy_shared_to_shared == SANITIZER_INSTRUCTION_BULK_COPY_SHARED_TO_SHARED &&
    inject::later_instruction::bulk_reduction_shared_to_global ==
        SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_GLOBAL &&
    inject::later_instruction::bulk_reduction_shared_to_shared ==
        SANITIZER_INSTRUCTION_BULK_REDUCTION_SHARED_TO_SHARED &&
    inject::later_instruction::tensor_load == SANITIZER_INSTRUCTION_TMA_LOAD);
#endif
static_assert(SANITIZER_MEMORY_DEVICE_FLAG_READ == 1 && SANITIZER_MEMORY_DEVICE_FLAG_WRITE == 2 &&
              SANITIZER_MEMORY_DEVICE_FLAG_PREFETCH == 8 && SANITIZER_PATCH_SUCCESS == 0);
static_assert(offsetof(Sanitizer_CallbackData, callbackSite) == 0 &&
              offsetof(Sanitizer_CallbackData, functionParams) == 16 &&
              offsetof(Sanitizer_CallbackData, functionReturnValue) == 24 &&
              offsetof(Sanitizer_CallbackData, symbolName) == 32 && offsetof(Sanitizer_CallbackData, context) == 40);
static_assert(offsetof(Sanitizer_ResourceModuleData, module) == 8 &&
              offsetof(Sanitizer_ResourceModuleData, cubinSize) == 16 &&
              offsetof(Sanitizer_ResourceModuleData, pCubin) == 24);
static_assert(offsetof(Sanitizer_ResourceContextData, context) == 0);
static_assert(offsetof(Sanitizer_LaunchData, hStream) == 16 && offsetof(Sanitizer_LaunchData, function) == 32 &&
              offsetof(Sanitizer_LaunchData, hLaunch) == 96);

// NVML, declared here and not by its header (the driver's, which is older or newer than any toolkit).
static_assert(sizeof(measure::nvmlProcessInfo_v2_t) == sizeof(::nvmlProcessInfo_v2_t));
static_assert(sizeof(measure::nvmlFieldValue_t) == sizeof(::nvmlFieldValue_t) &&
              offsetof(measure::nvmlFieldValue_t, nvmlReturn) == offsetof(::nvmlFieldValue_t, nvmlReturn) &&
              offsetof(measure::nvmlFieldValue_t, value) == offsetof(::nvmlFieldValue_t, value));
static_assert(sizeof(measure::nvmlPciInfo_t) == sizeof(::nvmlPciInfo_t) &&
              offsetof(measure::nvmlPciInfo_t, busId) == offsetof(::nvmlPciInfo_t, busId));
static_assert(sizeof(measure::nvmlGpuFabricInfo_t) == sizeof(::nvmlGpuFabricInfo_t) &&
              offsetof(measure::nvmlGpuFabricInfo_t, state) == offsetof(::nvmlGpuFabricInfo_t, state));
static_assert(measure::NVML_SUCCESS == ::NVML_SUCCESS);

// Names that only the newest headers have.
#ifdef GPUMEM_NEWEST
static_assert(inject::atomic_write_only == SANITIZER_MEMORY_DEVICE_FLAG_ATOMIC_WRITE_ONLY);
static_assert(measure::cupti_mig_not_supported == CUPTI_ERROR_MIG_DEVICE_NOT_SUPPORTED &&
              measure::cupti_invalid_chip_name == CUPTI_ERROR_INVALID_CHIP_NAME);
#endif
