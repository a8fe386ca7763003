#pragma once
// A user's file, which may be anything, and small files of the system.

#include <cstddef>
#include <filesystem>
#include <iosfwd>
#include <string>

namespace gpumem {

/// More than any report: what is larger is another file, or has no end.
inline constexpr std::size_t most_input_bytes = std::size_t{256} << 20U;

/// All that a stream has, unpacked where it is compressed with gzip or xz (unpack.hpp). Throws a usage error that names
/// the source when it cannot be read or has more than `most_bytes`, of what is compressed once that is unpacked.
[[nodiscard]] std::string read_input(std::istream& in, const std::string& source,
                                     std::size_t most_bytes = most_input_bytes);

/// What errors call a file: its path, or "standard input" for "-".
[[nodiscard]] std::string source_name(const std::string& path);

/// The same of a file, or of standard input ("-"), which is kept for those who read it again. Throws a usage error with
/// the path and the system's reason, and for standard input without anything in it.
[[nodiscard]] std::string read_input_file(const std::string& path);

/// All of a small file of the system, which is there or not; empty when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace gpumem
