#include <cstdint>

#include "program/watch/departure.hpp"
#include "tests/catch.hpp"

namespace gpumem::inject::test_departure {

namespace {

constexpr std::uint64_t ms = 1'000'000;
constexpr std::uint64_t us = 1'000;
constexpr std::uint64_t begin_ns = 5'000 * ms;  // of a clock that is not 0 when the program begins

struct Program {
  Departure departure{false};
  std::uint64_t now_ns = begin_ns;

  /// Calls that launch nothing new, one each `apart_ns`, for so long. Returns true if it became time to leave.
  bool goes_on(std::uint64_t lasts_ns, std::uint64_t apart_ns) {
    bool is_due = false;
    for (const std::uint64_t end_ns = now_ns + lasts_ns; now_ns < end_ns; now_ns += apart_ns) {
      departure.note_known();
      is_due = is_due || departure.is_due(now_ns);
    }
    return is_due;
  }
  void launches_new() { departure.note_new(now_ns); }
  /// The answers while it goes on, with so much GPU time in each nanosecond.
  bool is_slowed(double busy) { return departure.is_slowed(now_ns, busy * static_cast<double>(now_ns)); }
};

}  // namespace

TEST_CASE("nobody leaves a program that has launched nothing, or something new just now", "[watch]") {
  Program program;
  CHECK_FALSE(program.departure.is_due(begin_ns + 100'000 * ms));
  program.launches_new();
  CHECK_FALSE(program.departure.is_due(begin_ns));
  CHECK_FALSE(program.goes_on(990 * ms, 10 * us));
  program.launches_new();
  CHECK_FALSE(program.goes_on(980 * ms, 10 * us));
}

TEST_CASE("a loop of short launches is left a second after it told something for the last time", "[watch]") {
  Program program;
  program.launches_new();
  CHECK_FALSE(program.goes_on(500 * ms, 10 * us));
  program.launches_new();
  CHECK_FALSE(program.goes_on(Departure::least_patience_ns - ms, 10 * us));
  CHECK(program.goes_on(2 * ms, 10 * us));
}

TEST_CASE("patience grows with the time in which something new came", "[watch]") {
  Program program;
  for (int i = 0; i < 8; ++i) {
    program.launches_new();
    CHECK_FALSE(program.goes_on(900 * ms, 10 * us));
  }
  program.launches_new();  // 7.2 s after the first
  CHECK_FALSE(program.goes_on(7'100 * ms, 10 * us));
  CHECK(program.goes_on(200 * ms, 10 * us));
}

TEST_CASE("a program that keeps its GPU busy is watched, however often it launches", "[watch]") {
  Program program;
  program.launches_new();
  CHECK(program.goes_on(1'100 * ms, 10 * us));
  for (int i = 0; i < 8; ++i) {
    CHECK_FALSE(program.is_slowed(0.98));
    CHECK_FALSE(program.goes_on(Departure::look_each_ns - ms, 10 * us));  // nobody asks again at once
    CHECK(program.goes_on(2 * ms, 10 * us));
  }
}

TEST_CASE("a program whose GPU waits for the host is left at the second look", "[watch]") {
  Program program;
  program.launches_new();
  CHECK(program.goes_on(1'100 * ms, 10 * us));
  CHECK_FALSE(program.is_slowed(0.5));
  CHECK(program.goes_on(300 * ms, 10 * us));
  CHECK(program.is_slowed(0.5));
  program.launches_new();  // GPU time from before does not count
  CHECK(program.goes_on(1'600 * ms, 10 * us));
  CHECK_FALSE(program.is_slowed(0.5));
}

TEST_CASE("a program that launches seldom is watched to its end", "[watch]") {
  Program program;
  program.launches_new();
  CHECK_FALSE(program.goes_on(100'000 * ms, 150 * us));
  // The share of the whole time counts: the fast part has to become a part of it.
  CHECK_FALSE(program.goes_on(1'000 * ms, 10 * us));
  CHECK(program.goes_on(30'000 * ms, 10 * us));
}

TEST_CASE("a program whose launches are all to be counted is not left", "[watch]") {
  Program program{.departure = Departure(true)};
  program.launches_new();
  CHECK_FALSE(program.goes_on(10'000 * ms, 10 * us));
}

TEST_CASE("a clock that lags behind makes nobody leave sooner", "[watch]") {
  Departure departure(false);
  departure.note_new(begin_ns);
  for (int i = 0; i < 1'000'000; ++i) departure.note_known();
  departure.note_new(begin_ns - 4 * ms);
  CHECK_FALSE(departure.is_due(begin_ns - 4 * ms));
  CHECK_FALSE(departure.is_due(begin_ns + 10'000 * ms));  // its calls are those since the last new one
}

}  // namespace gpumem::inject::test_departure
