#pragma once
// The environment variables by which `gpumem run` tells the library that it injects what to do. The program's children
// inherit them.

namespace gpumem::inject {

inline constexpr const char* folder_variable = "GPUMEM_RUN_FOLDER";  ///< where files of raw_format.hpp go
inline constexpr const char* sanitizer_variable =
    "GPUMEM_RUN_SANITIZER";                                          ///< libsanitizer-public.so; absent: not found
inline constexpr const char* engine_variable = "GPUMEM_RUN_ENGINE";  ///< this, or anything else for sites
inline constexpr const char* counters_engine_name = "counters";
inline constexpr const char* cupti_variable = "GPUMEM_RUN_CUPTI";    ///< libcupti.so; absent: not found
inline constexpr const char* replay_variable = "GPUMEM_RUN_REPLAY";  ///< "1": kernels are run again to be counted
/// Launches seen access by access of each kernel, grid and block; "0": none, times alone. Absent: one of each, but of
/// kernels with many grids only of some that differ by a factor of two.
inline constexpr const char* launches_variable = "GPUMEM_RUN_LAUNCHES";
inline constexpr const char* skip_first_variable =
    "GPUMEM_RUN_SKIP_FIRST";  ///< launches of a process passed over first
/// An extended regular expression (regcomp): of kernels whose demangled name has no match, nothing but times is taken.
inline constexpr const char* kernel_variable = "GPUMEM_RUN_KERNEL";
inline constexpr const char* device_variable = "GPUMEM_RUN_DEVICE";  ///< number, beginning of a UUID or PCI bus id
/// Share of the program's own time that watching may take, where that is more than a second: "0.2".
inline constexpr const char* overhead_variable = "GPUMEM_RUN_MAX_OVERHEAD";

/// Anything: all launches are counted to the program's end, whatever that costs it (departure.hpp). For people.
inline constexpr const char* stay_variable = "GPUMEM_RUN_STAY";

}  // namespace gpumem::inject
