#include <algorithm>
#include <cstring>
#include <limits>
#include <stdexcept>

#include "engine/pattern/index_file_bytes.hpp"
#include "tests/engine/pattern/index_tests.hpp"

namespace gpumem::pattern::test::test_index_sequence {

namespace {

template <class Word>
WordBuffer buffer_of(const std::vector<Word>& words) {
  WordBuffer buffer;
  buffer.resize(words.size() * sizeof(Word), "test");
  std::memcpy(buffer.data(), words.data(), buffer.bytes());
  return buffer;
}

template <class Word>
void check_width() {
  constexpr Word most = std::numeric_limits<Word>::max();
  const IndexSequence indices(buffer_of<Word>({7, most, 3, 5}), sizeof(Word));
  CHECK(all_of(indices) == Indices{7, most, 3, 5});
  CHECK(indices.minimum() == 3);
  CHECK(indices.maximum() == most);
  CHECK(indices.word_bytes() == sizeof(Word));
}

}  // namespace

TEST_CASE("indices are held in words of any width", "[index_sequence]") {
  check_width<std::uint8_t>();
  check_width<std::uint16_t>();
  check_width<std::uint32_t>();
  check_width<std::uint64_t>();
}

TEST_CASE("a block of indices repeats further on", "[index_sequence]") {
  const IndexSequence indices = make_index_sequence(Indices{5, 0, 9}, {3, 100});
  CHECK(indices.count() == 9);
  CHECK(indices.words() == 3);
  CHECK(indices.minimum() == 0);
  CHECK(indices.maximum() == 209);
  CHECK(all_of(indices) == Indices{5, 0, 9, 105, 100, 109, 205, 200, 209});
}

namespace {

IndexSequence with_deltas(const Indices& block, std::uint64_t repeats, std::vector<std::int64_t> deltas) {
  return make_index_sequence(block, RepeatShifts(repeats, deltas));
}

}  // namespace

TEST_CASE("deltas take turns, and may go down", "[index_sequence]") {
  CHECK(all_of(with_deltas({0, 1}, 5, {4, 10})) == Indices{0, 1, 4, 5, 14, 15, 18, 19, 28, 29});
  CHECK(all_of(with_deltas({3, 0}, 3, {-4})) == Indices{11, 8, 7, 4, 3, 0});
  CHECK(all_of(with_deltas({0}, 4, {-4, 1})) == Indices{7, 3, 4, 0});
  CHECK(all_of(with_deltas({0}, 3, {8, 8, 8, 1'000'000})) == Indices{0, 8, 16});
  CHECK(all_of(with_deltas({2}, 3, {0})) == Indices{2, 2, 2});
}

TEST_CASE("how far repeats reach is told without walking them", "[index_sequence]") {
  for (const std::vector<std::int64_t>& deltas :
       {std::vector<std::int64_t>{0}, {7}, {-7}, {5, -3}, {-5, 3}, {3, -3}, {1, 2, -30, 4}, {-1, -2, 30}}) {
    for (std::uint64_t repeats = 1; repeats < 9; ++repeats) {
      const IndexSequence indices = with_deltas({5, 0, 9}, repeats, deltas);
      const Indices all = all_of(indices);
      CHECK(*std::ranges::min_element(all) == indices.minimum());
      CHECK(*std::ranges::max_element(all) == indices.maximum());
      for (std::uint64_t count = 1; count <= all.size(); ++count) {
        REQUIRE(indices.highest(count) ==
                *std::max_element(all.begin(), all.begin() + static_cast<std::ptrdiff_t>(count)));
      }
      for (std::uint64_t least = 0; least <= indices.maximum() + 1; ++least) {
        const auto found = std::ranges::find_if(all, [&](std::uint64_t index) { return index >= least; });
        REQUIRE(indices.first_from(least) == static_cast<std::uint64_t>(found - all.begin()));
      }
    }
  }
  const IndexSequence long_one = with_deltas({0, 24}, std::uint64_t{1} << 60U, {1, 2});
  CHECK(long_one.maximum() == 24 + (std::uint64_t{3} << 59U) - 2);
  CHECK(long_one.first_from(std::uint64_t{3} << 58U) == (std::uint64_t{1} << 60U) - 2 * 16 + 1);
}

TEST_CASE("pieces of a sequence are what it says one by one", "[index_sequence]") {
  const IndexSequence indices = make_index_sequence(Indices{5, 0, 9, 2}, {6, 7});
  const Indices all = all_of(indices);
  for (std::uint64_t first = 0; first <= all.size(); ++first) {
    for (std::uint64_t count = 0; first + count <= all.size(); ++count) {
      Indices wide(count);
      std::vector<std::uint32_t> narrow(count);
      indices.copy_to(first, std::span(wide));
      indices.copy_to(first, std::span(narrow));
      REQUIRE(std::equal(wide.begin(), wide.end(), all.begin() + static_cast<std::ptrdiff_t>(first)));
      REQUIRE(std::equal(narrow.begin(), narrow.end(), wide.begin(), wide.end()));
    }
  }
}

TEST_CASE("lists of indices take 32 bits where these suffice", "[index_sequence]") {
  constexpr std::uint64_t most_narrow = std::numeric_limits<std::uint32_t>::max();
  CHECK(make_index_sequence(Indices{0, most_narrow}).word_bytes() == 4);
  CHECK(make_index_sequence(Indices{0, most_narrow + 1}).word_bytes() == 8);
  CHECK(all_of(make_index_sequence(Indices{most_narrow + 1, 1})) == Indices{most_narrow + 1, 1});
}

TEST_CASE("what is no sequence is a mistake of the program", "[index_sequence]") {
  CHECK_THROWS_AS(make_index_sequence(Indices{}), std::logic_error);
  CHECK_THROWS_AS(make_index_sequence(Indices{1}, {0, 0}), std::logic_error);
  CHECK_THROWS_AS(make_index_sequence(Indices{1, 2}, {std::uint64_t{1} << 62U, 0}), std::logic_error);
  CHECK_THROWS_AS(make_index_sequence(Indices{1}, {3, std::uint64_t{1} << 62U}), std::logic_error);
  CHECK_THROWS_AS(IndexSequence(buffer_of<std::uint8_t>({1, 2, 3}), 3), std::logic_error);
  CHECK_THROWS_AS(IndexSequence(buffer_of<std::uint8_t>({1, 2, 3}), 0), std::logic_error);
}

TEST_CASE("memory that no host has is refused before it is touched", "[index_sequence]") {
  WordBuffer buffer;
  buffer.resize(4, "a.npy");
  buffer.as<std::uint32_t>()[0] = 42;
  const std::string error = error_of([&] { buffer.resize(std::size_t{1} << 50U, "a.npy"); });
  CHECK_THAT(error, Catch::Matchers::StartsWith("a.npy: holding its indices takes 1024 TiB of memory"));
  CHECK(buffer.bytes() == 4);  // as before
  CHECK(buffer.as<std::uint32_t>()[0] == 42);
}

TEST_CASE("files and pipes are read whole, and no further than asked", "[index_sequence]") {
  const std::string content(10'000'000, 'x');
  for (const bool pipe : {false, true}) {
    for (const std::uint64_t most : {std::uint64_t{0}, std::uint64_t{17}, std::uint64_t{4} << 20U,
                                     std::uint64_t{10'000'000}, std::numeric_limits<std::uint64_t>::max()}) {
      const WordBuffer words = read_words(bytes_in_memory(content, "test", pipe), most);
      CHECK(words.bytes() == std::min<std::uint64_t>(most, content.size()));
      CHECK(std::ranges::equal(words.as<char>(), std::string_view(content).substr(0, words.bytes())));
    }
  }
}

TEST_CASE("bytes of a file stand in one line of an error", "[index_sequence]") {
  CHECK(quoted_bytes("1.5") == "1.5");
  CHECK(quoted_bytes(std::string_view("\0\n\x7f\xff", 4)) == "\\x00\\x0a\\x7f\\xff");
  CHECK(quoted_bytes("abcdef", 3) == "abc...");
}

}  // namespace gpumem::pattern::test::test_index_sequence
