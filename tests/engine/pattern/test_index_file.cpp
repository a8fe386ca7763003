#include <fcntl.h>
#include <fmt/format.h>
#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <initializer_list>
#include <random>
#include <thread>
#include <utility>
#include <vector>

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
        "--index-format npy|u16|u32|u64|i32|i64|u32be|u64be|i32be|i64be|text|npz|mtx");
  CHECK(error("1234", IndexFormat::i64) ==
        "a: is truncated, or of another type: its 4 bytes are no multiple of 8, the size of i64; pass what it is, "
        "--index-format npy|u16|u32|u64|i32|i64|u32be|u64be|i32be|i64be|text|npz|mtx");
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
  CHECK(index_format_of_path("a.npz") == IndexFormat::npz);
  CHECK(index_format_of_path("a.MTX.gz") == IndexFormat::mtx);
  CHECK(index_format_of_path("a.u32.xz") == IndexFormat::u32);
  CHECK_FALSE(index_format_of_path("a.gz"));
}

TEST_CASE("files whose names do not say what they hold are looked at", "[index_file]") {
  const auto words = [](std::initializer_list<std::uint32_t> all) {
    return std::string(reinterpret_cast<const char*>(all.begin()), all.size() * sizeof(std::uint32_t));
  };
  const auto found = [](const std::string& content) {
    return all_of(read_indices(bytes_in_memory(content, "a")).indices);
  };
  CHECK(found("3 4, 5 # six\n") == Indices{3, 4, 5});
  CHECK(found("\xEF\xBB\xBF"
              "7\r\n8\r\n") == Indices{7, 8});
  CHECK(found(words({5, 0})) == Indices{5, 0});  // a pair may be 0 by chance
  CHECK(found(words({5, 0, 6, 0})) == Indices{5, 6});
  CHECK(found(words({5, 0, 6, 1})) == Indices{5, 0, 6, 1});
  CHECK(found(words({5, 0, 6, 0, 7})) == Indices{5, 0, 6, 0, 7});
  CHECK(read_indices(bytes_in_memory(words({5, 0, 6, 0}), "a"), {}).indices.word_bytes() == 8);
  // Longer than what is looked at.
  std::string long_text;
  for (unsigned i = 0; i < 5000; ++i) long_text += std::to_string(i) + "\n";
  CHECK(found(long_text).back() == 4999);
  std::string long_words;
  for (std::uint32_t i = 0; i < 3000; ++i) long_words += words({i, 0});
  CHECK(found(long_words).size() == 3000);
  CHECK(found(long_words + words({1, 1})).back() == (std::uint64_t{1} << 32U) + 1);

  const auto sniffing_error = [](const std::string& content) {
    return error_of([&] { static_cast<void>(read_indices(bytes_in_memory(content, "a"))); });
  };
  CHECK(sniffing_error("") == "a: is empty; expected decimal integers");
  CHECK(sniffing_error("1.5 2\n") == "a: line 1, column 1: '1.5' is no decimal integer");
  CHECK(
      sniffing_error(std::string("\0\0\0\x01\0", 5)) ==
      "a: is neither text, nor an array of numpy.save, nor words of 4 or 8 bytes: it has 5 bytes, and control "
      "characters among them; pass what it is, --index-format npy|u16|u32|u64|i32|i64|u32be|u64be|i32be|i64be|text|npz|"
      "mtx");
  CHECK(sniffing_error(" [{}]") == "a: holds configurations of Spatter, where a list of indices is expected");
}

namespace {

template <class Word>
std::string bytes_of(const std::vector<Word>& all) {
  return {reinterpret_cast<const char*>(all.data()), all.size() * sizeof(Word)};
}

/// Returns the format that unnamed words are taken for, or the beginning of the error if they are refused.
std::string taken_for(const std::string& content) {
  const std::string refused = error_of([&] { static_cast<void>(read_indices(bytes_in_memory(content, "a"))); });
  if (refused != "nothing thrown") return refused.substr(0, refused.find_first_of(";:", 3));
  const IndexFile file = read_indices(bytes_in_memory(content, "a"));
  CHECK(file.guessed);
  return std::string(to_string(file.format));
}

template <class Word>
std::vector<Word> drawn(Word below, std::size_t count = 512) {
  std::mt19937_64 random(7);
  std::vector<Word> all(count);
  for (Word& word : all) word = static_cast<Word>(random() % below);
  return all;
}

template <class To, class From>
std::vector<To> converted(const std::vector<From>& all) {
  return {all.begin(), all.end()};
}

}  // namespace

