#pragma once
// Files that are compressed with gzip or xz, unpacked while they are read, by the zlib and liblzma of the system, which
// are loaded when the first such file comes.

#include <cstddef>
#include <cstdint>
#include <functional>
#include <span>
#include <string>
#include <string_view>

namespace gpumem {

/// Fills the span with what comes next, and returns how much of it; less than all only at the end. Throws a usage error
/// when the system cannot read on.
using ReadBytes = std::function<std::size_t(std::span<std::byte> into)>;

/// Takes the first bytes, as many as there are of `most`.
[[nodiscard]] std::string take_begin(const ReadBytes& read, std::size_t most);
/// What reads the bytes that were taken before what comes next.
[[nodiscard]] ReadBytes with_begin(ReadBytes rest, std::string begin);

/// What reads the content of a file: of one that begins as gzip or xz does what is packed in there, else the bytes as
/// they are. Sets `packed`. Takes no more memory than the decoder does, 256 MiB at most, however much is packed.
/// Reading throws a usage error of one line that begins with the source: for a library that the system lacks (with the
/// command that unpacks the file), for what is damaged or ends too early, and for what grows to more than 100 times its
/// size, once that is more than 64 MiB: a file made to fill memory.
[[nodiscard]] ReadBytes unpacked(ReadBytes read, const std::string& source, bool& packed);

/// What reads the content of an entry of a ZIP archive that is packed by deflate: of so many bytes, with this CRC-32,
/// which tells whether it is whole. `packed` must outlive it. Throws as the above.
[[nodiscard]] ReadBytes inflated(std::string_view packed, std::uint32_t crc32, std::uint64_t bytes,
                                 const std::string& source);

/// The path without the .gz or .xz that says how its content is packed.
[[nodiscard]] std::string without_packing(const std::string& path);
/// Whether a file is called as JSON is, packed or not: "a.json", "a.json.gz".
[[nodiscard]] bool is_json_name(const std::string& path);

}  // namespace gpumem
