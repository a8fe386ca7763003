// Patterns that a user writes: what is found of them, against evaluating every access, and what the probe makes of it.

#include <algorithm>
#include <functional>
#include <set>
#include <tuple>

#include "engine/model/predict.hpp"
#include "engine/pattern/expression_evaluator.hpp"
#include "probes/user/pattern/user_pattern.hpp"
#include "tests/files.hpp"
#include "tests/probes/any_case.hpp"
#include "tests/probes/global/global_cases.hpp"

namespace gpumem::global::test_user_pattern {

using gpumem::global::test::case_of;
using gpumem::global::test::describe;

namespace {

using Catch::Matchers::StartsWith;
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

Launch launch_with(std::uint64_t count, Tile tile, std::uint32_t word_bytes = 4) {
  return {.op = Op::read, .word_bytes = word_bytes, .count = count, .tile = tile};
}

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

auto all_of(const access::SiteSummary& s) {
  const auto& [cost, f] = s;
  return std::tuple(cost.sectors_per_request, cost.lines_per_request, cost.wavefronts_per_request,
                    cost.addresses_per_request, cost.efficiency, f.sectors, f.partial_sectors, f.atoms, f.partial_atoms,
                    f.lines, f.line_pairs, f.channels);
}
auto all_of(const access::Counts& c) { return std::tuple(c.requests, c.sectors, c.lines, c.wavefronts, c.addresses); }

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

PatternFacts facts_of_text(const std::string& element, const std::string& active, const Launch& launch) {
  return facts_of(user_pattern(element, active, launch), launch);
}

/// Returns the error of a pattern that is refused, before or while it is evaluated.
std::string refusal_of(const std::function<void()>& work) {
  try {
    work();
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::usage);
    return error.what();
  }
  return "nothing";
}
std::string refusal_of(const std::string& element, const std::string& active = "1", std::uint64_t count = 1000) {
  return refusal_of([&] { static_cast<void>(facts_of_text(element, active, launch_with(count, {256, 1}))); });
}

using Given = std::initializer_list<std::pair<std::string, Value>>;

Case pattern_case(const std::string& element, Given given = {}) {
  Case tested = case_of("pattern", {{"pattern", element}, {"active", std::string("1")}});
  for (const auto& [parameter, value] : given) tested.set(parameter, value);
  return tested;
}

std::string describing_refusal_of(const Case& tested) {
  return refusal_of([&] { static_cast<void>(describe(tested)); });
}
std::string sizing_refusal_of(Case tested) {
  return refusal_of([&] { tested.probe->size(std::span(&tested, 1), gpumem::test::some_device()); });
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

TEST_CASE("user pattern: warps without an active lane issue no request", "[user_pattern]") {
  const auto workload = [](const std::string& active, std::uint64_t threads = 256) {
    return describe(pattern_case("i", {{"active", active}, {"op", std::string("copy")}, {"block_threads", threads}}));
  };
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  const Workload half = workload("warp % 2 == 0");
  REQUIRE(half.sites.size() == 2);
  for (const access::Site& site : half.sites) {
    CHECK(site.requests == accesses / 64);
    CHECK(site.evaluated == accesses / 32);
    CHECK(site.summary->cost.sectors_per_request == 4);
    CHECK(site.summary->cost.efficiency == 1);
    CHECK(site.summary->footprint.sectors == accesses / 16.0);
  }
  CHECK(half.useful_bytes_read == accesses * 2);
  CHECK(half.useful_bytes_written == accesses * 2);
  // The same lanes in all warps.
  const Workload lanes = workload("lane < 8");
  CHECK(lanes.sites[0].requests == accesses / 32);
  CHECK(lanes.sites[0].summary->cost.sectors_per_request == 1);
  // The fourth warp of 97 threads is a lane.
  CHECK(workload("warp < 3", 97).sites[0].requests == (accesses / 97) * 3 + (accesses % 97 + 31) / 32);
  CHECK(workload("warp == 3", 97).useful_bytes_read == accesses / 97 * 4);
}

TEST_CASE("user pattern: what a launch needs and is called", "[user_pattern]") {
  const auto described = [](const std::string& op, Given given = {}) {
    Case tested = pattern_case("i * 2", {{"op", op}});
    for (const auto& [parameter, value] : given) tested.set(parameter, value);
    return describe(tested);
  };
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  constexpr std::uint64_t array = (2 * accesses - 1) * 4;
  CHECK(described("write").allocated_bytes == array);
  CHECK(described("copy").allocated_bytes == 2 * array);
  CHECK(described("write", {{"extent_elements", 4 * accesses}}).allocated_bytes == 16 * accesses);
  const Workload read = described("read", {{"elements_per_thread", std::uint64_t{4}}});
  CHECK(read.allocated_bytes > array);
  CHECK(read.useful_bytes_read == 4 * accesses);
  CHECK(read.useful_bytes_written == 0);
  CHECK(read.blocks == accesses / 1024);
  CHECK(read.block_threads == 256);
  REQUIRE(read.sites.size() == 1);
  CHECK(read.sites[0].name == "source");
  CHECK(read.sites[0].op == access::Op::load);
  CHECK(read.sites[0].instructions == 4);
  CHECK(read.sites[0].described);
  CHECK_THAT(read.kernel,
             Catch::Matchers::ContainsSubstring("read<unsigned int") && Catch::Matchers::ContainsSubstring("4u>"));
  const Workload write = described("write", {{"word_bytes", std::uint64_t{16}}});
  CHECK(write.sites[0].name == "target");
  CHECK(write.sites[0].op == access::Op::store);
  CHECK(write.sites[0].word_bytes == 16);
  CHECK_THAT(write.kernel, Catch::Matchers::ContainsSubstring("write<uint4"));
}

TEST_CASE("user pattern: the patterns of other probes, written as expressions, are the same work", "[user_pattern]") {
  const model::Profile h200 = model::load_profile("h200");
  const auto check_same = [&](const std::string& expression, const std::string& probe, const std::string& parameter,
                              std::uint64_t value, Given given) {
    Case written = pattern_case(expression, given);
    Case other = case_of(probe, {{parameter, value}});
    for (const auto& [name, common] : given) other.set(name, common);
    INFO(to_string(written) << " as " << to_string(other));
    const Workload a = written.probe->describe(written, h200.device);
    const Workload b = other.probe->describe(other, h200.device);
    REQUIRE(a.sites.size() == b.sites.size());
    for (std::size_t k = 0; k < a.sites.size(); ++k) {
      CHECK(a.sites[k].requests == b.sites[k].requests);
      CHECK(a.sites[k].instructions == b.sites[k].instructions);
      CHECK(all_of(access::summarise(a.sites[k])) == all_of(access::summarise(b.sites[k])));
    }
    CHECK(a.useful_bytes_read == b.useful_bytes_read);
    CHECK(a.useful_bytes_written == b.useful_bytes_written);
    CHECK(a.blocks == b.blocks);
    CHECK(model::predict(a, h200).seconds == Approx(model::predict(b, h200).seconds));
  };
  for (const std::string op : {"read", "write", "copy"}) {
    for (const std::uint64_t mib : {1U, 512U}) {
      for (const std::uint64_t word_bytes : {4U, 16U}) {
        for (const std::uint64_t elements : {1U, 4U}) {
          const Given given = {
              {"op", op}, {"buffer_bytes", mib << 20U}, {"word_bytes", word_bytes}, {"elements_per_thread", elements}};
          check_same("i * 7", "stride", "stride_elements", 7, given);
          check_same("i + 3", "offset", "offset_elements", 3, given);
        }
      }
    }
  }
}

TEST_CASE("user pattern: elements before the first are refused with the access that goes there", "[user_pattern]") {
  const std::string hint = "; elements begin at 0: add what is missing, or leave the access out with --active";
  CHECK(refusal_of("i - 5") == "--pattern: 'i - 5' is -5 for access i = 0" + hint);
  CHECK(refusal_of("500 - i") == "--pattern: '500 - i' is -499 for access i = 999" + hint);
  CHECK_THAT(refusal_of("i * i - 200 * i"), StartsWith("--pattern: 'i * i - 200 * i' is -"));
  CHECK_THAT(refusal_of("i - 5", "i != 0"), StartsWith("--pattern: 'i - 5' is -4 for access i = 1;"));
  CHECK(refusal_of("i - 5", "i >= 5") == "nothing");
  // Whatever repeats itself sinks as far as its end, of which there is more than a period.
  CHECK_THAT(refusal_of("600 - i + i % 64", "1", 1000), StartsWith("--pattern: '600 - i + i % 64' is -"));
}

TEST_CASE("user pattern: division by zero is refused with its column and access", "[user_pattern]") {
  CHECK(refusal_of("i / (i - 7)") == "--pattern: column 3 of 'i / (i - 7)': '/' is by zero for access i = 7");
  CHECK(refusal_of("i", "i % (i - 40)") == "--active: column 3 of 'i % (i - 40)': '%' is by zero for access i = 40");
  CHECK(refusal_of("i / (lane - 3)", "lane > 3") == "nothing");
  CHECK_THAT(refusal_of("i / (lane - 3)", "lane > 2"),
             StartsWith("--pattern: column 3 of 'i / (lane - 3)': '/' is by zero for access i = 3"));
  CHECK(refusal_of("i == 7 ? 0 : i / (i - 7) + 6") == "nothing");
  CHECK_THAT(refusal_of("i % (n - 1000)"), StartsWith("--pattern: column 3 of 'i % (n - 1000)': "));
}

TEST_CASE("user pattern: where nothing would take part it is refused", "[user_pattern]") {
  CHECK(refusal_of("i", "i < 0") == "--active: 'i < 0' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i", "0") == "--active: '0' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i", "warp > 7") == "--active: 'warp > 7' is 0 for all 1000 accesses; none would take part");
  CHECK(refusal_of("i - 5", "i * i < 0") == "--active: 'i * i < 0' is 0 for all 1000 accesses; none would take part");
}

