#include "app/command_line/shares_and_times.hpp"
#include "tests/app/fakes.hpp"
#include "tests/catch.hpp"

using namespace gpumem::app;
using gpumem::app::test::error_of;

TEST_CASE("a share is a percentage or a fraction") {
  CHECK(parse_fraction("ci-width", "0.5%") == Approx(0.005));
  CHECK(parse_fraction("ci-width", "0.005") == Approx(0.005));
  CHECK(parse_fraction("ci-width", "50%") == Approx(0.5));
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
