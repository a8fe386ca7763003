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

/// The same of a file. Throws a usage error with the path and the system's reason.
[[nodiscard]] std::string read_input_file(const std::string& path);

/// All of a small file of the system, which is there or not; empty when it cannot be read.
[[nodiscard]] std::string read_file(const std::filesystem::path& path);

}  // namespace gpumem
