// The constant probe's descriptions of its cases, and its conclusions from cycles that were made up.

#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/model/predict.hpp"
#include "probes/constant/pattern.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_constant {

namespace {

const Probe& constant_probe() {
  const Probe* probe = find_probe("constant");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case look_up_case(const std::string& space, std::uint64_t addresses) {
  return {.probe = &constant_probe(), .parameters = {{"addresses", addresses}, {"space", space}}};
}

Outcome outcome(const std::string& space, std::uint64_t addresses, double cycles) {
  return {.tested = look_up_case(space, addresses), .headline = cycles};
}

const model::Profile& h200() {
  static const model::Profile profile = model::load_profile("h200");
  return profile;
}

}  // namespace

TEST_CASE("constant: lanes take turns at the same addresses, in rows that do not meet", "[constant]") {
  for (std::uint32_t addresses = 1; addresses <= constant::row_words; ++addresses) {
    const constant::LookUpPattern pattern{addresses};
    std::set<std::uint32_t> words;
    for (std::uint32_t lane = 0; lane < access::warp_lanes; ++lane) {
      words.insert(pattern.first(lane));
      CHECK(pattern.next(pattern.first(lane)) == pattern.first(lane + 1));
    }
    CHECK(words.size() == addresses);
    std::set<std::uint64_t> all;
    for (std::uint64_t k = 0; k < constant::rows; ++k) {
      const access::WarpRequest request = pattern.request(k);
      CHECK(access::addresses_per_request(request) == addresses);
      CHECK(access::shared_wavefronts(request, access::Op::load) == 1);
      CHECK(access::lines_per_request(request) == 1);
      for (const std::uint64_t address : request.address) all.insert(address);
    }
    CHECK(all.size() == constant::rows * addresses);
    CHECK(*all.rbegin() < constant::table_words * sizeof(std::uint32_t));
  }
}

TEST_CASE("constant: a case is costed in what its space is costed in", "[constant]") {
  for (const std::uint64_t addresses : {1U, 5U, 32U}) {
    const auto predict = [&](const std::string& space) {
      const Case tested = look_up_case(space, addresses);
      return model::predict(tested.probe->describe(tested, h200().device), h200()).sites.front().cost;
    };
    CHECK(predict("constant").addresses_per_request == static_cast<double>(addresses));
    CHECK(predict("constant").sectors_per_request > 0);  // in its own memory, which nothing reports
    CHECK(predict("shared").wavefronts_per_request == 1);
    CHECK(predict("global").sectors_per_request == static_cast<double>((addresses + 7) / 8));
    CHECK(predict("global").addresses_per_request == 0);
  }
}

TEST_CASE("constant: only shared memory's cycles are predicted", "[constant]") {
  for (const std::string space : {"constant", "shared", "global"}) {
    const Case tested = look_up_case(space, 8);
    const Workload workload = tested.probe->describe(tested, h200().device);
    CHECK(workload.modelled() == (space == "shared"));
    CHECK(constant_probe().headline.peak(workload, h200().device).has_value() == (space != "constant"));
    if (!workload.modelled()) continue;
    const auto predicted = constant_probe().headline.predict(workload, model::predict(workload, h200()), h200());
    CHECK(predicted.value_or(0) == Approx(1).epsilon(0.02));
  }
}

TEST_CASE("constant: a cost in proportion is fitted, and said beside the other spaces", "[constant]") {
  std::vector<Outcome> outcomes;
  for (const std::uint64_t n : {1U, 2U, 4U, 8U, 16U, 32U}) {
    outcomes.push_back(outcome("constant", n, 2.0 + 2.0 * static_cast<double>(n)));
    outcomes.push_back(outcome("shared", n, 1));
    outcomes.push_back(outcome("global", n, 8));
  }
  const Conclusion conclusion = test::conclusion(outcomes);
  CHECK(report::say(conclusion.facts) ==
        "Keep in constant memory only what all lanes of a warp read alike: 1 and 32-address requests take 4.00 cycles "
        "and 66.0 cycles each there. The same table in shared memory is always faster: 66 x for 32-address requests, "
        "at 1.00 cycles each. The same table in L1 (global memory) is faster from 4 addresses on: 8.25 x for "
        "32-address requests, at 8.00 cycles each. A request takes 2.00 cycles, and 2.00 cycles for each address, "
        "within 1 %.");
  REQUIRE(conclusion.facts.size() == 4);
  CHECK(conclusion.facts[0].kind == FactKind::costs);
  CHECK(conclusion.facts[1].kind == FactKind::fastest);
  CHECK(conclusion.facts[2].kind == FactKind::pays_from);
  CHECK(conclusion.facts[3].kind == FactKind::fit);
  CHECK(std::get<double>(conclusion.facts[3].values.at(0).items.front()) == Approx(2));
  REQUIRE(conclusion.quantities.size() == 2);
  CHECK(conclusion.quantities[0].name == "fixed_cycles");
  CHECK(conclusion.quantities[0].value == Approx(2));
  CHECK(conclusion.quantities[1].name == "cycles_per_address");
  CHECK(conclusion.quantities[1].value == Approx(2));
  for (const Conclusion::DerivedQuantity& found : conclusion.quantities) {
    REQUIRE(found.outcomes.size() == 6);
    for (const std::size_t index : found.outcomes) CHECK(outcomes.at(index).tested.name("space") == "constant");
  }
}

TEST_CASE("constant: nothing is fitted to what is no line", "[constant]") {
  const std::vector<Outcome> outcomes = {outcome("constant", 1, 4), outcome("constant", 16, 4),
                                         outcome("constant", 32, 128)};
  const Conclusion conclusion = test::conclusion(outcomes);
  CHECK(
      report::say(conclusion.facts) ==
      "1 and 32-address requests to constant memory take 4.00 cycles and 128 cycles each. The cost of constant memory "
      "is not in proportion to the number of addresses.");
  CHECK(conclusion.quantities.empty());
}

TEST_CASE("constant: some of the cases conclude what they can", "[constant]") {
  CHECK(test::advice({outcome("shared", 4, 1)}).empty());
  const std::string alone = "1-address requests to constant memory take 1.00 cycles each.";
  CHECK(test::advice({outcome("constant", 1, 1)}) == alone);
  CHECK(test::advice({outcome("constant", 1, 1), outcome("shared", 2, 1)}) == alone);  // no number in common
  CHECK(test::advice({outcome("constant", 1, 1), outcome("shared", 1, 1)}) ==
        alone + " The same table in shared memory is no faster: 1-address requests take 1.00 cycles each.");
  CHECK(test::advice({outcome("constant", 8, 16), outcome("shared", 8, 1)}) ==
        "Keep in constant memory only what all lanes of a warp read alike: 8-address requests take 16.0 cycles each "
        "there. The same table in shared memory is always faster: 16 x for 8-address requests, at 1.00 cycles each.");
}

TEST_CASE("constant: another memory is no faster where intervals overlap", "[constant]") {
  std::vector<Outcome> outcomes = {outcome("constant", 1, 2), outcome("constant", 2, 4), outcome("shared", 1, 1.8),
                                   outcome("shared", 2, 3)};
  CHECK(test::conclusion(outcomes).facts.at(1).kind == FactKind::fastest);
  outcomes[2].interval = {1.5, 2.1};
  const Fact fact = test::conclusion(outcomes).facts.at(1);
  CHECK(fact.kind == FactKind::pays_from);
  CHECK(report::say(fact) ==
        "The same table in shared memory is faster from 2 addresses on: 1.33 x for 2-address requests, at 3.00 cycles "
        "each.");
  outcomes[3].interval = {2.5, 4.5};
  CHECK(test::conclusion(outcomes).facts.at(1).kind == FactKind::as_fast_as);
}

}  // namespace gpumem::test_constant
