#pragma once
// Compiling kernels while the program runs, with NVRTC. Its library is loaded when it is first needed: the program
// needs neither the library nor its headers to be built or to start.

#include <string>

#include "engine/measure/kernel_source.hpp"

namespace gpumem::measure {

/// Returns the version of the NVRTC that compile() uses: "13.0". Throws as compile() does if there is none.
[[nodiscard]] std::string nvrtc_version();

/// Returns machine code for GPUs of a compute capability, 90 being 9.0. The same kernels are compiled once: they are
/// kept for the rest of the run, and in a folder for later ones (kernel_cache.hpp).
///
/// Throws a missing-capability error if NVRTC is not installed or does not know the architecture: this concerns all
/// cases that need compiling, and the cure is the same for all. Source that does not compile, or has no such kernel, is
/// a probe error that begins with what the compiler said first.
[[nodiscard]] CompiledKernels compile(const KernelSource& source, unsigned compute_capability);

}  // namespace gpumem::measure
