#pragma once
// Where a user's files of this program are, by the XDG Base Directory Specification.

#include <filesystem>

namespace gpumem {

/// $VARIABLE/gpumem, or the same in a folder of $HOME: user_folder("XDG_CACHE_HOME", ".cache"). Relative paths are
/// ignored, as the specification has it. Empty where neither variable has an absolute one.
[[nodiscard]] std::filesystem::path user_folder(const char* variable, const char* in_home);

}  // namespace gpumem
