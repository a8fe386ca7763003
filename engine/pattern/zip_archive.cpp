#include "engine/pattern/zip_archive.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "engine/base/error.hpp"

namespace gpumem::pattern {

namespace {

constexpr std::uint64_t in_zip64 = 0xffffffff;  // in place of a number that needs 64 bits

class ArchiveReader {
 public:
  ArchiveReader(std::string_view archive, const std::string& source) : archive_(archive), source_(source) {}

  std::vector<ZipEntry> entries() const {
    std::uint64_t end = end_record();
    std::uint64_t count = number(end + 10, 2);
    std::uint64_t at = number(end + 16, 4);
    constexpr std::uint64_t locator_bytes = 20;
    if (end >= locator_bytes && begins(end - locator_bytes, "PK\x06\x07")) {
      end = number(end - locator_bytes + 8, 8);
      if (!begins(end, "PK\x06\x06")) damaged("it has no directory");
      count = number(end + 32, 8);
      at = number(end + 48, 8);
    }
    std::vector<ZipEntry> all;
    for (std::uint64_t i = 0; i < count; ++i) all.push_back(entry(at));
    return all;
  }

 private:
  [[noreturn]] void damaged(std::string_view how) const {
    throw usage_error(
        fmt::format("{}: is a damaged or truncated archive: {}; copy or save the file again", source_, how));
  }

  /// Returns `bytes` bytes of the archive, from `at` on. Throws a usage error if it ends before.
  [[nodiscard]] std::string_view part(std::uint64_t at, std::uint64_t bytes) const {
    if (at > archive_.size() || bytes > archive_.size() - at) damaged("it ends too early");
    return archive_.substr(at, bytes);
  }
  [[nodiscard]] bool begins(std::uint64_t at, std::string_view mark) const { return part(at, mark.size()) == mark; }
  [[nodiscard]] std::uint64_t number(std::uint64_t at, std::uint64_t bytes) const {
    const std::string_view digits = part(at, bytes);
    std::uint64_t value = 0;
    for (std::size_t i = digits.size(); i-- > 0;) value = value << 8U | static_cast<unsigned char>(digits[i]);
    return value;
  }

  /// The offset of the end of central directory record, behind which there is nothing but a comment.
  [[nodiscard]] std::uint64_t end_record() const {
    constexpr std::size_t record_bytes = 22;
    constexpr std::size_t longest_comment = 0xffff;
    const std::size_t from = archive_.size() - std::min(archive_.size(), record_bytes);
    const std::size_t found = archive_.rfind("PK\x05\x06", from);
    if (found == std::string_view::npos || from - found > longest_comment) damaged("it has no directory");
    return found;
  }

  /// Reads the entry whose header is at `at`, and sets `at` to the next header.
  [[nodiscard]] ZipEntry entry(std::uint64_t& at) const {
    constexpr std::uint64_t header_bytes = 46;
    constexpr std::uint64_t local_header_bytes = 30;
    constexpr unsigned encrypted = 1;
    if (!begins(at, "PK\x01\x02")) damaged("its directory has fewer entries than it says");
    const std::uint64_t name_bytes = number(at + 28, 2);
    const std::uint64_t extra_bytes = number(at + 30, 2);
    ZipEntry entry{.name = std::string(part(at + header_bytes, name_bytes)),
                   .content = {},
                   .method = static_cast<unsigned>(number(at + 10, 2)),
                   .crc32 = static_cast<std::uint32_t>(number(at + 16, 4)),
                   .bytes = number(at + 24, 4)};
    if ((number(at + 8, 2) & encrypted) != 0)
      throw usage_error(fmt::format("{}: is encrypted; save it without", source_));
    std::uint64_t packed_bytes = number(at + 20, 4);
    std::uint64_t begin = number(at + 42, 4);
    read_zip64(at + header_bytes + name_bytes, extra_bytes, {&entry.bytes, &packed_bytes, &begin});
    at += header_bytes + name_bytes + extra_bytes + number(at + 32, 2);
    if (!begins(begin, zip_begin)) damaged("an entry is not where its directory says");
    entry.content = part(begin + local_header_bytes + number(begin + 26, 2) + number(begin + 28, 2), packed_bytes);
    return entry;
  }

  /// Replaces the numbers that need 64 bits, which an extra field has in this order.
  void read_zip64(std::uint64_t at, std::uint64_t bytes, std::initializer_list<std::uint64_t*> numbers) const {
    constexpr std::uint64_t zip64 = 1;
    for (const std::uint64_t end = at + bytes; at + 4 <= end; at += 4 + number(at + 2, 2)) {
      if (number(at, 2) != zip64) continue;
      std::uint64_t value = at + 4;
      for (std::uint64_t* const each : numbers) {
        if (*each != in_zip64) continue;
        *each = number(value, 8);
        value += 8;
      }
      return;
    }
  }

  std::string_view archive_;
  const std::string& source_;
};

}  // namespace

std::vector<ZipEntry> zip_entries(std::string_view archive, const std::string& source) {
  return ArchiveReader(archive, source).entries();
}

ByteSource open_entry(const ZipEntry& entry, const std::string& source) {
  constexpr unsigned stored = 0;
  constexpr unsigned deflated = 8;
  const std::string name = source + ": " + quoted_bytes(entry.name, 64);
  ByteSource content = bytes_in_memory(entry.content, name);
  if (entry.method == stored) return content;
  if (entry.method != deflated) {
    throw usage_error(
        fmt::format("{}: is packed by method {} of ZIP; save it again with numpy.savez", name, entry.method));
  }
  content.bytes = entry.bytes;
  content.read = inflated(entry.content, entry.crc32, entry.bytes, name);
  return content;
}

}  // namespace gpumem::pattern
