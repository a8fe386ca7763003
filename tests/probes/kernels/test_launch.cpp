// Kernels that do next to nothing: what is declared, and what is concluded from costs that were made up.

#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_launch {

namespace {

Case launch_case(const std::string& way, std::uint64_t kernels) {
  return test::any_case("launch", {{"launch", way}, {"kernels", kernels}});
}

Outcome reading(const std::string& way, std::uint64_t kernels, double us) {
  return {.tested = launch_case(way, kernels), .headline = us, .seconds = us * 1e-6 * static_cast<double>(kernels)};
}

}  // namespace

TEST_CASE("launch: the cost is that of one kernel of many, by the host's clock", "[launch]") {
  for (const char* way : {"alone", "batched", "graph"}) {
    const Case tested = launch_case(way, 64);
    const Workload workload = tested.probe->describe(tested, test::some_device());
    CHECK(workload.clock == measure::Clock::host);
    CHECK_FALSE(workload.modelled());
    CHECK(workload.sites.empty());
    CHECK(tested.probe->headline.from_seconds(workload, 128e-6).value_or(0) == Approx(2));
  }
}

TEST_CASE("launch: the advice says what waiting costs and from where a graph pays", "[launch]") {
  const std::vector<Outcome> outcomes = {
      reading("alone", 1, 7),      reading("alone", 1024, 6.5), reading("batched", 1, 7.1), reading("batched", 64, 2.5),
      reading("batched", 1024, 2), reading("graph", 1, 9),      reading("graph", 64, 1.5),  reading("graph", 1024, 1)};
  CHECK(test::advice(outcomes) ==
        "Wait only where a result is needed: to wait for a kernel costs the host 5.00 us more than to queue the next "
        "one. A graph of 64 or more kernels beats the queue: 2.00 x as fast at 1024. A kernel that does next to "
        "nothing costs 6.50 us with a wait after each of 1024, 2.00 us in a queue of 1024 and 1.00 us in a graph of "
        "1024.");
  const Conclusion conclusion = test::conclusion(outcomes);
  REQUIRE(conclusion.quantities.size() == 1);
  CHECK(conclusion.quantities[0].name == outcomes.front().tested.probe->concluded.front().name);
  CHECK(conclusion.quantities[0].value == 5);
  CHECK(conclusion.quantities[0].outcomes == std::vector<std::size_t>{0, 4});
  const std::vector<Fact>& facts = conclusion.facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::costs);
  CHECK(std::get<double>(facts[0].values[0].items[0]) == 5);
  CHECK(facts[1].kind == FactKind::pays_from);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{6, 7, 4});
  CHECK(facts[2].kind == FactKind::costs);
  CHECK(facts[2].outcomes == std::vector<std::size_t>{1, 4, 7});
}

TEST_CASE("launch: one method alone has its cost said", "[launch]") {
  CHECK(test::advice({reading("graph", 16, 1.25)}) ==
        "A kernel that does next to nothing costs 1.25 us in a graph of 16.");
  CHECK(test::advice({reading("batched", 16, 2), reading("graph", 16, 2)})
            .starts_with("A graph gains nothing over the queue."));
}

TEST_CASE("launch: what overlaps is no advice", "[launch]") {
  Outcome alone = reading("alone", 1, 2.4);
  Outcome batched = reading("batched", 16, 2.2);
  Outcome graph = reading("graph", 16, 2);
  alone.interval = {2, 2.5};
  batched.interval = {2.1, 2.3};
  graph.interval = {1.8, 2.2};
  CHECK(test::advice({alone, batched, graph}) ==
        "A graph gains nothing over the queue. A kernel that does next to nothing costs 2.40 us with a wait after each "
        "of 1, 2.20 us in a queue of 16 and 2.00 us in a graph of 16.");
  CHECK(test::conclusion({alone, batched, graph}).facts.front().kind == FactKind::as_fast_as);
}

}  // namespace gpumem::test_launch
