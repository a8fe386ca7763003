#include "probes/error.hpp"
#include "probes/host/pieces.hpp"
#include "probes/host/words.hpp"
#include "tests/catch.hpp"

using namespace gpumem::host;

TEST_CASE("numbers in conclusions have two digits, and never lose their integer part") {
  CHECK(two_digits(0) == "0.0");
  CHECK(two_digits(0.0312) == "0.031");
  CHECK(two_digits(0.099) == "0.099");
  CHECK(two_digits(0.0996) == "0.10");
  CHECK(two_digits(2.44) == "2.4");
  CHECK(two_digits(9.96) == "10");
  CHECK(two_digits(155.4) == "155");
}

TEST_CASE("durations are said in the unit that leaves an integer part") {
  CHECK(duration_words(2.44e-6) == "2.4 us");
  CHECK(duration_words(1.285e-3) == "1.3 ms");
  CHECK(duration_words(0.155) == "155 ms");
  CHECK(duration_words(30e-9) == "30 ns");
  CHECK(duration_words(0.9996e-3) == "1.0 ms");
  CHECK(duration_words(12) == "12 s");
}

TEST_CASE("ratios near 1 keep two decimals") {
  CHECK(times_words(0.974) == "0.97 x");
  CHECK(times_words(2.549) == "2.55 x");
  CHECK(times_words(9.996) == "10 x");
  CHECK(times_words(77.9) == "78 x");
}

TEST_CASE("data that is no whole number of words per piece is refused with a size that would do") {
  const auto error_of = [](std::uint64_t bytes, std::uint64_t pieces) -> std::string {
    try {
      require_pieces(bytes, pieces, "chunks");
      return "";
    } catch (const gpumem::Error& error) {
      CHECK(error.kind() == gpumem::ErrorKind::usage);
      return error.what();
    }
  };
  CHECK(error_of(48, 3).empty());
  CHECK(error_of(50, 3) == "--size: 50 bytes are no 3 chunks of whole 4-byte words; 48 bytes would do");
  CHECK(error_of(4, 3) == "--size: 4 bytes are no 3 chunks of whole 4-byte words; 12 bytes would do");
}
