#include <fmt/format.h>

#include <random>

#include "engine/pattern/index_file_text.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_index_file_text {

namespace {

Indices read(const std::string& text, std::size_t piece_bytes = 4096) {
  return all_of(read_index_text(bytes_in_memory(text, "a.txt"), piece_bytes));
}

std::string error(const std::string& text, std::size_t piece_bytes = 4096) {
  return error_of([&] { static_cast<void>(read(text, piece_bytes)); });
}

}  // namespace

TEST_CASE("indices are numbers between blanks, commas and ends of lines", "[index_file_text]") {
  CHECK(read("0") == Indices{0});
  CHECK(read("1 2\t3\n4,5 , 6\r\n7,\n8\v9\f10") == Indices{1, 2, 3, 4, 5, 6, 7, 8, 9, 10});
  CHECK(read("\n\n 007,\n") == Indices{7});
  CHECK(read("1\n,2") == Indices{1, 2});
  CHECK(read("\xEF\xBB\xBF"
             "12") == Indices{12});
  CHECK(read("9223372036854775807 4294967296 4294967295") == Indices{9223372036854775807U, 4294967296U, 4294967295U});
  CHECK(read("0000000000000000000000000000001") == Indices{1});
}

TEST_CASE("floats that are whole numbers are indices, as numpy.savetxt writes them", "[index_file_text]") {
  CHECK(read("0.000000000000000000e+00\n3.000000000000000000e+00 1.2e1,7.0\n") == Indices{0, 3, 12, 7});
  CHECK(read("9.007199254740992000e+15") == Indices{9007199254740992U});
  std::string text = "# saved\n";
  Indices expected;
  for (std::uint64_t i = 0; i < 300; ++i) {
    text += fmt::format("{:.18e}\n", static_cast<double>(i * i));
    expected.push_back(i * i);
  }
  for (std::size_t piece = 128; piece < 170; ++piece) REQUIRE(read(text, piece) == expected);
}

TEST_CASE("comments are no indices", "[index_file_text]") {
  CHECK(read("# 1, 2, -3\n4#5\n#\n6 ## 7 \xff") == Indices{4, 6});
  CHECK(read("1#" + std::string(5000, ',') + "\n2", 128) == Indices{1, 2});  // longer than a piece
}

TEST_CASE("text takes 32 bits a number until one needs more", "[index_file_text]") {
  std::string text;
  Indices expected;
  for (std::uint64_t i = 0; i < 20'000; ++i) {
    text += std::to_string(i) + "\n";
    expected.push_back(i);
  }
  CHECK(read_index_text(bytes_in_memory(text, "a.txt")).word_bytes() == 4);
  text += "4294967295\n";
  CHECK(read_index_text(bytes_in_memory(text, "a.txt")).word_bytes() == 4);
  text += "4294967296\n1";
  expected.insert(expected.end(), {4294967295U, 4294967296U, 1});
  const IndexSequence wide = read_index_text(bytes_in_memory(text, "a.txt"));
  CHECK(wide.word_bytes() == 8);
  CHECK(wide.maximum() == 4294967296U);
  CHECK(all_of(wide) == expected);
}

TEST_CASE("where text is cut into pieces makes no difference", "[index_file_text]") {
  std::mt19937_64 random(13);
  const std::vector<std::string> between = {" ", "\n", ",", " , ", "\r\n", "# 9 9\n", ",\n\n\t"};
  std::string text;
  Indices expected;
  for (int i = 0; i < 2000; ++i) {
    const std::uint64_t value = (random() >> 1U) >> (random() % 63);
    text += std::to_string(value) + between[random() % between.size()];
    expected.push_back(value);
  }
  for (std::size_t piece = 128; piece < 170; ++piece) REQUIRE(read(text, piece) == expected);

  // And an error is where it is.
  const std::string place =
      ": line " + std::to_string(std::count(text.begin(), text.end(), '\n') + 2) + ", column 3: '1.5x' is no decimal";
  for (std::size_t piece = 128; piece < 170; ++piece) {
    REQUIRE_THAT(error(text + "\n2 1.5x 3", piece), Catch::Matchers::ContainsSubstring(place));
  }
}

