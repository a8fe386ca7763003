// Facts and counts of patterns that a user writes, against evaluating every access.

#include <algorithm>
#include <functional>
#include <optional>
#include <span>

#include "engine/pattern/expression_evaluator.hpp"
#include "tests/catch.hpp"
#include "tests/probes/user/user_pattern_cases.hpp"

namespace gpumem::global::test_user_pattern_facts {

using gpumem::global::test::all_of;
using gpumem::global::test::facts_of_text;
using gpumem::global::test::launch_with;

namespace {

using Int = std::int64_t;

/// A thread's turn, as a kernel knows it.
struct Place {
  Int i = 0, n = 0, lane = 0, warp = 0, thread = 0, block = 0;
};

/// An expression, and the same compiled.
struct Written {
  std::string text;
  std::function<Int(const Place&)> value;
};

#define WRITTEN(...)                                                                                             \
  Written {                                                                                                      \
#__VA_ARGS__, [](const Place& at) {                                                                            \
      [[maybe_unused]] const auto& [i, n, lane, warp, thread, block] = at;                                         \
      return static_cast<Int>(__VA_ARGS__);                                                                        \
    } \
  }

#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wparentheses"

// clang-format off
const std::vector<Written>& elements() {
  static const std::vector<Written> all = {
      WRITTEN(i), WRITTEN(7), WRITTEN(i * 3 + 5), WRITTEN(n - 1 - i), WRITTEN(3 * (n - i) + i % 5),
      WRITTEN(i % 64 * (n / 64) + i / 64), WRITTEN(i / 32 * 7), WRITTEN(i ^ 5), WRITTEN(i * 2654435761 % n),
      WRITTEN((i ^ i >> 7) * 5 & 8191), WRITTEN(i * i), WRITTEN(block * 1000 + thread), WRITTEN(lane * warp + i),
      WRITTEN(thread % 2 ? i : n - i), WRITTEN(warp * 4096 + lane * 64 + block), WRITTEN((n - block) * 40 - thread % 40)};
  return all;
}

const std::vector<Written>& masks() {
  static const std::vector<Written> all = {
      WRITTEN(1), WRITTEN(i % 3), WRITTEN(lane < 16), WRITTEN(warp % 2 == 0), WRITTEN(thread != 5), WRITTEN(block & 1),
      WRITTEN(i > 100 && i % 64 < 32), WRITTEN(i == 77), WRITTEN(i * 2654435761 % n < n / 2)};
  return all;
}
// clang-format on

#pragma GCC diagnostic pop

/// Every access of a launch in the order of its requests, by the definition of each name.
template <class Visit>
void for_each_place(const Launch& launch, const Visit& visit) {
  const std::uint32_t warps = (launch.tile.block_threads + 31) / 32;
  for (std::uint64_t block = 0; block < launch.blocks(); ++block) {
    for (std::uint32_t turn = 0; turn < launch.tile.elements_per_thread; ++turn) {
      for (std::uint32_t thread = 0; thread < launch.tile.block_threads; ++thread) {
        const std::uint64_t i = launch.tile.element(block, thread, turn);
        const std::uint64_t request = (block * launch.tile.elements_per_thread + turn) * warps + thread / 32;
        if (i >= launch.count) continue;
        visit(request, Place{.i = static_cast<Int>(i),
                             .n = static_cast<Int>(launch.count),
                             .lane = thread % 32,
                             .warp = thread / 32,
                             .thread = thread,
                             .block = static_cast<Int>(block)});
      }
    }
  }
}

/// All that a launch does, access by access.
struct BruteForce {
  std::vector<access::WarpRequest> requests;
  std::uint64_t issued = 0;
  std::uint64_t accesses = 0;
  std::uint64_t extent = 0;
  std::vector<Int> element;  ///< of each access; -1 where it takes no part

  BruteForce(const Launch& launch, const Written& of_element, const Written& active)
      : requests(launch.requests()), element(launch.count, -1) {
    for (access::WarpRequest& request : requests) request.word_bytes = launch.word_bytes;
    for_each_place(launch, [&](std::uint64_t k, const Place& at) {
      if (active.value(at) == 0) return;
      const auto goes_to = static_cast<std::uint64_t>(of_element.value(at));
      element[static_cast<std::size_t>(at.i)] = static_cast<Int>(goes_to);
      requests[k].active |= std::uint32_t{1} << at.lane;
      requests[k].address[at.lane] = goes_to * launch.word_bytes;
      ++accesses;
      extent = std::max(extent, goes_to + 1);
    });
    for (const access::WarpRequest& request : requests) issued += request.active != 0 ? 1 : 0;
  }

