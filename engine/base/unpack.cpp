#include "engine/base/unpack.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <memory>
#include <string_view>
#include <utility>
#include <vector>

#ifdef GPUMEM_ZLIB
#include <zlib.h>
#endif

#include "engine/base/error.hpp"
#include "engine/base/words.hpp"

namespace gpumem {

namespace {

using namespace std::string_view_literals;  // NUL is a part of one

constexpr std::string_view gzip_begin = "\x1f\x8b\x08"sv;
constexpr std::string_view xz_begin = "\xfd\x37zXZ\0"sv;

#ifdef GPUMEM_ZLIB

/// Unpacks gzip files, which may be several one after another.
class GzipReader {
 public:
  GzipReader(ReadBytes packed, std::string source) : packed_(std::move(packed)), source_(std::move(source)) {
    constexpr int of_gzip = 16 + MAX_WBITS;
    if (inflateInit2(&stream_, of_gzip) != Z_OK) refuse("and zlib has no memory to unpack it");
  }
  ~GzipReader() { inflateEnd(&stream_); }
  GzipReader(const GzipReader&) = delete;  // zlib keeps the address of the stream
  GzipReader& operator=(const GzipReader&) = delete;

  std::size_t read(std::span<std::byte> into) {
    std::size_t done = 0;
    while (done < into.size()) {
      if (stream_.avail_in == 0) refill();
      if (between_files_) {
        if (stream_.avail_in == 0 || *stream_.next_in != 0x1f) break;  // the rest is padding
        inflateReset(&stream_);
      }
      const std::size_t room = std::min(into.size() - done, most_out);
      stream_.next_out = reinterpret_cast<Bytef*>(into.data() + done);
      stream_.avail_out = static_cast<uInt>(room);
      const int status = inflate(&stream_, Z_NO_FLUSH);
      between_files_ = status == Z_STREAM_END;
      done += room - stream_.avail_out;
      unpacked_bytes_ += room - stream_.avail_out;
      if (status == Z_BUF_ERROR) refuse("and truncated; copy or compress it again");
      if (status != Z_OK && status != Z_STREAM_END) refuse("and damaged; copy or compress it again");
      if (unpacked_bytes_ > unsuspicious_bytes && unpacked_bytes_ / most_ratio > packed_bytes_) refuse_bomb();
    }
    return done;
  }

 private:
  static constexpr std::size_t most_out = std::size_t{1} << 30U;  // of a call: zlib counts in 32 bits
  /// Reports pack to a thirtieth; lists of indices to less, unless they repeat themselves.
  static constexpr std::uint64_t most_ratio = 100;
  static constexpr std::uint64_t unsuspicious_bytes = std::uint64_t{64} << 20U;

  [[noreturn]] void refuse(std::string_view why) const {
    throw usage_error(fmt::format("{}: is compressed with gzip, {}", source_, why));
  }

  [[noreturn]] void refuse_bomb() const {
    refuse(
        fmt::format("and unpacks to more than {} times its size, {} so far, which no list or report does; if you know "
                    "what it is, unpack it with gunzip",
                    most_ratio, size_text(unpacked_bytes_)));
  }

  void refill() {
    const std::size_t size = packed_(input_);
    packed_bytes_ += size;
    stream_.next_in = reinterpret_cast<Bytef*>(input_.data());
    stream_.avail_in = static_cast<uInt>(size);
  }

  ReadBytes packed_;
  std::string source_;
  z_stream stream_{};
  std::vector<std::byte> input_ = std::vector<std::byte>(std::size_t{1} << 16U);
  std::uint64_t packed_bytes_ = 0;  ///< taken so far, as the next
  std::uint64_t unpacked_bytes_ = 0;
  bool between_files_ = false;
};

#endif

}  // namespace

std::string take_begin(const ReadBytes& read, std::size_t most) {
  std::string begin(most, '\0');
  begin.resize(read(std::as_writable_bytes(std::span(begin))));
  return begin;
}

ReadBytes with_begin(ReadBytes rest, std::string begin) {
  return [begin = std::move(begin), taken = std::size_t{0}, rest = std::move(rest)](std::span<std::byte> into) mutable {
    const std::size_t size = std::min(into.size(), begin.size() - taken);
    if (size > 0) std::memcpy(into.data(), begin.data() + taken, size);
    taken += size;
    return size < into.size() ? size + rest(into.subspan(size)) : size;
  };
}

ReadBytes unpacked(ReadBytes read, const std::string& source, bool& packed) {
  std::string begin = take_begin(read, xz_begin.size());
  if (begin.starts_with(xz_begin)) {
    throw usage_error(fmt::format("{}: is compressed with xz, which is not read; unpack it with unxz", source));
  }
  packed = begin.starts_with(gzip_begin);
  ReadBytes whole = with_begin(std::move(read), std::move(begin));
  if (!packed) return whole;
#ifdef GPUMEM_ZLIB
  const auto reader = std::make_shared<GzipReader>(std::move(whole), source);
  return [reader](std::span<std::byte> into) { return reader->read(into); };
#else
  throw usage_error(
      fmt::format("{}: is compressed with gzip, and gpumem was built without zlib; unpack it with gunzip", source));
#endif
}

std::string without_packing(const std::string& path) {
  for (const std::string_view extension : {".gz", ".xz"}) {
    if (path.ends_with(extension)) return path.substr(0, path.size() - extension.size());
  }
  return path;
}

bool is_json_name(const std::string& path) { return without_packing(path).ends_with(".json"); }

}  // namespace gpumem
