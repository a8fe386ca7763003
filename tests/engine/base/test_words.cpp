#include <string>
#include <vector>

#include "engine/base/words.hpp"
#include "tests/catch.hpp"

namespace gpumem::test_words {

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;
constexpr std::uint64_t gib = 1024 * mib;

using Strings = std::vector<std::string>;

}  // namespace

TEST_CASE("sizes are rounded to a tenth of their unit") {
  CHECK(size_text(0) == "0 bytes");
  CHECK(size_text(1023) == "1023 bytes");
  CHECK(size_text(kib) == "1 KiB");
  CHECK(size_text(137500) == "134.3 KiB");
  CHECK(size_text(mib - 1) == "1 MiB");  // not "1024 KiB"
  CHECK(size_text(60 * mib) == "60 MiB");
  CHECK(size_text(150'109'880'320) == "139.8 GiB");
  CHECK(size_text(1500 * gib) == "1.5 TiB");
  CHECK(size_text(std::uint64_t{3} << 50U) == "3072 TiB");
}

TEST_CASE("sizes that round to the same text are told apart in bytes") {
  CHECK(sizes_apart(60 * gib, 59 * gib) == std::pair<std::string, std::string>("60 GiB", "59 GiB"));
  CHECK(sizes_apart(60 * gib, 60 * gib - 4) ==
        std::pair<std::string, std::string>("64424509440 bytes", "64424509436 bytes"));
}

TEST_CASE("numbers have the digits they deserve, and never lose their integer part") {
  CHECK(significant(0, 3) == "0");
  CHECK(significant(4224.4, 3) == "4224");
  CHECK(significant(91.27, 3) == "91.3");
  CHECK(significant(0.0312, 2) == "0.031");
  CHECK(significant(0.099, 2) == "0.099");
  CHECK(significant(0.0996, 2) == "0.10");
  CHECK(significant(2.44, 2) == "2.4");
  CHECK(significant(9.96, 2) == "10");
  CHECK(significant(155.4, 2) == "155");
  CHECK(significant(0.0000155, 2) == "0.000016");
  CHECK(significant(-2.44, 2) == "-2.4");
  CHECK(significant(1e300, 3) == "1e+300");
}

TEST_CASE("durations are said in the unit that leaves an integer part") {
  CHECK(duration_words(2.44e-6) == "2.4 us");
  CHECK(duration_words(1.285e-3) == "1.3 ms");
  CHECK(duration_words(0.155) == "155 ms");
  CHECK(duration_words(30e-9) == "30 ns");
  CHECK(duration_words(0.9996e-3) == "1.0 ms");
  CHECK(duration_words(12) == "12 s");
  CHECK(duration_words(6.134e-3, 3) == "6.13 ms");
  CHECK(duration_words(850e-6, 3) == "850 us");
  CHECK(duration_words(2.6e-6, 3) == "2.60 us");
  CHECK(duration_words(1.5, 3) == "1.50 s");
}

TEST_CASE("ratios near 1 keep two decimals") {
  CHECK(times_words(0.974) == "0.97 x");
  CHECK(times_words(2.549) == "2.55 x");
  CHECK(times_words(9.996) == "10 x");
  CHECK(times_words(77.9) == "78 x");
  CHECK(rate_words(4549.6) == "4550 GB/s");
  CHECK(rate_words(91.34) == "91.3 GB/s");
}

TEST_CASE("words, lists and sentences") {
  CHECK(capitalised("").empty());
  CHECK(capitalised("at once") == "At once");
  CHECK(join_in_words(Strings{}).empty());
  CHECK(join_in_words(Strings{"a"}) == "a");
  CHECK(join_in_words(Strings{"a", "b"}) == "a and b");
  CHECK(join_in_words(Strings{"a", "b", "c"}) == "a, b and c");
  CHECK(paragraph(Strings{"", "A.", "", "B."}) == "A. B.");
  CHECK(paragraph(Strings{"", ""}).empty());
}

}  // namespace gpumem::test_words
