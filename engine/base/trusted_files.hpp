#pragma once
// Which files may be loaded, or run, without their user having named them.

#include <filesystem>

namespace gpumem {

/// Whether nobody can change the file, or put another in its place, but root, this user and those whose installation it
/// is: the owner of `installed`, the folder that it lies below, and the group that can write there. A folder that
/// others can write to is fine only if it is sticky, as /tmp is: what lies in it can be replaced by its owner alone. A
/// user's own group counts as the user.
[[nodiscard]] bool is_trusted(const std::filesystem::path& file, const std::filesystem::path& installed);

}  // namespace gpumem
