#include <functional>

#include "probes/peer/peer_advice.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

using namespace gpumem;
using gpumem::test::advice;
using gpumem::test::outcome;

namespace {

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

using Rate = std::function<double(std::uint64_t, std::uint64_t)>;

/// What every pair of eight GPUs reaches by a way.
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

TEST_CASE("of a node whose pairs are alike the way to choose is said", "[peer]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copy-engine", usual);
  add(outcomes, "kernel-read", [](auto, auto) { return 376; });
  add(outcomes, "staged", [](auto, auto) { return 52; });
  for (Outcome& one : outcomes) {
    if (one.one.name("via") == "kernel-read") one.metrics = {{"load_latency_ns", 829}};
  }
  CHECK(advice(outcomes) ==
        "A pair one way: 394 GB/s by the source's copy engine, 376 GB/s (0.95 x) by a kernel that reads and 52.0 GB/s "
        "(0.13 x) through the host's memory. A load from another GPU's memory takes 829 ns.");
}

TEST_CASE("a node of two islands is told from one with a slow pair", "[peer]") {
  std::vector<Outcome> outcomes;
  add(outcomes, "copy-engine", [](auto a, auto b) {
    if (a == 6 && b == 2) return 20.0;
    return a / 4 == b / 4 ? usual(a, b) : 41.0;
  });
  CHECK(contains(advice(outcomes),
                 "By the source's copy engine the GPUs stand on 2 islands (0, 1, 2 and 3; 4, 5, 6 and 7): 394 GB/s "
                 "on one, 41.0 GB/s between two."));
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
                 "faster than the straight one for GPU 0 to 1 (2.00 x) and GPU 1 to 0 "
                 "(2.00 x): stage these copies."));
  CHECK(contains(said, "ACS"));
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
                 "By the source's copy engine pairs share what carries them: at once they "
                 "keep of what they reach alone GPU 0 to 4 0.50 x."));
  outcomes.front().metrics = {{"alone_gb_per_s", 13.0}};
  CHECK(contains(advice(outcomes),
                 "Pairs share nothing: with all disjoint ones at once "
                 "each keeps 99 % or more of what it reaches alone."));
}

TEST_CASE("the pair in the middle and the slowest one are concluded for gates", "[peer]") {
  const std::vector<Outcome> outcomes = {
      outcome("peer", {{"source", std::uint64_t{0}}, {"target", std::uint64_t{1}}}, 394),
      outcome("peer", {{"source", std::uint64_t{1}}, {"target", std::uint64_t{0}}}, 300)};
  const Conclusion conclusion = peer::conclude_peers(outcomes);
  REQUIRE(conclusion.found.size() == 2);
  CHECK(conclusion.found[1].name == "slowest_pair_gb_per_s");
  CHECK(conclusion.found[1].value == 300);
  CHECK(conclusion.found[1].outcomes == std::vector<std::size_t>{0, 1});
}
