#pragma once
// A user's file, which may be anything, and small files of the system.

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

namespace gpumem {

/// More than any report has. A larger input is another file, or has no end.
inline constexpr std::size_t most_input_bytes = std::size_t{256} << 20U;

/// Returns all that a stream has, unpacked if it is compressed with gzip (unpack.hpp). Throws a usage error that
/// names the source if it cannot be read or has more than `most_bytes` after unpacking.
[[nodiscard]] std::string read_input(std::istream& in, const std::string& source,
                                     std::size_t most_bytes = most_input_bytes);

/// Returns the name of a file in errors: its path, or "standard input" for "-".
[[nodiscard]] std::string source_name(const std::string& path);

/// Returns all of a file as read_input() does, or of standard input ("-"), which is kept for later calls. Throws a
/// usage error with the path and the system's reason, or if standard input is empty.
[[nodiscard]] std::string read_input_file(const std::string& path);

/// Returns all of a small file of the system; empty if it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace gpumem
