#pragma once
// The folders for a user's files of this program, by the XDG Base Directory Specification.

#include <filesystem>

namespace gpumem {

/// Returns $VARIABLE/gpumem, or the same in a folder of $HOME: user_folder("XDG_CACHE_HOME", ".cache"). Relative paths
/// are ignored, as the specification demands. Empty if neither variable has an absolute path.
[[nodiscard]] std::filesystem::path user_folder(const char* variable, const char* in_home);

}  // namespace gpumem
