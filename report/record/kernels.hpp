#pragma once
// Kernels of a user's program as results of a report: the probe `kernel`, which no registry knows and nobody can run.

#include "probes/probe.hpp"
#include "report/record/record.hpp"

namespace gpumem::report {

inline constexpr const char* kernel_probe_name = "kernel";

// Names in ProgramRecord::engines.
inline constexpr const char* sites_engine = "sites";
inline constexpr const char* counters_engine = "counters";

/// The reason in ProgramRecord::skipped for launches of graphs of which nothing is known: their kernels are in no
/// result.
inline constexpr const char* graphs_reason =
    "of CUDA graphs were not seen, and their kernels are in no sum; add --counters, or run the program "
    "without graphs";

// Parameters of such a result.
inline constexpr const char* kernel_parameter = "kernel";  ///< its name, demangled
inline constexpr const char* grid_parameter = "grid";      ///< blocks: "1024", "64x64", "8x8x8"
inline constexpr const char* block_threads_parameter = "block_threads";
inline constexpr const char* device_parameter = "device";  ///< index into the report's devices

// Metrics of such a result.
inline constexpr const char* gpu_time_name = "gpu_time_seconds";  ///< of all its launches
inline constexpr const char* gpu_share_name = "gpu_time_share";   ///< of the whole program's
inline constexpr const char* launches_name = "launches";
inline constexpr const char* moved_name =
    "bytes_moved_per_byte_used";  ///< sectors that requests touch x 32 / useful bytes
inline constexpr const char* could_save_name = "could_save_seconds";          ///< of all its launches, by the model
inline constexpr const char* could_save_low_name = "could_save_low_seconds";  ///< low and high end of it
inline constexpr const char* could_save_high_name = "could_save_high_seconds";

// Quantities that are computed from a result (report/record/quantities.cpp).
inline constexpr const char* could_save_share_name = "could_save_share";  ///< of the whole program's time on the GPU
inline constexpr const char* local_bytes_name = "local_bytes";            ///< moved to and from local memory, a launch

/// The probe of kernels. It describes their metrics and headline (bandwidth of the useful bytes); its axes name the
/// parameters.
[[nodiscard]] const Probe& kernel_probe();

[[nodiscard]] bool is_kernel(const Record& record);

/// True if the kernel was seen access by access. A kernel with counts and no sites was only counted.
[[nodiscard]] bool has_seen_accesses(const Record& record);

/// True if the kernel was skipped: only the time of its launches is known.
[[nodiscard]] bool is_only_timed(const Record& record);

/// True if no launch of the kernel's grid was looked at: one of another grid of the same kernel stands for it.
[[nodiscard]] bool is_seen_by_another_grid(const Record& record);

/// The word for a result of the report: "kernel" if it is of a program, else "case".
[[nodiscard]] std::string_view case_noun(const Report& report);

/// The probe of a name, the one of kernels included; null if there is none.
[[nodiscard]] const Probe* find_described_probe(std::string_view name);

}  // namespace gpumem::report
