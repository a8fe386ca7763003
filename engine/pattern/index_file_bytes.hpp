#pragma once
// Bytes to read indices from: a file of any size, a pipe, or memory. Read rather than mapped: a file that is truncated
// or rewritten while it is measured would end the program, or send the kernel to elements that nobody has checked.

#include <cstddef>
#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "engine/base/unpack.hpp"
#include "engine/pattern/index_sequence.hpp"

namespace gpumem::pattern {

struct ByteSource {
  std::string name;                    ///< for errors
  std::optional<std::uint64_t> bytes;  ///< in all; unknown of a pipe
  ReadBytes read;
};

/// A file, or standard input where the path is "-". Throws a usage error with the path and the system's reason: no such
/// file, a directory, no permission.
[[nodiscard]] ByteSource open_bytes(const std::string& path_or_dash);

/// Bytes in memory, which must outlive the source. As a pipe, their number is not told in advance.
[[nodiscard]] ByteSource bytes_in_memory(std::string_view content, const std::string& name, bool pipe = false);

/// The next bytes, at most `most`, in memory that grows with what really comes: a header may promise anything.
[[nodiscard]] WordBuffer read_words(const ByteSource& source, std::uint64_t most);

/// The first `most` characters of a file for one line of an error, with codes for bytes that are no printable ASCII:
/// "1.5", "\x00\x01...".
[[nodiscard]] std::string quoted_bytes(std::string_view content, std::size_t most = 24);

}  // namespace gpumem::pattern
