// Unpacking gzip and xz while reading.

#include "engine/base/unpack.hpp"

#if __has_include(<zlib.h>)
#include <zlib.h>
#endif
#if __has_include(<lzma.h>)
#include <lzma.h>
#endif

#include <algorithm>
#include <cstddef>
#include <cstring>
#include <sstream>
#include <type_traits>

#include "engine/base/error.hpp"
#include "engine/base/packed_streams.hpp"
#include "engine/base/read_input.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_unpack {

namespace {

using namespace std::string_literals;

const std::string text = "1 2 3\n";
const std::string gzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33T0R0\xe6\x02\x00K\xa0\xf4\xc9\x06\x00\x00\x00"s;
const std::string xz =
    "\xfd"
    "7zXZ\x00\x00\x01i\x22\xde\x36\x02\x00!\x01\x16\x00\x00\x00t/\xe5\xa3\x01\x00\x05\x31 2 3\x0a\x00\x00\x00K\xa0"
    "\xf4\xc9\x00\x01\x1a\x06\xc5\xea\xc8y\x90\x42\x99\x0d\x01\x00\x00\x00\x00\x01YZ"s;
const std::string deflate = gzip.substr(10, gzip.size() - 18);
constexpr std::uint32_t crc32_of_text = 0xc9f4a04b;

/// Gives out no more at a time than `piece`, but at the end.
std::string content_of(const ReadBytes& read, std::size_t piece) {
  std::string all;
  std::string part(piece, '\0');
  while (true) {
    const std::size_t got = read(std::as_writable_bytes(std::span(part)));
    all += part.substr(0, got);
    if (got < piece) return all;
  }
}

ReadBytes bytes(const std::string& content) {
  return with_begin([](std::span<std::byte>) { return std::size_t{0}; }, content);
}

std::string read(const std::string& packed, std::size_t piece = 100) {
  bool was_packed = false;
  return content_of(unpacked(bytes(packed), "a", was_packed), piece);
}

std::string error_of(const std::string& packed) {
  try {
    return "read: " + read(packed);
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
}

}  // namespace

TEST_CASE("what is packed is read as it was before, in pieces of any size", "[unpack]") {
  for (const std::size_t piece : {1U, 2U, 3U, 6U, 7U, 1000U}) {
    CHECK(read(gzip, piece) == text);
    CHECK(read(xz, piece) == text);
    CHECK(content_of(inflated(deflate, crc32_of_text, text.size(), "a"), piece) == text);
    for (const std::string& plain : {""s, "1"s, "\x1f\x8b"s, "\x1f\x8b\x09"s, "7zXZ"s, text}) {
      CHECK(read(plain, piece) == plain);
    }
  }
}

TEST_CASE("files that were packed one by one are one", "[unpack]") {
  CHECK(read(gzip + gzip + gzip) == text + text + text);
  CHECK(read(gzip + std::string(512, '\0')) == text);  // padding, of tapes
  CHECK(read(xz + xz) == text + text);
}

TEST_CASE("what is damaged or ends too early is refused", "[unpack]") {
  for (std::size_t size = 6; size < gzip.size(); ++size) {
    CHECK(error_of(gzip.substr(0, size)) == "a: is compressed with gzip, and truncated; copy or compress it again");
  }
  for (std::size_t size = 6; size < xz.size(); ++size) {
    CHECK(error_of(xz.substr(0, size)) == "a: is compressed with xz, and truncated; copy or compress it again");
  }
  for (const std::string* const packed : {&gzip, &xz}) {
    std::string damaged = *packed;
    damaged[damaged.size() - 6] ^= 1;  // a sum
    CHECK_THAT(error_of(damaged), Catch::Matchers::Contains("and damaged; copy or compress it again"));
  }
  CHECK_THROWS_WITH(content_of(inflated(deflate, crc32_of_text + 1, text.size(), "a"), 100),
                    "a: is compressed with deflate, and damaged; copy or compress it again");
  CHECK_THROWS_AS(content_of(inflated(deflate, crc32_of_text, text.size() + 1, "a"), 100), Error);
}

TEST_CASE("no more is unpacked than is read of a file", "[unpack]") {
  std::istringstream in(gzip);
  CHECK(read_input(in, "a.json.gz") == text);
  std::istringstream bomb(gzip + gzip);
  CHECK_THROWS_WITH(read_input(bomb, "a", 7), Catch::Matchers::StartsWith("a: is larger than "));
}

TEST_CASE("extensions of packed files are no part of what they hold", "[unpack]") {
  CHECK(without_packing("a.json.gz") == "a.json");
  CHECK(without_packing("a.xz") == "a");
  CHECK(without_packing("a.zip") == "a.zip");
}

// The streams as gpumem declares them against the libraries' own headers.
#if __has_include(<zlib.h>)
TEST_CASE("zlib's stream is what its header says", "[unpack]") {
  CHECK(sizeof(ZlibStream) == sizeof(z_stream));
  CHECK(offsetof(ZlibStream, avail_in) == offsetof(z_stream, avail_in));
  CHECK(offsetof(ZlibStream, next_out) == offsetof(z_stream, next_out));
  CHECK(offsetof(ZlibStream, avail_out) == offsetof(z_stream, avail_out));
  CHECK(offsetof(ZlibStream, allocate) == offsetof(z_stream, zalloc));
  CHECK(sizeof(ZlibStream::avail_out) == sizeof(z_stream::avail_out));
  CHECK((Z_STREAM_END == 1 && Z_BUF_ERROR == -5 && Z_NO_FLUSH == 0));
}
#endif
#if __has_include(<lzma.h>)
TEST_CASE("liblzma's stream is what its header says", "[unpack]") {
  CHECK(sizeof(LzmaStream) == sizeof(lzma_stream));
  CHECK(offsetof(LzmaStream, avail_in) == offsetof(lzma_stream, avail_in));
  CHECK(offsetof(LzmaStream, next_out) == offsetof(lzma_stream, next_out));
  CHECK(offsetof(LzmaStream, avail_out) == offsetof(lzma_stream, avail_out));
  CHECK(offsetof(LzmaStream, allocator) == offsetof(lzma_stream, allocator));
  CHECK((LZMA_STREAM_END == 1 && LZMA_BUF_ERROR == 10 && LZMA_MEM_ERROR == 5 && LZMA_MEMLIMIT_ERROR == 6));
  CHECK((LZMA_RUN == 0 && LZMA_FINISH == 3 && LZMA_CONCATENATED == 8));
}
#endif

}  // namespace gpumem::test_unpack
