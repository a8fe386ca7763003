#pragma once
// Files that are compressed with gzip, unpacked by zlib while they are read.

#include <cstddef>
#include <functional>
#include <span>
#include <string>

namespace gpumem {

/// Fills the span with the next bytes and returns how many they are; fewer than the span holds only at the end. Throws
/// a usage error if the system cannot read on.
using ReadBytes = std::function<std::size_t(std::span<std::byte> into)>;

/// Takes the first bytes, as many as there are of `most`.
[[nodiscard]] std::string take_begin(const ReadBytes& read, std::size_t most);
/// Returns a reader of `begin`, the bytes that were taken, followed by the rest.
[[nodiscard]] ReadBytes with_begin(ReadBytes rest, std::string begin);

/// Returns a reader of a file's content, unpacked if the file begins as gzip does. `packed` says if it does. The reader
/// takes no more memory than zlib does, however much is packed. Throws a usage error of one line that begins with the
/// source and says what unpacks the file if it is compressed with xz, or if gpumem was built without zlib. Reading
/// throws one if the content is damaged or ends too early. It also throws if the content grows beyond 64 MiB and beyond
/// 100 times its packed size: such a file is made to fill memory.
[[nodiscard]] ReadBytes unpacked(ReadBytes read, const std::string& source, bool& packed);

/// The path without the .gz or .xz that says how its content is packed.
[[nodiscard]] std::string without_packing(const std::string& path);
/// True for the name of a JSON file, packed or not: "a.json", "a.json.gz".
[[nodiscard]] bool is_json_name(const std::string& path);

}  // namespace gpumem
