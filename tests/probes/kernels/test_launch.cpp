// Kernels that do next to nothing: what is declared, and what is concluded from costs that were made up.

#include <string>
#include <vector>

#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

using namespace gpumem;

namespace {

Case launch_case(const std::string& way, std::uint64_t kernels) {
  return test::any_case("launch", {{"launch", way}, {"kernels", kernels}});
}

Outcome reading(const std::string& way, std::uint64_t kernels, double us) {
  return {.one = launch_case(way, kernels), .headline = us, .seconds = us * 1e-6 * static_cast<double>(kernels)};
}

}  // namespace

TEST_CASE("launch: the cost is that of one kernel of many, by the host's clock", "[launch]") {
  for (const char* way : {"alone", "batched", "graph"}) {
    const Case one = launch_case(way, 64);
    const Workload workload = one.probe->describe(one, test::some_device());
    CHECK(workload.clock == measure::Clock::host);
    CHECK_FALSE(workload.modelled());
    CHECK(workload.sites.empty());
    CHECK(one.probe->headline.from_seconds(workload, 128e-6).value_or(0) == Approx(2));
  }
}

TEST_CASE("launch: the advice says what waiting costs and from where a graph pays", "[launch]") {
  const std::vector<Outcome> outcomes = {
      reading("alone", 1, 7),      reading("alone", 1024, 6.5), reading("batched", 1, 7.1), reading("batched", 64, 2.5),
      reading("batched", 1024, 2), reading("graph", 1, 9),      reading("graph", 64, 1.5),  reading("graph", 1024, 1)};
  const Conclusion conclusion = outcomes.front().one.probe->conclude(outcomes);
  CHECK(conclusion.advice ==
        "A kernel that does next to nothing costs 6.50 us waited for one by one (1024 of them), 2.00 us queued one "
        "behind another (1024 of them) and 1.00 us in one graph (1024 of them). Waiting for a kernel costs the host "
        "5.00 us more than to queue the next one: wait only where a result is needed. From 64 kernels on a graph is "
        "faster than the queue, 2.00 x at 1024.");
  REQUIRE(conclusion.found.size() == 1);
  CHECK(conclusion.found[0].name == outcomes.front().one.probe->concluded.front().name);
  CHECK(conclusion.found[0].value == 5);
}

TEST_CASE("launch: one way alone has its cost said", "[launch]") {
  CHECK(test::advice({reading("graph", 16, 1.25)}) ==
        "A kernel that does next to nothing costs 1.25 us in one graph (16 of them).");
  CHECK(test::advice({reading("batched", 16, 2), reading("graph", 16, 2)}).ends_with("gains nothing over the queue."));
}
