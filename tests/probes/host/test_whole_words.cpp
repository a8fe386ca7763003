#include <string>

#include "engine/base/error.hpp"
#include "probes/host/whole_words.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_whole_words {

namespace {

std::string refusal(const auto& call) {
  try {
    call();
    return "";
  } catch (const gpumem::Error& error) {
    CHECK(error.kind() == gpumem::ErrorKind::usage);
    return error.what();
  }
}

}  // namespace

TEST_CASE("sizes that are no whole words are refused with one that would do") {
  const auto words = [](std::uint64_t bytes) { return refusal([&] { gpumem::host::require_words(bytes); }); };
  CHECK(words(4096).empty());
  CHECK(words(4098) == "--size 4098 is not a multiple of the word size of 4 bytes; use 4096");
  CHECK(words(2) == "--size 2 is not a multiple of the word size of 4 bytes; use 4");
}

TEST_CASE("sizes that are no whole words per piece are refused with one that would do") {
  const auto pieces = [](std::uint64_t bytes, std::uint64_t count) {
    return refusal([&] { gpumem::host::require_pieces(bytes, count, "chunks"); });
  };
  CHECK(pieces(48, 3).empty());
  CHECK(pieces(50, 3) == "--chunks 3 does not divide --size 50 into pieces of whole 4-byte words; use --size 48");
  CHECK(pieces(4, 3) == "--chunks 3 does not divide --size 4 into pieces of whole 4-byte words; use --size 12");
}

}  // namespace gpumem::test_whole_words