  [[nodiscard]] access::ExactSummary counted(const Launch& launch) const {
    return access::summarise_exactly({.name = "all",
                                      .word_bytes = launch.word_bytes,
                                      .count = requests.size(),
                                      .extent_bytes = extent * launch.word_bytes,
                                      .fill = [this](std::uint64_t first, std::span<access::WarpRequest> some) {
                                        std::copy_n(requests.begin() + static_cast<std::ptrdiff_t>(first), some.size(),
                                                    some.begin());
                                      }});
  }
  [[nodiscard]] bool repeats(const PatternPeriod& period) const {
    for (std::size_t i = 0; i + period.accesses < element.size(); ++i) {
      const Int before = element[i];
      const Int after = element[i + period.accesses];
      if (after != (before < 0 ? -1 : before + period.growth_elements)) return false;
    }
    return true;
  }
};

/// Facts, counts and requests of a pattern, against every access.
void check(const Written& element, const Written& active, const Launch& launch) {
  INFO("'" << element.text << "' active '" << active.text << "', " << launch.count << " accesses of "
           << launch.word_bytes << " bytes, " << launch.tile.block_threads << " threads, "
           << launch.tile.elements_per_thread << " each");
  const BruteForce all(launch, element, active);
  const UserPattern pattern = user_pattern(element.text, active.text, launch);
  if (all.accesses == 0) {
    CHECK_THROWS_AS(facts_of(pattern, launch), Error);
    return;
  }
  const KnownPattern known = known_of(pattern, launch);
  const PatternFacts& facts = known.facts;
  CHECK(facts.accesses == all.accesses);
  REQUIRE(facts.extent_elements == all.extent);
  REQUIRE(facts.highest_access < launch.count);
  CHECK(all.element[facts.highest_access] == static_cast<Int>(all.extent) - 1);
  if (facts.period) CHECK(all.repeats(*facts.period));

  const access::ExactSummary exact = counted(pattern, launch, facts);
  CHECK(exact.counts.requests == all.issued);
  const access::ExactSummary expected = all.counted(launch);
  CHECK(all_of(exact.counts) == all_of(expected.counts));
  CHECK(all_of(exact.summary) == all_of(expected.summary));
  if (known.exact) {
    CHECK(all_of(known.exact->counts) == all_of(expected.counts));
    CHECK(all_of(known.exact->summary) == all_of(expected.summary));
  }

  std::vector<access::WarpRequest> filled(all.requests.size());
  for (access::WarpRequest& request : filled) request.word_bytes = launch.word_bytes;
  requests_of(pattern, launch)(0, filled);
  const auto same = [](const access::WarpRequest& a, const access::WarpRequest& b) {
    for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
      if (a.lane_active(lane) && a.address[lane] != b.address[lane]) return false;
    }
    return a.active == b.active && a.word_bytes == b.word_bytes;
  };
  CHECK(std::ranges::equal(filled, all.requests, same));
}

}  // namespace

TEST_CASE("user pattern: what is found is what every access says", "[user_pattern]") {
  std::uint32_t word_bytes = 4;
  for (const Written& element : elements()) {
    for (const Written& active : masks()) {
      for (const Tile tile : {Tile{256, 1}, Tile{97, 3}, Tile{64, 4}}) {
        check(element, active, launch_with(tile.block_threads == 256 ? 4096 : 5000, tile, word_bytes));
      }
      word_bytes = word_bytes == 16 ? 4 : 2 * word_bytes;
    }
  }
}

TEST_CASE("user pattern: launches of any shape, down to one access", "[user_pattern]") {
  for (const std::size_t element : {0U, 3U, 5U, 13U}) {
    for (const Tile tile : {Tile{97, 1}, Tile{32, 8}, Tile{1024, 2}, Tile{33, 4}, Tile{1, 2}}) {
      for (const std::uint64_t count : {1U, 31U, 97U, 1000U}) {
        check(elements()[element], masks()[0], launch_with(count, tile));
        check(elements()[element], masks()[1], launch_with(count, tile));
      }
    }
  }
}

TEST_CASE("user pattern: what is evaluated is counted at once where about its extent is known", "[user_pattern]") {
  const Launch launch = launch_with(8192, {256, 2});
  const auto at_once = [&](const std::string& element) {
    return known_of(user_pattern(element, "1", launch), launch).exact.has_value();
  };
  CHECK(at_once("i * 2654435761 % n"));
  CHECK(at_once("(i ^ i >> 7) * 5 & 8191"));
  CHECK_FALSE(at_once("i * i"));                      // may reach far beyond what there is memory to map
  CHECK_FALSE(at_once("i >> 5 << 5 | 31 - i % 32"));  // a few periods tell
}