TEST_CASE("what is no index is named with its line and column", "[index_file_text]") {
  CHECK(error("") == "a.txt: is empty; expected decimal integers");
  CHECK(error(" # 1\n") == "a.txt: holds no number, only blanks and comments; expected decimal integers");
  CHECK(error("1\n2, 1.5") == "a.txt: line 2, column 4: '1.5' is no decimal integer");
  CHECK(error("1 two") == "a.txt: line 1, column 3: 'two' is no decimal integer");
  CHECK(error("1e-5") == "a.txt: line 1, column 1: '1e-5' is no decimal integer");
  CHECK(error("1.0.0") == "a.txt: line 1, column 1: '1.0.0' is no decimal integer");
  CHECK(error("1e999") == "a.txt: line 1, column 1: '1e999' is no decimal integer");
  CHECK(error("1e17") ==
        "a.txt: line 1, column 1: '1e17' is a float beyond 2^53, where not every index is one; save integers: "
        "numpy.savetxt(..., fmt='%d')");
  CHECK(error("0 -1.000e+00") ==
        "a.txt: line 1, column 3: -1.000e+00 is negative: an index is the number of an element, from 0 on");
  CHECK(error("0x10") == "a.txt: line 1, column 1: '0x10' is no decimal integer");
  CHECK(error("+1") == "a.txt: line 1, column 1: '+1' is no decimal integer");
  CHECK(error("[1, 2]") == "a.txt: line 1, column 1: '[1' is no decimal integer");
  CHECK(error("1 -") == "a.txt: line 1, column 3: '-' is no decimal integer");
  CHECK(error("1\r\n 2\r\n  -3\r\n") ==
        "a.txt: line 3, column 3: -3 is negative: an index is the number of an element, from 0 on");
  CHECK(error("1,,2") == "a.txt: line 1, column 3: expected a number before ','");
  CHECK(error("1,\n,2") == "a.txt: line 2, column 1: expected a number before ','");
  CHECK(error(",1") == "a.txt: line 1, column 1: expected a number before ','");
  CHECK(error("9223372036854775808") ==
        "a.txt: line 1, column 1: '9223372036854775808' is above 2^63 - 1, the largest index");
  CHECK(error("1 99999999999999999999999") ==
        "a.txt: line 1, column 3: '99999999999999999999999' is above 2^63 - 1, the largest index");
  CHECK(error("5 " + std::string(1000, '0')) ==
        "a.txt: line 1, column 3: '" + std::string(24, '0') + "...' is no decimal integer");
  CHECK(error("5 " + std::string(1000, 'x'), 128) ==
        "a.txt: line 1, column 3: '" + std::string(24, 'x') + "...' is no decimal integer");
  CHECK(error(std::string("\x01\0\0\0\x02\0\0\0", 8)) ==
        "a.txt: line 1, column 1: '\\x01\\x00\\x00\\x00\\x02\\x00\\x00\\x00' is no decimal integer; if it is a binary "
        "file, pass --index-format u32|u64|i32|i64|npy");
}

TEST_CASE("damaged text is read or refused in one line", "[index_file_text]") {
  std::mt19937 random(31);
  const std::string alphabet("0123456789 \n\r\t,,#-.x\0\xff\x1b[", 25);
  for (int round = 0; round < 10'000; ++round) {
    std::string text = "12 345,6\n# no\n78901234567890123456, 5";
    for (unsigned changes = 1 + random() % 4; changes-- > 0;) {
      text[random() % text.size()] = alphabet[random() % alphabet.size()];
    }
    const std::string once = error(text);
    REQUIRE(once == error(text, 128));
    REQUIRE(
        (once == "nothing thrown" || once.starts_with("a.txt: line ") || once.starts_with("a.txt: holds no number")));
  }
}

}  // namespace gpumem::pattern::test::test_index_file_text
