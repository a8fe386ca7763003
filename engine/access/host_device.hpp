#pragma once
// Definitions that device code, host code and run-time compilation share. Headers that include only this one can be
// handed to NVRTC as they are: it has no host standard library.

#ifdef __CUDACC__
#define GPUMEM_HOST_DEVICE __host__ __device__
#else
#define GPUMEM_HOST_DEVICE
#endif

#ifdef __CUDACC_RTC__
namespace std {
using uint32_t = unsigned int;
using uint64_t = unsigned long long;
}  // namespace std
#else
#include <cstdint>
#endif
