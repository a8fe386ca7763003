#pragma once
// Trust in files that are loaded or run without their user having named them.

#include <filesystem>

namespace gpumem {

/// Returns true if only these can change the file or put another in its place: root, this user, the owner of
/// `installed` (the folder that the file lies below), and the group that can write there. A folder that others can
/// write to is trusted only if it is sticky, as /tmp is: a file in it can be replaced by its owner alone. A user's own
/// group counts as the user.
[[nodiscard]] bool is_trusted(const std::filesystem::path& file, const std::filesystem::path& installed);

}  // namespace gpumem
