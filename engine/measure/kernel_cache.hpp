#pragma once
// Compiled kernels kept in files, so that a later run need not compile them again. It is only a cache: what cannot be
// read, or is not what was written, is not there, and a failure to write is no error.

#include <filesystem>
#include <optional>
#include <string>
#include <string_view>

#include "engine/measure/kernel_source.hpp"

namespace gpumem::measure {

/// What a file is called: 32 hexadecimal digits that stand for everything that decides the machine code. Different ones
/// meet by chance once in 2^64 kernels.
[[nodiscard]] std::string kernel_key(const KernelSource& source, unsigned compute_capability,
                                     std::string_view compiler_version);

/// $XDG_CACHE_HOME/gpumem/kernels, or the same in ~/.cache (the XDG Base Directory Specification). Empty where neither
/// is known.
[[nodiscard]] std::filesystem::path kernel_cache_folder();

/// Absent when the folder has no file of that key, or one that is cut off, damaged or somebody else's.
[[nodiscard]] std::optional<CompiledKernels> cached_kernels(const std::filesystem::path& folder,
                                                            const std::string& key);

/// Writes a file, as a whole or not at all, and makes the folder. Of more than `most_files` in the folder the oldest
/// are removed.
void cache_kernels(const std::filesystem::path& folder, const std::string& key, const CompiledKernels& kernels,
                   std::size_t most_files = 500);

}  // namespace gpumem::measure
