#pragma once
// Compiled kernels kept in files, so that a later run need not compile them again. It is only a cache: a file that
// cannot be read, or is not as it was written, counts as absent, and a failure to write is no error.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/measure/kernel_source.hpp"

namespace gpumem::measure {

/// Returns the name of a file: 32 hexadecimal digits that stand for everything that decides the machine code. Different
/// kernels share a name by chance once in 2^64 kernels.
[[nodiscard]] std::string kernel_key(const KernelSource& source, unsigned compute_capability,
                                     std::string_view compiler_version);

/// Returns $XDG_CACHE_HOME/gpumem/kernels, or the same in ~/.cache (the XDG Base Directory Specification). Empty if
/// neither is known.
[[nodiscard]] std::filesystem::path kernel_cache_folder();

/// Returns the kernels in the file of that key. Absent if there is no such file, or it is cut off, damaged or somebody
/// else's.
[[nodiscard]] std::optional<CompiledKernels> cached_kernels(const std::filesystem::path& folder,
                                                            const std::string& key);

/// Writes a file, as a whole or not at all, and makes the folder. Removes the oldest files if the folder then has more
/// than `most_files`.
void cache_kernels(const std::filesystem::path& folder, const std::string& key, const CompiledKernels& kernels,
                   std::size_t most_files = 500);

}  // namespace gpumem::measure
