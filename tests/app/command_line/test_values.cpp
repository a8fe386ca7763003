#include <string>
#include <utility>
#include <vector>

#include "app/command_line/values.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

namespace gpumem::app::test_values {

using gpumem::app::test::error_of;

namespace {

Axis any_number() {
  return {.flag = "n",
          .parameter = "n",
          .unit = "",
          .purpose = "",
          .defaults = "0",
          .quick = "",
          .maximum = ~std::uint64_t{0}};
}

std::string values(const Axis& axis, const std::vector<std::string>& texts) {
  std::string all;
  for (const Value& value : parse_axis_values(axis, texts)) all += (all.empty() ? "" : " ") + to_string(value);
  return all;
}

std::string values(const std::string& text) { return values(any_number(), {text}); }

std::string refusal(const Axis& axis, const std::vector<std::string>& texts) {
  return error_of([&] { static_cast<void>(parse_axis_values(axis, texts)); });
}

std::string refusal(const std::string& text) { return refusal(any_number(), {text}); }

}  // namespace

TEST_CASE("ranges: single values and inclusive ranges") {
  CHECK(values("7") == "7");
  CHECK(values("0..4") == "0 1 2 3 4");
  CHECK(values("5..5") == "5");
  CHECK(values("007") == "7");
}

TEST_CASE("ranges: steps stop at or before the end") {
  CHECK(values("0..32:8") == "0 8 16 24 32");
  CHECK(values("0..10:4") == "0 4 8");
  CHECK(values("1..3:100") == "1");
  CHECK(values("18446744073709551613..18446744073709551615:2") == "18446744073709551613 18446744073709551615");
}

TEST_CASE("ranges: factors stop at or before the end") {
  CHECK(values("1..1024*2") == "1 2 4 8 16 32 64 128 256 512 1024");
  CHECK(values("3..100*3") == "3 9 27 81");
  CHECK(values("7..7*2") == "7");
  CHECK(values("9223372036854775808..18446744073709551615*2") == "9223372036854775808");
}

TEST_CASE("ranges: lists keep the first of duplicates, also over several uses of a flag") {
  CHECK(values("1,2,5,8..10") == "1 2 5 8 9 10");
  CHECK(values("3,1..4,1") == "3 1 2 4");
  CHECK(values(any_number(), {"8,0", "0..2"}) == "8 0 1 2");
  CHECK(values(" 1, 2 ") == "1 2");
}

TEST_CASE("ranges: sizes in powers of two and ten") {
  CHECK(values("4KiB") == "4096");
  CHECK(values("1MiB,1GiB") == "1048576 1073741824");
  CHECK(values("1KB,2MB,3GB") == "1000 2000000 3000000000");
  CHECK(values("4KiB..64KiB*4") == "4096 16384 65536");
  CHECK(values("1KiB..3KiB:1KiB") == "1024 2048 3072");
}

TEST_CASE("ranges: blanks may stand between numbers, signs and units") {
  CHECK(values("1 .. 3") == "1 2 3");
  CHECK(values("0 .. 8 : 4") == "0 4 8");
  CHECK(values("1 ..4 * 2") == "1 2 4");
  CHECK(values("4 KiB, 1 MiB") == "4096 1048576");
  CHECK(refusal("5 .. ") == "--n: '5 ..' has no end; write it as 5..32, or 5 for one value");
  CHECK(refusal("1 000").find("ends in '000', which is no size") != std::string::npos);
}

TEST_CASE("ranges: sizes with a point, in any letters, and numbers of other notations") {
  CHECK(values("1.5GiB") == "1610612736");
  CHECK(values("1.5 KiB") == "1536");
  CHECK(values("0.5KiB..1.5KiB*3") == "512 1536");
  CHECK(values("1.25MB,0.001KB") == "1250000 1");
  CHECK(values("1.50000KB") == "1500");
  CHECK(values("2.0") == "2");
  CHECK(values("4kb,4kib,4KIB,4Ki") == "4000 4096");
  CHECK(values("0x10,0XfF,0x1KiB") == "16 255 1024");
  CHECK(values("1e3,1.5e3,1e0") == "1000 1500 1");
  CHECK(values("0e99") == "0");
}

TEST_CASE("ranges: what is wrong is quoted, and what would be right is said") {
  const std::pair<std::string, std::string> cases[] = {
      {"5..", "--n: '5..' has no end; write it as 5..32, or 5 for one value"},
      {"40..", "--n: '40..' has no end; write it as 40..80, or 40 for one value"},
      {"..5", "--n: '..5' has no start; write 0..5"},
      {"..", "--n: '..' has neither start nor end; write it as 0..32"},
      {"3..1", "--n: '3..1' runs backwards; write 1..3"},
      {"1..10:0", "--n: '1..10:0' never ends: its step is 0; leave the step out, or make it 1 or more"},
      {"1..10:", "--n: '1..10:' has no step; write it as 0..32:4"},
      {"1..10*", "--n: '1..10*' has no factor; write it as 1..1024*2"},
      {"0..32*2", "--n: '0..32*2' never ends: it multiplies 0; write 1..32*2, or with the 0 as well 0,1..32*2"},
      {"1..32*1", "--n: '1..32*1' never ends: its factor is 1; make it 2 or more"},
      {"1..32*0", "--n: '1..32*0' never ends: its factor is 0; make it 2 or more"},
      {"1..9:2:2", "--n: '1..9:2:2' has more than one step or factor; give one"},
      {"1..9*2:2", "--n: '1..9*2:2' has more than one step or factor; give one"},
      {"1..2..3", "--n: '1..2..3' has more than one '..'; separate ranges by commas"},
      {"0:32", "--n: '0:32' has no '..'; a range, with its last value, is 0..32"},
      {"0:32:4", "--n: '0:32:4' has no '..'; a range, with its last value, is 0..32:4"},
      {"0 : 1KiB", "--n: '0 : 1KiB' has no '..'; a range, with its last value, is 0..1KiB"},
      {":4", "--n: ':4' has a step but no range; write it as 0..32:4"},
      {"3:", "--n: '3:' has a step but no range; write it as 0..32:4"},
      {"::2", "--n: '::2' has a step but no range; write it as 0..32:4"},
      {"3*4", "--n: '3*4' has a factor but no range; write it as 1..1024*2"},
      {"a", "--n: 'a' is not a number; write 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8"},
      {"0..b", "--n: 'b' is not a number; write 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8"},
      {"-1", "--n: '-1' is negative; values are whole numbers from 0"},
      {"0..-4", "--n: '-4' is negative; values are whole numbers from 0"},
      {"1.5", "--n: '1.5' is not a whole number"},
      {"1e-3", "--n: '1e-3' is not a whole number"},
      {"1.25e1", "--n: '1.25e1' is not a whole number"},
      {"1.", "--n: '1.' is not a whole number"},
      {"1.0001KB", "--n: '1.0001KB' is not a whole number of bytes"},
      {"1-10", "--n: '1-10' is not a number; a range is written with two dots: 1..10"},
      {"0x", "--n: '0x' is not a number; write 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8"},
      {"0x10000000000000000", "--n: '0x10000000000000000' is too large a number; the largest is 18446744073709551615"},
      {"1e20", "--n: '1e20' is too large a number; the largest is 18446744073709551615"},
      {"1e99999999999999999999",
       "--n: '1e99999999999999999999' is too large a number; the largest is 18446744073709551615"},
      {"1G", "--n: '1G' may be 1GiB, by powers of two, or 1GB, by powers of ten; write one of them"},
      {"64 k", "--n: '64 k' may be 64KiB, by powers of two, or 64KB, by powers of ten; write one of them"},
      {"1.5m", "--n: '1.5m' may be 1.5MiB, by powers of two, or 1.5MB, by powers of ten; write one of them"},
      {"4kx",
       "--n: '4kx' ends in 'kx', which is no size; use KiB, MiB, GiB, TiB (powers of two) or KB, MB, GB, TB "
       "(powers of ten)"},
      {"", "--n: needs a value, such as 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8"},
      {"1,,2", "--n: '1,,2' has a comma without a value beside it"},
      {"1,", "--n: '1,' has a comma without a value beside it"},
      {",", "--n: ',' has a comma without a value beside it"},
      {"18446744073709551616",
       "--n: '18446744073709551616' is too large a number; the largest is 18446744073709551615"},
      {"17179869184GiB", "--n: '17179869184GiB' is too large a number; the largest is 18446744073709551615"},
      {"auto", "--n: 'auto' is not a number; write 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8"},
  };
  for (const auto& [text, message] : cases) {
    CAPTURE(text);
    CHECK(refusal(text) == message);
  }
}

TEST_CASE("ranges: too many points are counted, not enumerated") {
  CHECK(values("1..10000").size() > 10000);
  CHECK(refusal("0..10000") == "--n: '0..10000' is 10001 points, more than the 10000 an axis takes; write 0..10000:2");
  CHECK(refusal("0..1000000") ==
        "--n: '0..1000000' is 1000001 points, more than the 10000 an axis takes; write 0..1000000:200");
  CHECK(refusal("0..18446744073709551615").find("is 2^64 points") != std::string::npos);
  CHECK(refusal("0..9999,10000") == "--n: its lists add up to more than the 10000 points an axis takes");
}

TEST_CASE("ranges: the step suggested for too many points is accepted") {
  CHECK(refusal("0..10000:2") == "nothing thrown");
  CHECK(refusal("0..1000000:200") == "nothing thrown");
  CHECK(refusal("0..18446744073709551615:2000000000000000") == "nothing thrown");
}

TEST_CASE("ranges: names are checked against the axis") {
  const Axis op = test::op_axis();
  CHECK(values(op, {"read,copy,read"}) == "read copy");
  CHECK(refusal(op, {"raed"}) == "--op: 'raed' is not one of read, write, copy; did you mean 'read'?");
  CHECK(refusal(op, {"execute"}) == "--op: 'execute' is not one of read, write, copy");
  CHECK(refusal(op, {"3"}) == "--op: '3' is not one of read, write, copy");
  CHECK(refusal(op, {""}) == "--op: needs a value, such as read,write,copy");
}

TEST_CASE("ranges: numbers are checked against the axis") {
  Axis words = any_number();
  words.numbers = {4, 8, 16};
  CHECK(values(words, {"4..16*2"}) == "4 8 16");
  CHECK(refusal(words, {"5"}) == "--n: 5 is not one of 4, 8, 16");
  CHECK(refusal(words, {"4..8"}) == "--n: 5 is not one of 4, 8, 16 (in '4..8')");
  CHECK(refusal(words, {"x"}) == "--n: 'x' is not a number; write 4,8,16");

  Axis threads = any_number();
  threads.minimum = 1;
  threads.maximum = 1024;
  CHECK(values(threads, {"1,1024"}) == "1 1024");
  CHECK(refusal(threads, {"0"}) == "--n: 0 is below the minimum of 1");
  CHECK(refusal(threads, {"1KiB..2KiB*2"}) == "--n: 2048 is above the maximum of 1024 (in '1KiB..2KiB*2')");
}

TEST_CASE("ranges: auto stands alone, and only where there is something to choose") {
  const Axis shape = test::shape_axis("shape", {1, 2});
  CHECK(values(shape, {"auto"}) == "auto");
  CHECK(values(shape, {"auto", "auto"}) == "auto");
  CHECK(refusal(shape, {"auto,4"}) == "--shape: 'auto' stands alone; leave it out, or the other values");
  CHECK(refusal(shape, {"4", "auto"}) == "--shape: 'auto' stands alone; leave it out, or the other values");
  CHECK(refusal(shape, {"atuo"}) ==
        "--shape: 'atuo' is not a number; write 4, 0..32, 0..32:4, 1..1024*2 or 1,2,8 or auto; did you mean 'auto'?");
}

TEST_CASE("ranges: a share of the GPU's memory is a name, and only where one is taken") {
  Axis buffer{.flag = "buffer", .unit = "bytes", .purpose = "", .takes_auto = true, .takes_share = true};
  CHECK(values(buffer, {"90%,1KiB,2.50 %", "90.0%,100%"}) == "90% 1024 2.5% 100%");
  for (const char* text : {"0%", "-1%", "100.1%", "%", "x%", "5%%", "nan%", "1e999%", "10%..20%"}) {
    CHECK_THAT(refusal(buffer, {text}), Catch::Matchers::StartsWith("--buffer: '"));
  }
  CHECK(refusal(buffer, {"101%"}) ==
        "--buffer: '101%' is no share of the GPU's memory; write more than 0% and at most 100%, such as 90%");
  buffer.takes_share = false;
  CHECK(refusal(buffer, {"90%"}) ==
        "--buffer: '90%' is a share of the GPU's memory, and only --buffer takes one; write a size such as 64MiB");
}

TEST_CASE("texts: an axis that takes them says what each stands for") {
  Axis letters = {.flag = "letters", .parameter = "letters", .purpose = "", .defaults = "a"};
  letters.texts = [](std::string_view text) {
    if (text.empty()) throw usage_error("--letters: needs a letter");
    std::vector<std::string> all;
    for (const char letter : text) all.emplace_back(1, letter);
    return all;
  };
  CHECK_FALSE(letters.takes_numbers());
  CHECK_FALSE(letters.takes_range());
  CHECK(values(letters, {"abc"}) == "a b c");
  CHECK(values(letters, {"ab", "ca"}) == "a b c");
  CHECK(values(letters, {"1,2"}) == "1 , 2");  // commas and numbers are its own matter
  CHECK(parse_axis_values(letters, std::vector<std::string>{"7"}).front() == Value("7"));
  CHECK(refusal(letters, {""}) == "--letters: needs a letter");
  CHECK(values(letters, {"auto"}) == "a u t o");
  letters.takes_auto = true;
  CHECK(values(letters, {"auto"}) == "auto");
  CHECK(refusal(letters, {"auto", "b"}) == "--letters: 'auto' stands alone; leave it out, or the other values");
  letters.texts = [](std::string_view) { return std::vector<std::string>(maximum_points + 1, "same"); };
  CHECK(values(letters, {"x"}) == "same");
  letters.texts = [](std::string_view) {
    std::vector<std::string> many;
    for (std::size_t k = 0; k <= maximum_points; ++k) many.push_back(std::to_string(k));
    return many;
  };
  CHECK_THAT(refusal(letters, {"x"}), Catch::Matchers::StartsWith("--letters: its lists add up to more than the "));
}

TEST_CASE("texts: expressions are parted by commas, and swept") {
  const Probe* probe = find_probe("pattern");
  REQUIRE(probe != nullptr);
  const Axis& pattern = probe->axes.front();
  CHECK(pattern.flag == "pattern");
  const auto expressions = [&](const std::vector<std::string>& texts) {
    std::string all;
    for (const Value& value : parse_axis_values(pattern, texts)) all += "[" + std::get<std::string>(value) + "]";
    return all;
  };
  CHECK(expressions({"i"}) == "[i]");
  CHECK(expressions({"i, i ^ 5", "i * 3"}) == "[i][i ^ 5][i * 3]");
  CHECK(expressions({"min(i, 5), i"}) == "[min(i, 5)][i]");
  CHECK(expressions({"i * {1..3}"}) == "[i * 1][i * 2][i * 3]");
  CHECK(expressions({"i * {1,2}, i * {2,4}"}) == "[i * 1][i * 2][i * 4]");
  CHECK(expressions({pattern.defaults}).starts_with("[i]["));
  CHECK_THAT(refusal(pattern, {""}), Catch::Matchers::StartsWith("--pattern: "));
  CHECK_THAT(refusal(pattern, {"i,"}), Catch::Matchers::StartsWith("--pattern: "));
  CHECK_THAT(refusal(pattern, {"i, i * * 3"}), Catch::Matchers::StartsWith("--pattern: column 5 of 'i * * 3': "));
  CHECK_THAT(refusal(pattern, {"j"}), Catch::Matchers::StartsWith("--pattern: column 1 of 'j': "));
  CHECK_THAT(refusal(*probe->find_axis("active"), {"i %"}), Catch::Matchers::StartsWith("--active: column "));
}

TEST_CASE("a share is a percentage or a fraction") {
  CHECK(parse_fraction("ci-width", "0.5%") == Approx(0.005));
  CHECK(parse_fraction("ci-width", "0.005") == Approx(0.005));
  CHECK(parse_fraction("ci-width", "50%") == Approx(0.5));
  CHECK(parse_fraction("max-overhead", "500%", 10) == Approx(5));
  CHECK(parse_fraction("ci-width", "1e-3") == Approx(0.001));
}

TEST_CASE("a share that is none, or probably not meant, is refused") {
  for (const char* text :
       {"", "%", "x", "1%%", "5 percent", "nan", "inf%", "0", "0%", "-1%", "100%", "1", "7", "0.5"}) {
    CAPTURE(text);
    CHECK(error_of([&] { static_cast<void>(parse_fraction("ci-width", text)); }).substr(0, 12) == "--ci-width: ");
  }
  CHECK(error_of([] { static_cast<void>(parse_fraction("ci-width", "0.5")); }) ==
        "--ci-width: '0.5' would be 50%; write 0.5%, or 50% if that is meant");
}

TEST_CASE("a duration has a unit") {
  CHECK(parse_duration("time-budget", "2s").count() == Approx(2));
  CHECK(parse_duration("time-budget", "500ms").count() == Approx(0.5));
  CHECK(parse_duration("time-budget", "100us").count() == Approx(1e-4));
  CHECK(parse_duration("time-budget", "1.5min").count() == Approx(90));
  CHECK(parse_duration("time-budget", "0s").count() == 0);
  CHECK(parse_duration("time-budget", "0").count() == 0);
  for (const char* text : {"", "2", "s", "2h", "-1s", "infs", "nan", "2 s"}) {
    CAPTURE(text);
    CHECK(error_of([&] { static_cast<void>(parse_duration("time-budget", text)); }).substr(0, 15) == "--time-budget: ");
  }
}

}  // namespace gpumem::app::test_values