TEST_CASE("user pattern: no access goes beyond --extent, and no array beyond the device's memory", "[user_pattern]") {
  constexpr std::uint64_t accesses = (std::uint64_t{1} << 20U) / 4;
  CHECK(describing_refusal_of(pattern_case("i", {{"extent_elements", accesses}})) == "nothing");
  CHECK(describing_refusal_of(pattern_case("i + 1", {{"extent_elements", accesses}})) ==
        "--pattern: 'i + 1' is 262144 for access i = 262143, beyond the 262144 elements of --extent; make that larger, "
        "or leave the access out with --active");
  CHECK(describing_refusal_of(
            pattern_case("i + 1", {{"extent_elements", accesses}, {"active", std::string("i < n - 1")}})) == "nothing");
  CHECK_THAT(sizing_refusal_of(pattern_case("i + 1", {{"extent_elements", accesses}})),
             Catch::Matchers::ContainsSubstring("beyond the 262144 elements of --extent"));

  CHECK(sizing_refusal_of(pattern_case("i * 100000")) == "nothing");
  CHECK_THAT(sizing_refusal_of(pattern_case("i * 1000000")),
             StartsWith("--pattern: 'i * 1000000' is 262143000000 for access i = 262143, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("9223372036854775807 - i")),
             StartsWith("--pattern: '9223372036854775807 - i' is 9223372036854775807 for access i = 0, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("9223372036854775807 - i")),
             StartsWith("--pattern: '9223372036854775807 - i' is 9223372036854775807 for access i = 0, beyond the "));
  CHECK_THAT(sizing_refusal_of(pattern_case("i - 1")), StartsWith("--pattern: 'i - 1' is -1 for access i = 0"));
}

TEST_CASE("user pattern: an extent that no memory has is what is refused", "[user_pattern]") {
  CHECK_THAT(sizing_refusal_of(pattern_case("i", {{"extent_elements", std::uint64_t{1} << 40U}})),
             StartsWith("--extent 1099511627776: an array of so many elements of 4 bytes has 4 TiB, the GPU "));
}

TEST_CASE("user pattern: auto holds the shape that a pattern's names depend on", "[user_pattern]") {
  const auto shape = [](std::initializer_list<const char*> patterns, const char* active = "1") {
    std::vector<Case> sweep;
    for (const char* text : patterns) {
      sweep.push_back(pattern_case(text, {{"active", std::string(active)},
                                          {"block_threads", std::string("auto")},
                                          {"elements_per_thread", std::string("auto")}}));
    }
    sweep.front().probe->size(sweep, gpumem::test::some_device());
    std::string words;
    for (const Case& tested : sweep) {
      words += to_string(tested.value("block_threads")) + " " + to_string(tested.value("elements_per_thread")) + ";";
    }
    return words;
  };
  CHECK(shape({"i"}) == "auto auto;");
  CHECK(shape({"i + lane"}) == "auto auto;");
  CHECK(shape({"warp * 32"}) == "256 auto;");
  CHECK(shape({"thread"}) == "256 auto;");
  CHECK(shape({"block"}) == "256 4;");
  CHECK(shape({"i"}, "warp < 2") == "256 auto;");
  CHECK(shape({"i", "i + block"}) == "256 4;256 4;");  // one shape for all that are compared
}

TEST_CASE("user pattern: data is no pattern", "[user_pattern]") {
  const auto refusal = [](const std::string& text) {
    try {
      static_cast<void>(find_probe("pattern")->find_axis("pattern")->texts(text));
    } catch (const Error& error) {
      return std::string(error.what());
    }
    return std::string();
  };
  CHECK(refusal("UNIFORM:8:1:NR") ==
        "--pattern: 'UNIFORM:8:1:NR' is Spatter's notation; pass it as --indices 'UNIFORM:8:1:NR'");
  const gpumem::test::TemporaryDirectory directory;
  const std::string path = (directory / "a.npy").string();
  gpumem::test::put(path, "x");
  CHECK(refusal(path) == "--pattern: '" + path + "' is a file; pass it as --indices '" + path + "'");
  CHECK_THAT(refusal("i +"), StartsWith("--pattern: column "));
  CHECK(refusal("0,4").empty());
}

TEST_CASE("user pattern: an automatic buffer is made for the pattern", "[user_pattern]") {
  const Device device = gpumem::test::some_device();
  const auto sized = [&](const std::string& element) {
    std::vector<Case> sweep = {pattern_case("i", {{"buffer_bytes", std::string("auto")}}),
                               pattern_case(element, {{"buffer_bytes", std::string("auto")}})};
    for (Case& tested : sweep) tested.set("elements_per_thread", std::string("auto"));
    sweep.front().probe->size(sweep, device);
    CHECK(sweep[0].number("buffer_bytes") == sweep[1].number("buffer_bytes"));
    Case& last = sweep.back();
    last.set("elements_per_thread", std::uint64_t{2});
    CHECK(last.probe->describe(last, device).allocated_bytes <= device.memory_bytes);
    return last.number("buffer_bytes");
  };
  CHECK(sized("i") >= 4 * device.l2_bytes);
  CHECK(sized("i * 1000") < sized("i"));  // which would not fit
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

TEST_CASE("user pattern: a pattern that is refused is refused again", "[user_pattern]") {
  KnownPatterns known;
  const Launch launch = launch_with(1000, {256, 1});
  const UserPattern pattern = user_pattern("i - 5", "1", launch);
  const auto refused = [&] { return refusal_of([&] { static_cast<void>(known.facts(pattern, launch)); }); };
  CHECK_THAT(refused(), StartsWith("--pattern: 'i - 5' is -5"));
  CHECK(refused() == refused());
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

}  // namespace gpumem::global::test_user_pattern
