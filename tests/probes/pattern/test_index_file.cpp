#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <stdexcept>
#include <thread>

#include "probes/pattern/index_file.hpp"
#include "tests/files.hpp"
#include "tests/probes/pattern/index_tests.hpp"

namespace gpumem::pattern::test {

namespace {

using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

IndexSequence read(const std::string& content, IndexFormat format) {
  return read_indices(bytes_in_memory(content, "a"), format);
}

std::string error(const std::string& content, IndexFormat format) {
  return error_of([&] { static_cast<void>(read(content, format)); });
}

std::string file_error(const std::string& path) {
  return error_of([&] { static_cast<void>(read_index_file(path)); });
}

}  // namespace

TEST_CASE("raw indices are little-endian words", "[index_file]") {
  const std::string content("\x01\0\0\0\0\0\0\0\xff\xff\xff\x7f\x02\x01\0\0", 16);
  CHECK(all_of(read(content, IndexFormat::u32)) == Indices{1, 0, 0x7fffffff, 0x102});
  CHECK(all_of(read(content, IndexFormat::i32)) == Indices{1, 0, 0x7fffffff, 0x102});
  CHECK(all_of(read(content, IndexFormat::u64)) == Indices{1, 0x1027fffffff});
  CHECK(all_of(read(content, IndexFormat::i64)) == Indices{1, 0x1027fffffff});
  CHECK(all_of(read("\xff\xff\xff\xff", IndexFormat::u32)) == Indices{0xffffffff});
  CHECK_THAT(error("\xff\xff\xff\xff", IndexFormat::i32),
             Catch::Matchers::StartsWith("a: record 0, counted from 0, is -1: "));
  CHECK_THAT(error(std::string(8, '\0') + std::string(8, '\xff'), IndexFormat::u64),
             Catch::Matchers::StartsWith("a: record 1, counted from 0, is 18446744073709551615: above 2^63 - 1"));
}

TEST_CASE("raw files that end within an index are refused", "[index_file]") {
  CHECK(error("", IndexFormat::u32) == "a: is empty; expected u32 indices of 4 bytes");
  CHECK(
      error("12345", IndexFormat::u32) ==
      "a: is truncated, or of another type: its 5 bytes are no multiple of 4, the size of u32; --index-format says the "
      "type");
  CHECK(
      error("1234", IndexFormat::i64) ==
      "a: is truncated, or of another type: its 4 bytes are no multiple of 8, the size of i64; --index-format says the "
      "type");
}

TEST_CASE("formats have names, and extensions say them", "[index_file]") {
  for (const std::string_view name : index_format_names) CHECK(to_string(*index_format_of_name(name)) == name);
  CHECK_FALSE(index_format_of_name("f32"));
  CHECK(index_format_of_path("dir.txt/a.npy") == IndexFormat::npy);
  CHECK(index_format_of_path("a.b.U64") == IndexFormat::u64);
  CHECK(index_format_of_path("a.csv") == IndexFormat::text);
  CHECK(index_format_of_path("a.json") == IndexFormat::spatter);
  const auto path_error = [](const std::string& path) {
    return error_of([&] { static_cast<void>(index_format_of_path(path)); });
  };
  CHECK(path_error("a.bin") ==
        "a.bin: its extension .bin does not say what it holds; name it .npy, .u32, .u64, .i32, .i64, .txt or .json, or "
        "give --index-format npy|u32|u64|i32|i64|text|spatter");
  CHECK_THAT(path_error("dir.npy/a"), Catch::Matchers::StartsWith("dir.npy/a: a name without extension does not say"));
  CHECK(path_error("a.npz") == "a.npz: is an archive of arrays: save one of them with numpy.save");
}

TEST_CASE("files are read as their extension or the caller says", "[index_file]") {
  const TemporaryDirectory directory;
  put(directory / "a.txt", "1234 5");
  CHECK(all_of(read_index_file((directory / "a.txt").string())) == Indices{1234, 5});
  put(directory / "a.bin", std::string("\x05\0\0\0", 4));
  CHECK(all_of(read_index_file((directory / "a.bin").string(), IndexFormat::u32)) == Indices{5});
  put(directory / "a.json", "[]");
  CHECK_THAT(file_error((directory / "a.json").string()), Catch::Matchers::Contains("holds configurations of Spatter"));
  CHECK_THROWS_AS(read("[]", IndexFormat::spatter), std::logic_error);
  CHECK(read_index_file("/proc/sys/kernel/pid_max", IndexFormat::text).count() ==
        1);  // whose size the system gives as 0
}

TEST_CASE("files that cannot be read are named with the system's reason", "[index_file]") {
  const TemporaryDirectory directory;
  CHECK(file_error("/no/such/file.npy") == "cannot read '/no/such/file.npy': No such file or directory");
  CHECK(file_error("/no/such/file") == "cannot read '/no/such/file': No such file or directory");
  CHECK(file_error("/") == "cannot read '/': Is a directory");
  CHECK(file_error("") == "cannot read '': No such file or directory");
  put(directory / "a.u32", "");
  CHECK_THAT(file_error((directory / "a.u32").string()), Catch::Matchers::EndsWith("a.u32: is empty; expected u32 "
                                                                                   "indices of 4 bytes"));
  if (::geteuid() == 0) return;  // who may read anything
  std::filesystem::permissions(directory / "a.u32", std::filesystem::perms::none);
  CHECK_THAT(file_error((directory / "a.u32").string()), Catch::Matchers::EndsWith("Permission denied"));
}

TEST_CASE("a pipe is read like a file", "[index_file]") {
  const TemporaryDirectory directory;
  const std::string path = (directory / "pipe").string();
  REQUIRE(::mkfifo(path.c_str(), 0600) == 0);
  const std::string content(std::size_t{9} << 20U, '\x01');  // more than what is read at once
  std::thread writer([&] { std::ofstream(path, std::ios::binary) << content; });
  const IndexSequence indices = read_index_file(path, IndexFormat::u32);
  writer.join();
  CHECK(indices.count() == content.size() / 4);
  CHECK(indices.minimum() == 0x01010101);
  CHECK(indices.maximum() == 0x01010101);
}

}  // namespace gpumem::pattern::test
