#pragma once
// Modules patched, and what of that can fail.

#include <cuda.h>
#include <sanitizer.h>

#include "program/watch/raw_format.hpp"
#include "program/watch/sites/sanitizer.hpp"

namespace gpumem::inject {

/// Returns true if the call succeeded. Otherwise tells the user that launches go unseen because `what` failed.
[[nodiscard]] bool fine(const Sanitizer& sanitizer, SanitizerResult result, const char* what);
[[nodiscard]] bool fine(CUresult result, const char* what);

/// Brings the patches into the context. False, and said, where there are none for its GPU.
[[nodiscard]] bool add_patches(const Sanitizer& sanitizer, CUcontext context, const DeviceEvent& device);
/// The patch at every access of the module's kernels. `blocks`: at the begin of each block, too (LaunchPart).
[[nodiscard]] bool patch_accesses(const Sanitizer& sanitizer, CUmodule module, bool blocks);
/// The patch at the begin of each block alone: what runs then runs as fast as without.
[[nodiscard]] bool patch_blocks(const Sanitizer& sanitizer, CUmodule module);
[[nodiscard]] bool unpatch(const Sanitizer& sanitizer, CUmodule module);

}  // namespace gpumem::inject
