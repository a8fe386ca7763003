#include <algorithm>
#include <list>
#include <optional>
#include <random>
#include <set>

#include "engine/model/l2_cache.hpp"
#include "engine/model/line_cache.hpp"
#include "tests/catch.hpp"

namespace gpumem::model::test_line_cache {

namespace {

/// The line that made way, absent where there was place.
std::optional<std::uint64_t> insert(LineCache& cache, std::uint64_t number) {
  CachedLine evicted;
  bool was_full = false;
  const CachedLine& line = cache.insert(number, evicted, was_full);
  CHECK(line.number == number);
  return was_full ? std::optional(evicted.number) : std::nullopt;
}

std::set<std::uint64_t> lines_of(LineCache& cache) {
  std::set<std::uint64_t> lines;
  cache.for_each([&](const CachedLine& line) { CHECK(lines.insert(line.number).second); });
  return lines;
}

using Lines = std::set<std::uint64_t>;

}  // namespace

TEST_CASE("line cache: what was used least recently makes way", "[line_cache]") {
  LineCache cache(3);
  CHECK(cache.size() == 3);
  CHECK(cache.used() == 0);
  CHECK(cache.find(1) == nullptr);
  for (const std::uint64_t line : {1U, 2U, 3U}) CHECK_FALSE(insert(cache, line));
  CHECK(cache.used() == 3);
  CHECK(cache.find(1) != nullptr);  // which makes it the newest
  CHECK(insert(cache, 4) == 2U);
  CHECK(cache.find(2) == nullptr);
  CHECK(cache.find(3) != nullptr);
  CHECK(cache.find(3) != nullptr);
  CHECK(insert(cache, 2) == 1U);
  CHECK(insert(cache, 5) == 4U);
  CHECK(lines_of(cache) == Lines{2, 3, 5});
  CHECK(cache.used() == 3);
}

TEST_CASE("line cache: one line", "[line_cache]") {
  LineCache cache(1);
  CHECK_FALSE(insert(cache, 7));
  CHECK(cache.find(7) != nullptr);
  CHECK(insert(cache, 8) == 7U);
  CHECK(cache.find(7) == nullptr);
  CHECK(insert(cache, 7) == 8U);
  CHECK(lines_of(cache) == Lines{7});
}

TEST_CASE("line cache: what is known of a line stays until it makes way, and goes with it", "[line_cache]") {
  LineCache cache(2);
  CachedLine evicted;
  bool was_full = false;
  CachedLine& line = cache.insert(10, evicted, was_full);
  CHECK(line.valid == 0);
  CHECK(line.written == decltype(line.written){});
  line.valid = 5;
  line.written[2] = 0xF0;
  CHECK_FALSE(insert(cache, 11));
  REQUIRE(cache.find(10) != nullptr);
  CHECK(cache.find(10)->valid == 5);
  CHECK(cache.find(10)->written[2] == 0xF0);
  CHECK(insert(cache, 12) == 11U);
  cache.insert(13, evicted, was_full);
  CHECK(was_full);
  CHECK(evicted.number == 10);
  CHECK(evicted.valid == 5);
  CHECK(evicted.written[2] == 0xF0);
  const CachedLine& again = cache.insert(10, evicted, was_full);
  CHECK(again.valid == 0);
  CHECK(again.written[2] == 0);
}

TEST_CASE("line cache: any order of lines of a set is as in a list", "[line_cache]") {
  std::mt19937_64 random(1);
  for (const std::size_t size : {1U, 2U, 7U, 16U}) {
    LineCache cache(size);
    std::list<std::uint64_t> newest_first;
    for (int k = 0; k < 5000; ++k) {
      const std::uint64_t number = (random() % (2 * size)) << 40U;
      const auto found = std::find(newest_first.begin(), newest_first.end(), number);
      REQUIRE((cache.find(number) != nullptr) == (found != newest_first.end()));
      if (found != newest_first.end()) {
        newest_first.erase(found);
      } else {
        const std::optional<std::uint64_t> evicted = insert(cache, number);
        REQUIRE(evicted.has_value() == (newest_first.size() == size));
        if (evicted) {
          REQUIRE(*evicted == newest_first.back());
          newest_first.pop_back();
        }
      }
      newest_first.push_front(number);
    }
    CHECK(lines_of(cache) == Lines(newest_first.begin(), newest_first.end()));
  }
}

TEST_CASE("line cache: sets share the lines out", "[line_cache]") {
  for (const std::size_t lines : {17U, 1000U, 4096U}) {
    LineCache cache(lines);
    CHECK(cache.size() >= lines);
    CHECK(cache.size() < lines + lines / 16 + 2);
    for (std::uint64_t number = 0; number < 4 * lines; ++number) insert(cache, number << 7U);
    CHECK(cache.used() == cache.size());
    // If half as many lines are inserted, few of them find their set full.
    cache.clear();
    CHECK(cache.used() == 0);
    CHECK(cache.find(0) == nullptr);
    std::size_t evictions = 0;
    for (std::uint64_t number = 0; number < lines / 2; ++number) evictions += insert(cache, number << 7U) ? 1 : 0;
    CHECK(evictions <= lines / 50 + 1);
  }
}

TEST_CASE("line cache: of the marked lines in a set the oldest is found, if they are many", "[line_cache]") {
  LineCache cache(4);  // a set
  for (const std::uint64_t line : {1U, 2U, 3U, 4U}) insert(cache, line);
  for (const std::uint64_t line : {4U, 2U, 1U}) cache.mark(*cache.find(line), true);
  REQUIRE(cache.oldest_marked(9, 3) != nullptr);
  CHECK(cache.oldest_marked(9, 3)->number == 4);
  CHECK(cache.oldest_marked(9, 4) == nullptr);
  CHECK(cache.is_marked(*cache.find_unused(2)));
  cache.mark(*cache.find_unused(4), false);
  CHECK(cache.oldest_marked(9, 1)->number == 2);
  CHECK(insert(cache, 5) == 3U);
  CHECK(insert(cache, 6) == 4U);
  CHECK(insert(cache, 7) == 2U);  // and its mark goes with it
  CHECK(cache.oldest_marked(9, 1)->number == 1);
  CHECK(cache.oldest_marked(9, 2) == nullptr);
}

TEST_CASE("line cache: the last groups are known, as many as are remembered", "[line_cache]") {
  std::mt19937_64 random(2);
  for (const std::size_t most : {1U, 3U, 8U, 100U}) {
    LastGroups groups(most);
    std::list<std::uint64_t> known;
    for (int k = 0; k < 20000; ++k) {
      const std::uint64_t group = random() % (2 * most + 1);
      const bool expected = std::find(known.begin(), known.end(), group) != known.end();
      REQUIRE(groups.has(group) == expected);
      if (expected) continue;
      known.push_back(group);
      if (known.size() > most) known.pop_front();
    }
  }
}

}  // namespace gpumem::model::test_line_cache
