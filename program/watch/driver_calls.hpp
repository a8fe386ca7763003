#pragma once
// Numbers of the driver's calls that are watched. The sanitizer's library and CUPTI have the same in all their versions
// (SANITIZER_CBID_DRIVER_API_..., CUPTI_DRIVER_TRACE_CBID_...; tests/toolkits/names.cpp holds them against both), so
// that this builds without the headers of either.

#include <cstdint>

namespace gpumem::inject {

using CallId = std::uint32_t;

// NOLINTBEGIN(readability-identifier-naming): as the driver's functions are named
// Where cuda.h gives a call's name to its second version, the first ends in _v1 here.
namespace driver_call {
constexpr CallId cuCtxSynchronize = 17;
constexpr CallId cuEventSynchronize = 121;
constexpr CallId cuStreamSynchronize = 126;
constexpr CallId cuMemcpyDtoH_v2 = 278;
constexpr CallId cuLaunchKernel = 307;
constexpr CallId cuCtxDestroy_v2 = 322;
constexpr CallId cuDevicePrimaryCtxRelease_v1 = 387;
constexpr CallId cuDevicePrimaryCtxReset_v1 = 389;  // what cudaDeviceReset calls
constexpr CallId cuMemcpyDtoH_v2_ptds = 398;
constexpr CallId cuStreamSynchronize_ptsz = 440;
constexpr CallId cuLaunchKernel_ptsz = 442;
constexpr CallId cuLaunchCooperativeKernel = 477;
constexpr CallId cuLaunchCooperativeKernel_ptsz = 478;
constexpr CallId cuStreamBeginCapture_v1 = 495;
constexpr CallId cuStreamBeginCapture_ptsz = 496;
constexpr CallId cuStreamEndCapture = 497;
constexpr CallId cuStreamEndCapture_ptsz = 498;
constexpr CallId cuGraphInstantiate_v1 = 513;
constexpr CallId cuGraphLaunch = 514;
constexpr CallId cuGraphLaunch_ptsz = 515;
constexpr CallId cuGraphExecDestroy = 516;
constexpr CallId cuGraphExecKernelNodeSetParams_v1 = 538;
constexpr CallId cuStreamBeginCapture_v2 = 539;
constexpr CallId cuStreamBeginCapture_v2_ptsz = 540;
constexpr CallId cuDevicePrimaryCtxRelease_v2 = 544;
constexpr CallId cuDevicePrimaryCtxReset_v2 = 545;
constexpr CallId cuGraphExecUpdate_v1 = 561;
constexpr CallId cuGraphExecMemcpyNodeSetParams = 562;
constexpr CallId cuGraphExecMemsetNodeSetParams = 563;
constexpr CallId cuGraphExecHostNodeSetParams = 564;
constexpr CallId cuGraphInstantiate_v2 = 578;
constexpr CallId cuGraphExecChildGraphNodeSetParams = 586;
constexpr CallId cuGraphExecEventRecordNodeSetEvent = 595;
constexpr CallId cuGraphExecEventWaitNodeSetEvent = 596;
constexpr CallId cuGraphInstantiateWithFlags = 643;
constexpr CallId cuGraphNodeSetEnabled = 650;
constexpr CallId cuLaunchKernelEx = 652;
constexpr CallId cuLaunchKernelEx_ptsz = 653;
constexpr CallId cuGraphInstantiateWithParams = 656;
constexpr CallId cuGraphInstantiateWithParams_ptsz = 657;
constexpr CallId cuGraphExecKernelNodeSetParams_v2 = 692;
constexpr CallId cuGraphExecUpdate_v2 = 696;
constexpr CallId cuGraphExecNodeSetParams = 714;
constexpr CallId cuStreamBeginCaptureToGraph = 720;
constexpr CallId cuStreamBeginCaptureToGraph_ptsz = 721;
}  // namespace driver_call
// NOLINTEND(readability-identifier-naming)

}  // namespace gpumem::inject
