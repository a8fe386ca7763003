// Unpacking gzip while reading.

#include <cstddef>
#include <sstream>

#include "engine/base/error.hpp"
#include "engine/base/read_input.hpp"
#include "engine/base/unpack.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_unpack {

namespace {

using namespace std::string_literals;

const std::string text = "1 2 3\n";
const std::string gzip = "\x1f\x8b\x08\x00\x00\x00\x00\x00\x02\x03\x33T0R0\xe6\x02\x00K\xa0\xf4\xc9\x06\x00\x00\x00"s;
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
    for (const std::string& plain : {""s, "1"s, "\x1f\x8b"s, "\x1f\x8b\x09"s, "7zXZ"s, text}) {
      CHECK(read(plain, piece) == plain);
    }
  }
}

TEST_CASE("files that were packed one by one are one", "[unpack]") {
  CHECK(read(gzip + gzip + gzip) == text + text + text);
  CHECK(read(gzip + std::string(512, '\0')) == text);  // padding, of tapes
}

TEST_CASE("what is damaged or ends too early is refused", "[unpack]") {
  for (std::size_t size = 6; size < gzip.size(); ++size) {
    CHECK(error_of(gzip.substr(0, size)) == "a: is compressed with gzip, and truncated; copy or compress it again");
  }
  std::string damaged = gzip;
  damaged[damaged.size() - 6] ^= 1;  // a sum
  CHECK_THAT(error_of(damaged), Catch::Matchers::ContainsSubstring("and damaged; copy or compress it again"));
  CHECK(error_of("\xfd"
                 "7zXZ\0"s) == "a: is compressed with xz, which is not read; unpack it with unxz");
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

}  // namespace gpumem::test_unpack
