#include <functional>

#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_peer_facts {

using gpumem::test::advice;
using gpumem::test::conclusion;
using gpumem::test::outcome;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Rate = std::function<double(std::uint64_t, std::uint64_t)>;

/// Adds the rates of every pair of eight GPUs with a method of copying.
void add(std::vector<Outcome>& outcomes, const std::string& via, const Rate& gb_per_s) {
  for (std::uint64_t source = 0; source < 8; ++source) {
    for (std::uint64_t target = 0; target < 8; ++target) {
      if (source == target) continue;
      outcomes.push_back(
          outcome("peer", {{"source", source}, {"target", target}, {"via", via}}, gb_per_s(source, target)));
    }
  }
}

/// 394 GB/s, none of them quite the same.
double usual(std::uint64_t source, std::uint64_t target) {
  return 394 + 0.1 * static_cast<double>((source * 3 + target) % 5);
}

}  // namespace

TEST_CASE("of a node whose pairs are alike the method to choose is said", "[peer]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copy-engine", usual);
  add(outcomes, "kernel-read", [](auto, auto) { return 376; });
  add(outcomes, "staged", [](auto, auto) { return 52; });
  for (Outcome& outcome : outcomes) {
    if (outcome.tested.name("via") == "kernel-read") outcome.metrics = {{"load_latency_ns", 829}};
  }
  CHECK(advice(outcomes) ==
        "Copies between two GPUs are fastest by the source's copy engine: 394 GB/s one way. They reach 376 GB/s by a "
        "kernel that reads and 52.0 GB/s through the host's memory. A load from another GPU's memory takes 829 ns.");
  const std::vector<Fact> facts = conclusion(outcomes).facts;
  REQUIRE(facts.size() == 2);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes.size() == outcomes.size());
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes.size() == 56);
  CHECK(facts[1].values[0].name == "latency_ns");
  CHECK(std::get<double>(facts[1].values[0].items[0]) == 829);
}

TEST_CASE("methods that do not differ are fastest together", "[peer]") {
  const auto by = [](const std::string& via, double gb_per_s) {
    return outcome("peer", {{"source", std::uint64_t{0}}, {"target", std::uint64_t{1}}, {"via", via}}, gb_per_s);
  };
  CHECK(advice({by("copy-engine", 394)}) ==
        "Copies from GPU 0 to 1 reach 394 GB/s one way by the source's copy engine.");
  CHECK(
      advice({by("copy-engine", 394), by("kernel-write", 390)}) ==
      "Copies from GPU 0 to 1 are fastest by the source's copy engine and by a kernel that writes: 394 GB/s one way.");
}

TEST_CASE("differences between pairs within the intervals are no advice", "[peer]") {
  const auto by = [](const std::string& via, double gb_per_s) {
    return outcome("peer", {{"source", std::uint64_t{0}}, {"target", std::uint64_t{1}}, {"via", via}}, gb_per_s);
  };
  Outcome direct = by("copy-engine", 24);
  Outcome staged = by("staged", 26);
  CHECK(contains(advice({direct, staged}), "Copy through the host's memory"));
  direct.interval = {22, 27};
  direct.metrics = {{"alone_gb_per_s", 26}};
  CHECK(advice({direct, staged}) ==
        "Copies from GPU 0 to 1 are fastest through the host's memory and by the source's copy engine: 26.0 GB/s one "
        "way. Pairs share nothing. With all disjoint ones at once, each keeps 0.92 x of its rate alone or more.");
}

TEST_CASE("a node of two islands is told from one with a slow pair", "[peer]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copy-engine", [](auto a, auto b) {
    if (a == 6 && b == 2) return 20.0;
    return a / 4 == b / 4 ? usual(a, b) : 41.0;
  });
  CHECK(contains(advice(outcomes),
                 "By the source's copy engine, GPUs are close to each other on islands: (0, 1, 2 and 3) and (4, 5, 6 "
                 "and 7). Copies reach 394 GB/s within an island and 41.0 GB/s between two."));
  const Fact fact = conclusion(outcomes).facts.back();
  CHECK(fact.kind == FactKind::costs);
  CHECK(fact.values[1].items.size() == 2);
  CHECK(std::get<double>(fact.values[3].items[0]) == 41);
  outcomes.clear();
  add(outcomes, "copy-engine", [](auto a, auto b) { return a == 1 && b == 5 ? 197.0 : usual(a, b); });
  CHECK(!contains(advice(outcomes), "islands"));
}

TEST_CASE("pairs that are faster through the host are named with the usual causes", "[peer]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copy-engine", [](auto a, auto b) { return a + b == 1 ? 13.0 : usual(a, b); });
  add(outcomes, "staged", [](auto, auto) { return 26; });
  const std::string said = advice(outcomes);
  CHECK(contains(said,
                 "Copy through the host's memory where that is faster than direct copies: 2.00 x from GPU 0 to 1 and "
                 "2.00 x from GPU 1 to 0. Usual causes"));
  CHECK(contains(said, "ACS"));
  const std::vector<Fact> facts = conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[1].kind == FactKind::fastest);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{56, 63});
  CHECK(facts[2].kind == FactKind::limit);

  outcomes.clear();
  add(outcomes, "copy-engine", [](auto a, auto) { return a == 0 ? 13.0 : 394; });
  add(outcomes, "staged", [](auto, auto) { return 26; });
  CHECK(contains(advice(outcomes), "2.00 x from GPU 0 to 4. The same holds for 3 more."));
}

TEST_CASE("what pairs lose to each other at once is said beside what they reach alone", "[peer]") {
  std::vector<Outcome> outcomes;
  for (const std::uint64_t source : {0U, 1U}) {
    outcomes.push_back(outcome("peer",
                               {{"source", source},
                                {"target", source + 4},
                                {"via", std::string("copy-engine")},
                                {"at_once", std::string("yes")}},
                               13));
    outcomes.back().metrics = {{"alone_gb_per_s", source == 0 ? 26.0 : 13.1}};
  }
  CHECK(contains(advice(outcomes),
                 "By the source's copy engine, pairs that copy at once share links. Each keeps this much of its rate "
                 "alone: 0.50 x from GPU 0 to 4."));
  CHECK(conclusion(outcomes).facts.back().kind == FactKind::limit);
  outcomes.front().metrics = {{"alone_gb_per_s", 13.0}};
  CHECK(contains(advice(outcomes),
                 "Pairs share nothing. With all disjoint ones at once, each keeps 0.99 x of its rate alone or more."));
  CHECK(conclusion(outcomes).facts.back().kind == FactKind::as_fast_as);
}

TEST_CASE("the pair in the middle and the slowest one are concluded for gates", "[peer]") {
  const std::vector<Outcome> outcomes = {
      outcome("peer", {{"source", std::uint64_t{0}}, {"target", std::uint64_t{1}}}, 394),
      outcome("peer", {{"source", std::uint64_t{1}}, {"target", std::uint64_t{0}}}, 300)};
  const Conclusion shown = conclusion(outcomes);
  REQUIRE(shown.quantities.size() == 2);
  CHECK(shown.quantities[1].name == "slowest_pair_gb_per_s");
  CHECK(shown.quantities[1].value == 300);
  CHECK(shown.quantities[1].outcomes == std::vector<std::size_t>{0, 1});
}

}  // namespace gpumem::test_peer_facts