TEST_CASE("user pattern: somebody else is asked first where all has to be evaluated", "[user_pattern]") {
  const Launch launch = launch_with(8192, {256, 2});
  std::vector<std::uint64_t> bounds;
  const auto known = [&](const std::string& element, bool can) {
    return known_of(user_pattern(element, "1", launch), launch,
                    [&](const UserPattern&, const Launch& of, std::uint64_t bound_elements) {
                      CHECK(of.count == launch.count);
                      bounds.push_back(bound_elements);
                      const PatternFacts facts{.accesses = 5, .extent_elements = 7};
                      return can ? std::optional(KnownPattern{.facts = facts}) : std::nullopt;
                    })
        .facts;
  };
  CHECK(known("(i ^ i >> 7) * 2654435761 % n", true).extent_elements == 7);
  CHECK(known("(i ^ i >> 7) * 2654435761 % n", false).extent_elements == 8192);
  CHECK(known("i * i", true).extent_elements == 7);
  CHECK(known("i * 3", true).extent_elements == 3 * 8191 + 1);       // repeats itself: nobody has to evaluate all
  CHECK(known("i * 2654435761 % n", true).extent_elements == 8192);  // so does what its requests cost
  CHECK(bounds == std::vector<std::uint64_t>{8192, 8192, 0});
}

TEST_CASE("user pattern: a long launch that repeats itself is known from a part of it", "[user_pattern]") {
  // Too long to evaluate every access of it within a test.
  constexpr std::uint64_t whole = std::uint64_t{1} << 36U;
  constexpr std::uint64_t count = whole + 7;
  const Launch launch = launch_with(count, {256, 4});
  const PatternFacts up = facts_of_text("i * 3 + lane", "i % 4 != 1", launch);
  REQUIRE(up.period);
  CHECK(up.accesses == count - (count + 2) / 4);
  CHECK(up.extent_elements == 3 * whole + 28 + 1);  // in the last whole warp, whose last lane is the highest
  CHECK(up.highest_access == whole - 1);
  const PatternFacts down = facts_of_text("n - i", "1", launch);
  REQUIRE(down.period);
  CHECK(down.period->growth_elements == -static_cast<Int>(down.period->accesses));
  CHECK(down.extent_elements == count + 1);
  CHECK(down.highest_access == 0);
}

TEST_CASE("user pattern: periods are proved where there is one", "[user_pattern]") {
  const Launch launch = launch_with(8192, {256, 2});
  const auto growth_per_access = [&](const std::string& element, const std::string& active = "1") {
    const auto period = facts_of_text(element, active, launch).period;
    return period ? static_cast<double>(period->growth_elements) / static_cast<double>(period->accesses) : -1e9;
  };
  CHECK(growth_per_access("i") == 1);
  CHECK(growth_per_access("i * 7 + 3") == 7);
  CHECK(growth_per_access("8191 - i") == -1);
  CHECK(growth_per_access("i % 32") == 0);
  CHECK(growth_per_access("i / 32 * 64 + i % 32", "i % 3") == 2);
  CHECK(growth_per_access("block * 1024 + thread") == 2);
  CHECK(growth_per_access("block", "lane < 8") == 1 / 512.0);
  for (const char* element : {"i * i", "i * 2654435761 % n", "(i ^ i >> 7) & 4095"}) {
    CHECK_FALSE(facts_of_text(element, "1", launch).period);
  }
  CHECK_FALSE(facts_of_text("i", "i * i % 4099 < 2000", launch).period);
}