TEST_CASE("the width of words is found by evidence", "[index_file]") {
  using U16 = std::uint16_t;
  using U32 = std::uint32_t;
  using U64 = std::uint64_t;
  for (const U32 below : {100U, 3000U, 70'000U, 1U << 20U, 1U << 31U}) {
    CHECK(taken_for(bytes_of(drawn<U32>(below))) == "u32");
    CHECK(taken_for(bytes_of(converted<U64>(drawn<U32>(below)))) == "u64");
  }
  for (const unsigned bits : {33U, 36U, 40U}) CHECK(taken_for(bytes_of(drawn<U64>(U64{1} << bits))) == "u64");
  std::vector<U64> one_big = drawn<U64>(1U << 20U);
  one_big[100] = 5'000'000'000;
  CHECK(taken_for(bytes_of(one_big)) == "u64");
  std::vector<U32> strided;  // down the columns of a matrix
  for (U32 i = 0; i < 512; ++i) strided.push_back(i * 65536);
  CHECK(taken_for(bytes_of(strided)) == "u32");

  std::vector<U32> swapped = drawn<U32>(1U << 20U);
  for (U32& word : swapped) word = __builtin_bswap32(word);
  CHECK(taken_for(bytes_of(swapped)) == "a: its 2048 bytes look like big-endian words of 32 bits");
  CHECK(all_of(read(bytes_of(swapped), IndexFormat::u32be)) == converted<U64>(drawn<U32>(1U << 20U)));
  std::vector<U64> wide_swapped = drawn<U64>(1U << 20U);
  for (U64& word : wide_swapped) word = __builtin_bswap64(word);
  CHECK(taken_for(bytes_of(wide_swapped)) == "a: its 4096 bytes look like big-endian words of 64 bits");
  CHECK(all_of(read(bytes_of(wide_swapped), IndexFormat::i64be)) == drawn<U64>(1U << 20U));

  CHECK(taken_for(bytes_of(drawn<U16>(3000))) == "a: its 1024 bytes look like words of 16 bits");
  CHECK(all_of(read(bytes_of(drawn<U16>(3000)), IndexFormat::u16)) == converted<U64>(drawn<U16>(3000)));
  CHECK(taken_for(bytes_of(converted<float>(drawn<U32>(5000)))) ==
        "a: its 2048 bytes look like 32-bit floats (the first that is not 0 is " +
            fmt::format("{:.6g})", static_cast<double>(drawn<U32>(5000)[0])));
  CHECK_THAT(taken_for(bytes_of(std::vector<double>{0, 0.5, -3})),
             Catch::Matchers::StartsWith("a: its 24 bytes look like 64-bit floats (the first that is not 0 is 0.5)"));
  CHECK_THAT(taken_for(bytes_of(drawn<U64>(~U64{0}))),
             Catch::Matchers::StartsWith("a: its 4096 bytes are no likely indices"));
  CHECK_THAT(taken_for(std::string(64, '\0')), Catch::Matchers::Contains("are all 0"));
  std::vector<U32> lopsided = drawn<U32>(1000);
  for (std::size_t i = 1; i < lopsided.size(); i += 4) lopsided[i] = 0;
  CHECK_THAT(taken_for(bytes_of(lopsided)), Catch::Matchers::Contains("may be words of 32 bits or of 64"));
}

TEST_CASE("files that are no list of indices are named, with what to do", "[index_file]") {
  using namespace std::string_literals;
  const auto refusal = [](std::string content, const std::string& name = "a") {
    content.resize(std::max<std::size_t>(content.size(), 1024), '\1');
    return error_of([&] { static_cast<void>(read_indices(bytes_in_memory(content, name))); });
  };
  const std::pair<std::string, std::string> known[] = {{"BZh91AY&SY", "bunzip2"},
                                                       {"\x28\xb5\x2f\xfd", "unzstd"},
                                                       {"\x04\x22\x4d\x18", "unlz4"},
                                                       {"PK\x03\x04", "unzip"},
                                                       {"\x89HDF\r\n\x1a\n", "h5py"},
                                                       {std::string(512, '\2') + "\x89HDF\r\n\x1a\n", "h5py"},
                                                       {"PAR1", "read_parquet"},
                                                       {"ARROW1\0\0"s, "read_feather"},
                                                       {"FEA1", "read_feather"},
                                                       {"\x80\x04\x95", "pickle"},
                                                       {"\x80\x02]q", "pickle"},
                                                       {"(lp0\nI1\n", "pickle"},
                                                       {"\x7f"
                                                        "ELF\x02",
                                                        "ELF"},
                                                       {"\x89PNG\r\n\x1a\n", "PNG"},
                                                       {"\xff\xd8\xff\xe0", "JPEG"},
                                                       {"CDF\x01", "netCDF"},
                                                       {"\x10\0\0\0\0\0\0\0{\"a\""s, "safetensors"}};
  for (const auto& [begin, cure] : known) {
    INFO(cure);
    CHECK_THAT(refusal(begin), Catch::Matchers::StartsWith("a: is ") && Catch::Matchers::Contains(cure));
    const std::string all = begin + std::string(1024 - begin.size(), '\1');
    CHECK(read(all, IndexFormat::u32).count() == 256);  // whoever says what it is is believed
  }
  std::string utf_16 = "\xff\xfe";
  for (int i = 0; i < 600; ++i) utf_16 += "1\0"s;
  CHECK(refusal(utf_16) == "a: is text in UTF-16; convert it with iconv -f UTF-16 -t UTF-8");

  const TemporaryDirectory directory;  // whatever it is called
  put(directory / "a.u32", "\x28\xb5\x2f\xfd"s + std::string(12, '\1'));
  CHECK_THAT(file_error((directory / "a.u32").string()),
             Catch::Matchers::EndsWith("is compressed with zstd; unpack it with unzstd"));
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
  CHECK_THAT(file_error((directory / "a.json").string()), Catch::Matchers::Contains("holds configurations of Spatter"));
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
