#pragma once
// ZIP archives, as numpy.savez writes them. The format, with ZIP64:
// https://pkware.cachefly.net/webdocs/casestudies/APPNOTE.TXT

#include <cstddef>
#include <cstdint>
#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "engine/pattern/index_file_bytes.hpp"

namespace gpumem::pattern {

/// The beginning of every such file, unless it is empty.
inline constexpr std::string_view zip_begin = "PK\x03\x04";

struct ZipEntry {
  std::string name;
  std::string_view content;  ///< in the archive, packed by `method`
  unsigned method = 0;
  std::uint32_t crc32 = 0;  ///< of what is unpacked, as the next
  std::uint64_t bytes = 0;
};

/// Its entries, in the order of its directory. Throws a usage error that names the source for a file that is damaged or
/// truncated, or whose entries are encrypted.
[[nodiscard]] std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& source);

/// Opens an entry, called "SOURCE: NAME" in errors; the archive must outlive it. Throws a usage error for a packing
/// other than deflate.
[[nodiscard]] ByteSource open_entry(const ZipEntry& entry, const std::string& source);

}  // namespace gpumem::pattern
