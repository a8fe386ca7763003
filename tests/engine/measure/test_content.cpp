// The content of elements of 1 and 2 bytes is that of the 32-bit words that they lie in.

#include <cstring>
#include <vector>

#include "engine/measure/content.hpp"
#include "tests/catch.hpp"

namespace gpumem::measure::test_content {

TEST_CASE("content: parts of arrays are 32-bit words, or smaller elements", "[content]") {
  CHECK(ContentParts::of(1).per_element == 1);
  CHECK(ContentParts::of(2).bytes == 2);
  CHECK(ContentParts::of(4).per_element == 1);
  CHECK(ContentParts::of(32).bytes == 4);
  CHECK(ContentParts::of(32).per_element == 8);
  CHECK(ContentParts::of(1).poison() == poison_byte);
  CHECK(ContentParts::of(2).poison() == 0xA2A2U);
  CHECK(ContentParts::of(4).poison() == poison_word);
}

TEST_CASE("content: a part of 1 or 2 bytes holds its bytes of the random word", "[content]") {
  std::vector<std::uint32_t> words(64);
  for (std::size_t i = 0; i < words.size(); ++i) words[i] = random_word(i);
  const auto* const bytes = reinterpret_cast<const std::uint8_t*>(words.data());
  for (const std::uint32_t part_bytes : {1U, 2U, 4U}) {
    const ContentParts parts = ContentParts::of(part_bytes);
    for (std::uint64_t i = 0; i < words.size() * 4 / part_bytes; ++i) {
      std::uint32_t expected = 0;
      std::memcpy(&expected, bytes + i * part_bytes, part_bytes);
      CHECK(parts.random(i) == expected);
      CHECK(parts.at(words.data(), i) == expected);
    }
  }
}

}  // namespace gpumem::measure::test_content
