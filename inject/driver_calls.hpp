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
constexpr CallId cuGraphLaunch = 514;
constexpr CallId cuGraphLaunch_ptsz = 515;
constexpr CallId cuDevicePrimaryCtxRelease_v2 = 544;
constexpr CallId cuDevicePrimaryCtxReset_v2 = 545;
constexpr CallId cuLaunchKernelEx = 652;
constexpr CallId cuLaunchKernelEx_ptsz = 653;
}  // namespace driver_call
// NOLINTEND(readability-identifier-naming)

}  // namespace gpumem::inject
