#pragma once
// Files that hold indices in a wrapping, or none: their bytes would pass for words.

#include <optional>
#include <string>
#include <string_view>

namespace gpumem::pattern {

/// What a file is by its first bytes, of which 4 KiB suffice, where it is none that indices are read from, and what to
/// do about it: "is compressed with xz; unpack it with unxz". Fit to follow the name of the file in an error.
[[nodiscard]] std::optional<std::string> foreign_file(std::string_view begin);

}  // namespace gpumem::pattern
