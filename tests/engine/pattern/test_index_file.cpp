#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <thread>

#include "engine/pattern/index_file.hpp"
#include "tests/engine/pattern/index_tests.hpp"
#include "tests/files.hpp"

namespace gpumem::pattern::test::test_index_file {

namespace {

using gpumem::test::put;
using gpumem::test::TemporaryDirectory;

IndexSequence read(const std::string& content, IndexFormat format) {
  return read_indices(bytes_in_memory(content, "a"), {.format = format}).indices;
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
  CHECK(error("12345", IndexFormat::u32) ==
        "a: is truncated, or of another type: its 5 bytes are no multiple of 4, the size of u32; pass what it is, "
        "--index-format npy|u32|u64|i32|i64|text|mtx");
  CHECK(error("1234", IndexFormat::i64) ==
        "a: is truncated, or of another type: its 4 bytes are no multiple of 8, the size of i64; pass what it is, "
        "--index-format npy|u32|u64|i32|i64|text|mtx");
}

TEST_CASE("formats have names, and extensions say them", "[index_file]") {
  for (const std::string_view name : index_format_names) CHECK(to_string(*index_format_of_name(name)) == name);
  CHECK_FALSE(index_format_of_name("f32"));
  CHECK(index_format_of_path("dir.txt/a.npy") == IndexFormat::npy);
  CHECK(index_format_of_path("a.b.U64") == IndexFormat::u64);
  CHECK(index_format_of_path("a.csv") == IndexFormat::text);
  CHECK(index_format_of_path("a.json") == IndexFormat::spatter);
  CHECK(index_format_of_path("a.int64") == IndexFormat::i64);
  CHECK_FALSE(index_format_of_path("a.bin"));
  CHECK_FALSE(index_format_of_path("dir.npy/a"));
  CHECK_FALSE(index_format_of_path("a.npz"));
  CHECK(index_format_of_path("a.MTX.gz") == IndexFormat::mtx);
  CHECK_FALSE(index_format_of_path("a.gz"));
}

TEST_CASE("files whose names do not say what they hold are looked at", "[index_file]") {
  const auto found = [](const std::string& content) {
    return all_of(read_indices(bytes_in_memory(content, "a")).indices);
  };
  CHECK(found("3 4, 5 # six\n") == Indices{3, 4, 5});
  CHECK(found("\xEF\xBB\xBF"
              "7\r\n8\r\n") == Indices{7, 8});
  std::string long_text;  // longer than what is looked at
  for (unsigned i = 0; i < 5000; ++i) long_text += std::to_string(i) + "\n";
  CHECK(found(long_text).back() == 4999);

  const auto refusal = [](const std::string& content) {
    return error_of([&] { static_cast<void>(read_indices(bytes_in_memory(content, "a.b"))); });
  };
  using namespace std::string_literals;
  CHECK(refusal("") == "a.b: is empty; expected decimal integers");
  CHECK(refusal("1.5 2\n") == "a.b: line 1, column 1: '1.5' is no decimal integer");
  CHECK(refusal(" [{}]") == "a.b: holds configurations of Spatter, where a list of indices is expected");
  for (const std::string& content : {"\5\0\0\0"s, "PK\3\4"s, "\x89HDF\r\n\x1a\n"s, "\x80\4\x95"s}) {
    CHECK(refusal(content) ==
          "a.b: is no text, no .npy file and no Matrix Market file; if it has nothing but words, pass --index-format "
          "u32|u64|i32|i64, else save its indices with NumPy: numpy.save('a.npy', indices)");
  }
  CHECK(refusal("\x28\xb5\x2f\xfd\0"s) == "a.b: is compressed with zstd; unpack it: unzstd a.b");
  CHECK_THAT(refusal("\xff\xfe"
                     "1\0"s),
             Catch::Matchers::EndsWith("convert it: iconv -f UTF-16 -t UTF-8 a.b > utf-8.b"));
}

TEST_CASE("Spatter's files are told by their names or how they begin", "[index_file]") {
  const TemporaryDirectory directory;
  const auto is_spatter = [&](const std::string& name, const std::string& content) {
    put(directory / name, content);
    return is_spatter_file((directory / name).string());
  };
  CHECK(is_spatter("a.json", ""));
  CHECK(is_spatter("a", "\n[{}]"));
  CHECK_FALSE(is_spatter("a.txt", "[{}]"));
  CHECK_FALSE(is_spatter("b", "1 2 3"));
  CHECK_FALSE(is_spatter_file((directory / "missing.json").string()));
}

TEST_CASE("files are read as their extension or the caller says", "[index_file]") {
  const TemporaryDirectory directory;
  put(directory / "a.txt", "1234 5");
  CHECK(all_of(read_index_file((directory / "a.txt").string()).indices) == Indices{1234, 5});
  put(directory / "a.bin", std::string("\x05\0\0\0", 4));
  CHECK(all_of(read_index_file((directory / "a.bin").string(), {.format = IndexFormat::u32}).indices) == Indices{5});
  put(directory / "a.json", "[]");
  CHECK_THAT(file_error((directory / "a.json").string()),
             Catch::Matchers::ContainsSubstring("holds configurations of Spatter"));
  CHECK(read_index_file("/proc/sys/kernel/pid_max", {.format = IndexFormat::text}).indices.count() ==
        1);  // whose size the system gives as 0
}

TEST_CASE("files that cannot be read are named with the system's reason", "[index_file]") {
  const TemporaryDirectory directory;
  CHECK(file_error("/no/such/file.npy") == "cannot read '/no/such/file.npy': No such file or directory");
  CHECK(file_error("/no/such/file") == "cannot read '/no/such/file': No such file or directory");
  CHECK(file_error("/") == "cannot read '/': Is a directory; name a file in it");
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
  const IndexSequence indices = read_index_file(path, {.format = IndexFormat::u32}).indices;
  writer.join();
  CHECK(indices.count() == content.size() / 4);
  CHECK(indices.minimum() == 0x01010101);
  CHECK(indices.maximum() == 0x01010101);
}

}  // namespace gpumem::pattern::test::test_index_file