TEST_CASE("user pattern: what is known is what was found", "[user_pattern]") {
  KnownPatterns known;
  const auto check_known = [&](const std::string& element, const std::string& active, const Launch& launch) {
    INFO(element << " active " << active << ", " << launch.tile.block_threads << " threads");
    const UserPattern pattern = user_pattern(element, active, launch);
    const PatternFacts facts = facts_of(pattern, launch);
    const access::ExactSummary exact = counted(pattern, launch, facts);
    for (int time = 0; time < 2; ++time) {
      const PatternFacts& again = known.facts(pattern, launch);
      CHECK(again.accesses == facts.accesses);
      CHECK(again.extent_elements == facts.extent_elements);
      CHECK(again.highest_access == facts.highest_access);
      CHECK(again.period.has_value() == facts.period.has_value());
      CHECK(all_of(known.counted(pattern, launch).counts) == all_of(exact.counts));
      CHECK(known.counted(pattern, launch).summary.footprint.sectors == exact.summary.footprint.sectors);
    }
  };
  for (const char* element : {"i", "i * 7", "lane", "block * 3 + lane", "i * 2654435761 % n"}) {
    for (const char* active : {"1", "lane < 5"}) {
      for (const Tile tile : {Tile{256, 1}, Tile{64, 4}, Tile{97, 1}, Tile{97, 2}, Tile{96, 1}}) {
        check_known(element, active, launch_with(5000, tile));
      }
      check_known(element, active, launch_with(5000, {256, 1}, 16));
      check_known(element, active, launch_with(4999, {256, 1}));
    }
  }
  // The first facts are forgotten at some time, and found again.
  for (int shift = 0; shift < 300; ++shift) {
    const Launch launch = launch_with(64, {32, 1});
    const UserPattern pattern = user_pattern("i + " + std::to_string(shift), "1", launch);
    CHECK(known.facts(pattern, launch).extent_elements == 64 + static_cast<std::uint64_t>(shift));
  }
  check_known("i", "1", launch_with(5000, {256, 1}));
}

TEST_CASE("user pattern: remainders of something affine are counted by a part, and exactly", "[user_pattern]") {
  for (const char* element : {"i * 2654435761 % n", "(i * 6 + 5) % 4096", "i * 1001 & 1023", "(i * 12 + 3) & 4095",
                              "i * 97 % 3072", "i * 64 % 8192", "i * 5 % 1000", "i * 5 % 16384"}) {
    for (const Tile tile : {Tile{256, 1}, Tile{64, 4}, Tile{97, 2}, Tile{1, 1}, Tile{48, 1}}) {
      for (const std::uint32_t word_bytes : {4U, 8U, 16U}) {
        for (const std::uint64_t count : {8192U, 8000U}) {
          const Launch launch = launch_with(count, tile, word_bytes);
          INFO(element << ", " << tile.block_threads << " threads, words of " << word_bytes << ", " << count);
          const UserPattern pattern = user_pattern(element, "1", launch);
          const KnownPattern known = known_of(pattern, launch);
          access::LaunchExtent reach;
          const access::Requests all = {.name = "pattern",
                                        .word_bytes = word_bytes,
                                        .count = launch.requests(),
                                        .fill = requests_of(pattern, launch)};
          const access::ExactSummary exact = access::summarise_exactly(all, {}, &reach);
          CHECK(known.facts.accesses == count);
          CHECK(known.facts.extent_elements * word_bytes == reach.end_byte);
          pattern::Evaluator evaluate(pattern.element, static_cast<Int>(count));
          CHECK(known.facts.highest_access < count);
          const auto highest = evaluate(pattern::consecutive(static_cast<Int>(known.facts.highest_access)))[0];
          CHECK(static_cast<std::uint64_t>(highest) + 1 == known.facts.extent_elements);
          if (!known.exact) continue;
          CHECK(all_of(known.exact->counts) == all_of(exact.counts));
          CHECK(all_of(known.exact->summary) == all_of(exact.summary));
        }
      }
    }
  }
}

TEST_CASE("user pattern: requests are the same once all is evaluated and kept", "[user_pattern]") {
  KnownPatterns known;
  for (const char* active : {"1", "i % 5 < 3"}) {
    for (const Tile tile : {Tile{256, 1}, Tile{97, 2}, Tile{1, 4}, Tile{40, 1}}) {
      const Launch launch = launch_with(5000, tile);
      UserPattern pattern = user_pattern("(i ^ i >> 7) * 5 & 8191", active, launch);
      const FillRequests evaluated = requests_of(pattern, launch);
      known.evaluate_once(pattern, launch);
      const FillRequests kept = requests_of(pattern, launch);
      for (int time = 0; time < 3; ++time) {
        std::vector<access::WarpRequest> expected(launch.requests());
        std::vector<access::WarpRequest> found(launch.requests());
        requests_of(user_pattern("(i ^ i >> 7) * 5 & 8191", active, launch), launch)(0, expected);
        evaluated(0, found);
        for (int of = 0; of < 2; ++of) {
          for (std::size_t k = 0; k < found.size(); ++k) {
            REQUIRE(found[k].active == expected[k].active);
            for (unsigned lane = 0; lane < access::warp_lanes; ++lane) {
              if (found[k].lane_active(lane)) REQUIRE(found[k].address[lane] == expected[k].address[lane]);
            }
          }
          kept(0, found);
        }
      }
    }
  }
}

}  // namespace gpumem::global::test_user_pattern_facts
