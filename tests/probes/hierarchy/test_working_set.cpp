// The working-set probe's descriptions of its cases, and the capacities that it names.

#include <algorithm>
#include <cmath>
#include <iterator>
#include <map>
#include <string>
#include <variant>
#include <vector>

#include "app/command_line/values.hpp"
#include "engine/base/error.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_working_set {

namespace {

constexpr double kib = 1024;
constexpr double mib = 1024 * kib;

const Probe& working_set() {
  const Probe* probe = find_probe("working-set");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case a_case(std::uint64_t footprint, const std::string& order = "random", std::uint64_t step = 128) {
  return {&working_set(), {{"footprint_bytes", footprint}, {"order", order}, {"step_bytes", step}}};
}

double missing(double bytes, double capacity, double sharpness) {
  return 1 - std::pow(std::min(capacity / bytes, 1.0), sharpness);
}

/// A GPU with an L1 of 240 KiB, an L2 of 30 MiB here and 30 MiB there, and TLBs that reach 4 GiB. Caches hold as many
/// nodes as they have lines, wherever those are.
Outcome outcome(std::uint64_t footprint, const std::string& order, std::uint64_t step, std::uint64_t line = 128) {
  const auto all_bytes = static_cast<double>(footprint);
  const double bytes = all_bytes * static_cast<double>(line) / static_cast<double>(std::max(step, line));
  const double misses = missing(bytes, 60 * mib, 4);
  double cycles = 33 + 248 * missing(bytes, 240 * kib, 64) + 200 * missing(bytes, 30 * mib, 4) + 180 * misses;
  if (order == "random") cycles += 150 * missing(all_bytes, 4096 * mib, 1);
  const double read =
      1 / (1 / 33000.0 + missing(all_bytes, 240 * kib, 64) / 12000 + missing(all_bytes, 60 * mib, 4) / 7000);
  Outcome outcome{.tested = a_case(footprint, order, step), .headline = cycles, .metrics = {{"read_gb_per_s", read}}};
  if (all_bytes > 512 * kib) outcome.metrics.emplace_back("fetch_bytes", all_bytes < 60 * mib ? 32 : 64);
  return outcome;
}

std::vector<Outcome> curve(const std::string& order = "random", std::uint64_t step = 128, std::uint64_t line = 128) {
  std::vector<Outcome> outcomes;
  const Axis& axis = working_set().axes.front();
  for (const Value& footprint : app::parse_axis_values(axis, std::vector{axis.defaults})) {
    outcomes.push_back(outcome(std::get<std::uint64_t>(footprint), order, step, line));
  }
  return outcomes;
}

std::map<std::string, double> found_in(const std::vector<Outcome>& outcomes) {
  std::map<std::string, double> found;
  for (const Conclusion::DerivedQuantity& quantity : test::conclusion(outcomes).quantities) {
    CHECK(quantity.outcomes.size() == outcomes.size());
    found[quantity.name] = quantity.value;
  }
  return found;
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("working-set: every request of a chase is one sector", "[working_set]") {
  Device device;
  device.multiprocessors = 2;
  const Workload workload = working_set().describe(a_case(1U << 18U), device);
  REQUIRE(workload.sites.size() == 1);
  const access::Site& site = workload.sites.front();
  CHECK(site.space == access::Space::global);
  CHECK(site.word_bytes == 8);
  const std::uint64_t nodes = (1U << 18U) / 128;
  REQUIRE(site.requests > nodes);
  for (std::uint64_t k = 0; k < site.requests; ++k) {
    const access::WarpRequest request = site.request(k);
    CHECK(request.active == 1);
    CHECK(request.address[0] < (1U << 18U));
  }
  for (std::uint64_t k = 0; k < nodes; ++k) CHECK(site.request(k).address[0] / 128 == k);  // L1 is filled first
  CHECK(workload.allocated_bytes == (2U << 20U) + 2 * 1024 * 4);
  CHECK_FALSE(workload.modelled());
}

TEST_CASE("working-set: nodes further apart than a line take up a line each", "[working_set]") {
  const auto lines = [](std::uint64_t step) {
    return working_set().describe(a_case(1U << 20U, "random", step), Device{}).about<Chase>()->lines;
  };
  CHECK(lines(32) == (1U << 20U) / 128);
  CHECK(lines(128) == (1U << 20U) / 128);
  CHECK(lines(1024) == (1U << 20U) / 1024);
}

TEST_CASE("working-set: what no L1 holds is not read in advance", "[working_set]") {
  const Workload little = working_set().describe(a_case(1U << 19U), Device{});
  const Workload much = working_set().describe(a_case(1U << 30U), Device{});
  CHECK(little.sites.front().requests == much.sites.front().requests + (1U << 19U) / 128);
}

TEST_CASE("working-set: a footprint that is not whole chunks is refused, saying what to do", "[working_set]") {
  CHECK_NOTHROW(working_set().validate(a_case(4096)));
  CHECK_THROWS_WITH(working_set().validate(a_case(5000)), "--footprint 5000 is not a multiple of 4 KiB; use 4096");
}

TEST_CASE("working-set: the knees are given names", "[working_set]") {
  const auto found = found_in(curve());
  for (const auto& [name, bytes] : std::map<std::string, double>{{"l1_capacity", 240 * kib},
                                                                 {"l2_near_capacity", 30 * mib},
                                                                 {"l2_capacity", 60 * mib},
                                                                 {"tlb_reach", 4096 * mib}}) {
    CAPTURE(name);
    REQUIRE(found.contains(name + "_bytes"));
    CHECK(found.at(name + "_bytes") == Approx(bytes).epsilon(0.15));
    CHECK(found.at(name + "_low_bytes") <= found.at(name + "_bytes"));
    CHECK(found.at(name + "_high_bytes") >= found.at(name + "_bytes"));
  }
  const std::vector<Fact> facts = test::conclusion(curve()).facts;
  const std::string advice = report::say(facts);
  CHECK(contains(advice, "L1 holds 240 KiB"));
  CHECK(contains(advice, "less a kernel's shared memory"));
  CHECK(contains(advice, "near the multiprocessor"));
  CHECK(contains(advice, "faster than the memory's specification lies in the cache"));
  CHECK(contains(advice, "address translation"));
  for (std::size_t i = 0; i < 4; ++i) {  // L1, L2, TLBs, and the part of L2 that is near
    CHECK(facts.at(i).kind == FactKind::capacity);
    CHECK(facts.at(i).outcomes.size() == curve().size());
    CHECK(facts.at(i).values.front().name == "capacity_bytes");
  }
  CHECK(std::get<double>(facts[0].values.front().items.front()) == found.at("l1_capacity_bytes"));
  CHECK(std::get<double>(facts[1].values.front().items.front()) == found.at("l2_capacity_bytes"));
  for (const auto& [name, value] : found) {
    CHECK(std::ranges::count(working_set().concluded, name, &Quantity::name) == 1);
  }
}

TEST_CASE("working-set: lines are told by what fits of nodes further apart, fetches by their neighbours",
          "[working_set]") {
  for (const std::uint64_t line : {64U, 128U}) {
    CAPTURE(line);
    auto outcomes = curve("random", 32, line);
    for (const std::uint64_t step : {128U, 256U})
      std::ranges::copy(curve("random", step, line), std::back_inserter(outcomes));
    const auto found = found_in(outcomes);
    CHECK(found.at("l1_line_bytes") == static_cast<double>(line));
    CHECK(found.at("l2_line_bytes") == static_cast<double>(line));
    CHECK(found.at("l1_fetch_bytes") == 32);
    CHECK(found.at("l2_fetch_bytes") == 64);
    const std::string advice = test::advice(outcomes);
    CHECK(contains(advice, "L1 keeps lines of " + std::to_string(line) + " bytes, and a miss brings 32"));
  }
  auto outcomes = curve();
  std::ranges::copy(curve("random", 256, 512), std::back_inserter(outcomes));  // nothing lies in lines of its own yet
  CHECK_FALSE(found_in(outcomes).contains("l1_line_bytes"));
  CHECK_FALSE(found_in(curve()).contains("l1_line_bytes"));
  CHECK(found_in(curve()).at("l1_fetch_bytes") == 32);
}

TEST_CASE("working-set: within pages no TLB is missed, and none has a reach", "[working_set]") {
  const auto found = found_in(curve("paged"));
  CHECK(found.contains("l2_capacity_bytes"));
  CHECK_FALSE(found.contains("tlb_reach_bytes"));
}

TEST_CASE("working-set: what is not told is not said", "[working_set]") {
  auto outcomes = curve();
  for (Outcome& outcome : outcomes) outcome.metrics.clear();  // latency alone does not tell a cache from a TLB
  const auto found = found_in(outcomes);
  CHECK(found.contains("l1_capacity_bytes"));
  CHECK_FALSE(found.contains("l2_capacity_bytes"));
  CHECK_FALSE(found.contains("tlb_reach_bytes"));

  CHECK(found_in(curve("random", 256)).empty());  // half of the lines only

  outcomes = curve();
  outcomes.resize(5);
  CHECK(found_in(outcomes).empty());
  CHECK(test::advice(outcomes).empty());
  CHECK(found_in({outcomes.front()}).empty());
}

}  // namespace gpumem::test_working_set
