// What the constant probe says of its cases, and what it concludes from cycles that were made up.

#include <set>
#include <string>
#include <vector>

#include "engine/model/predict.hpp"
#include "probes/constant/pattern.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"

using namespace gpumem;

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
  return {.one = look_up_case(space, addresses), .headline = cycles};
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
      const Case one = look_up_case(space, addresses);
      return model::predict(one.probe->describe(one, h200().device), h200()).sites.front().cost;
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
    const Case one = look_up_case(space, 8);
    const Workload workload = one.probe->describe(one, h200().device);
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
  const Conclusion conclusion = constant_probe().conclude(outcomes);
  CHECK(conclusion.advice ==
        "Constant memory takes 4.0 cycles a request for one address and 66 for 32 addresses: 2.0 for each distinct "
        "address and 2 beside, within 1 %. The same table in shared memory is faster from one address on (66 x for 32 "
        "addresses, 1.0 cycles). One in global memory, from L1, is faster from 4 addresses on (8.25 x for 32 "
        "addresses, 8.0 cycles). Keep in constant memory what all lanes of a warp read alike, and elsewhere what they "
        "index.");
  REQUIRE(conclusion.found.size() == 2);
  CHECK(conclusion.found[0].name == "fixed_cycles");
  CHECK(conclusion.found[0].value == Approx(2));
  CHECK(conclusion.found[1].name == "cycles_per_address");
  CHECK(conclusion.found[1].value == Approx(2));
  for (const Conclusion::Found& found : conclusion.found) {
    REQUIRE(found.outcomes.size() == 6);
    for (const std::size_t index : found.outcomes) CHECK(outcomes.at(index).one.name("space") == "constant");
  }
}

TEST_CASE("constant: nothing is fitted to what is no line", "[constant]") {
  const std::vector<Outcome> outcomes = {outcome("constant", 1, 4), outcome("constant", 16, 4),
                                         outcome("constant", 32, 128)};
  const Conclusion conclusion = constant_probe().conclude(outcomes);
  CHECK(conclusion.advice ==
        "Constant memory takes 4.0 cycles a request for one address and 128 for 32 addresses, but not in proportion to "
        "their number.");
  CHECK(conclusion.found.empty());
}

TEST_CASE("constant: some of the cases conclude what they can", "[constant]") {
  CHECK(constant_probe().conclude(std::vector<Outcome>{outcome("shared", 4, 1)}).advice.empty());
  CHECK(constant_probe().conclude(std::vector<Outcome>{outcome("constant", 1, 3.96)}).advice ==
        "Constant memory takes 4.0 cycles a request for one address.");
  // No number of addresses in common.
  CHECK(constant_probe().conclude(std::vector<Outcome>{outcome("constant", 1, 1), outcome("shared", 2, 1)}).advice ==
        "Constant memory takes 1.0 cycles a request for one address.");
  CHECK(constant_probe().conclude(std::vector<Outcome>{outcome("constant", 1, 1), outcome("shared", 1, 1)}).advice ==
        "Constant memory takes 1.0 cycles a request for one address. The same table in shared memory is no faster for "
        "one address (1.0 cycles).");
  CHECK(constant_probe().conclude(std::vector<Outcome>{outcome("constant", 8, 16), outcome("shared", 8, 1)}).advice ==
        "Constant memory takes 16 cycles a request for 8 addresses. The same table in shared memory is faster for 8 "
        "addresses (16 x, 1.0 cycles). Keep in constant memory what all lanes of a warp read alike, "
        "and elsewhere what they index.");
}
