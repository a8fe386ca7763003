// The latency probe's descriptions of its cases, and its conclusions from latencies that were made up or measured
// elsewhere.

#include <map>
#include <set>
#include <string>
#include <variant>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/subjects/chase.hpp"
#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_latency {

using access::Space;
using test::advice;

namespace {

constexpr std::uint64_t kib = 1024;
constexpr std::uint64_t mib = 1024 * kib;

const Probe& latency() {
  const Probe* probe = find_probe("latency");
  REQUIRE(probe != nullptr);
  return *probe;
}

Device device(const std::string& capability = "9.0", std::uint64_t l2_bytes = 60 * mib) {
  Device device;
  device.compute_capability = capability;
  device.l2_bytes = l2_bytes;
  return device;
}

Case a_case(const std::string& level, const std::string& order = "random") {
  return {&latency(), {{"level", level}, {"order", order}}};
}

Workload describe(const std::string& level, const std::string& order = "random") {
  return latency().describe(a_case(level, order), device());
}

Outcome outcome(const std::string& level, double cycles, const std::string& order = "random") {
  return {.tested = a_case(level, order), .headline = cycles, .metrics = {{"latency_ns", cycles / 2}}};
}

bool contains(const std::string& text, const std::string& part) { return text.find(part) != std::string::npos; }

}  // namespace

TEST_CASE("latency: every level is a chase of one lane, in its own space", "[latency]") {
  const std::map<std::string, Space> spaces = {
      {"shared", Space::shared},   {"cluster", Space::cluster},   {"l1", Space::global},
      {"texture", Space::texture}, {"constant", Space::constant}, {"constant-far", Space::constant},
      {"local", Space::local},     {"l2", Space::global},         {"l2-far", Space::global},
      {"memory", Space::global},   {"host", Space::host}};
  std::set<std::string> levels = {"register"};
  for (const auto& [level, space] : spaces) {
    CAPTURE(level);
    levels.insert(level);
    const Workload workload = describe(level);
    REQUIRE_FALSE(workload.sites.empty());
    const access::Site& site = workload.sites.front();
    CHECK(site.space == space);
    CHECK(site.op == access::Op::load);
    CHECK_FALSE(workload.modelled());
    CHECK(workload.useful_bytes() == 0);
    for (const std::uint64_t k : {std::uint64_t{0}, site.requests - 1}) {
      const access::WarpRequest request = site.request(k);
      CHECK(request.active == 1);
      CHECK(request.word_bytes == site.word_bytes);
      CHECK(access::sectors_per_request(request) == 1);
      CHECK(access::shared_wavefronts(request, site.op) == 1);
    }
  }
  CHECK(levels == std::set<std::string>(latency().axes.front().names.begin(), latency().axes.front().names.end()));
  CHECK(describe("register").sites.empty());
  CHECK(describe("cluster").blocks == 2);
  CHECK(describe("local").sites.size() == 2);  // the array has to be written first
}

TEST_CASE("latency: the model knows a latency of every level, and no more", "[latency]") {
  std::vector<std::string> known;
  for (const model::LatencyLevel& level : model::latency_levels()) known.emplace_back(level.name);
  CHECK(known == latency().axes.front().names);
  for (const std::string& level : known) CHECK(describe(level).about<Chase>()->level == level);
}

TEST_CASE("latency: footprints follow the L2 of the device", "[latency]") {
  CHECK(describe("l1").allocated_bytes == 2 * mib);
  CHECK(describe("l2").allocated_bytes == 60 * mib / 16);
  CHECK(describe("l2-far").allocated_bytes == 60 * mib * 5 / 8);
  CHECK(describe("memory").allocated_bytes == 240 * mib);
  CHECK(describe("host").allocated_bytes == 0);
  CHECK(describe("host").host_bytes == 4 * mib);
  CHECK(latency().describe(a_case("l2"), device("9.0", 0)).allocated_bytes == 2 * mib);
}

TEST_CASE("latency: the nodes asked for are within the footprint, and one after another differ", "[latency]") {
  for (const std::string order : {"random", "paged"}) {
    const access::Site site = describe("memory", order).sites.front();
    std::set<std::uint64_t> visited;
    std::uint64_t pages = 0;
    for (std::uint64_t k = 0; k < site.requests; ++k) {
      const std::uint64_t address = site.request(k).address[0];
      REQUIRE(address < 240 * mib);
      CHECK(address % 32 == 0);
      if (address >= 2 * mib) ++pages;
      visited.insert(address);
    }
    CHECK(visited.size() == site.requests);
    CHECK((order == "paged" ? pages == 0
                            : pages > site.requests * 9 / 10));  // a page has more nodes than a launch visits
  }
}

TEST_CASE("latency: what the chip lacks is skipped with the reason", "[latency]") {
  try {
    static_cast<void>(latency().describe(a_case("cluster"), device("8.6")));
    FAIL("a GPU without clusters");
  } catch (const Error& error) {
    CHECK(error.kind() == ErrorKind::missing_capability);
    CHECK(contains(error.what(), "takes compute capability 9.0, this GPU has 8.6"));
  }
  CHECK_NOTHROW(latency().describe(a_case("cluster"), device("10.0")));
  CHECK_NOTHROW(latency().describe(a_case("shared"), device("8.6")));
}

TEST_CASE("latency: the levels make a ladder, held against the guide's", "[latency]") {
  const std::string holds = advice({outcome("memory", 700), outcome("local", 400), outcome("texture", 300),
                                    outcome("constant", 40), outcome("shared", 29), outcome("register", 4)});
  CHECK(contains(holds, "From the fastest: register 4.00 cycles, shared 29.0 cycles, constant 40.0 cycles, "));
  CHECK(contains(holds, " and memory 700 cycles."));
  CHECK(contains(holds, "global > local > texture >> constant > shared > register, holds here."));

  const std::vector<Outcome> outcomes = {outcome("memory", 700),  outcome("local", 33),    outcome("texture", 38),
                                         outcome("constant", 29), outcome("shared", 29.2), outcome("register", 4)};
  const std::string not_here = advice(outcomes);
  CHECK(contains(not_here,
                 "does not hold here: local 0.87 x texture, texture 1.31 x constant and constant 0.99 x shared."));
  CHECK(contains(not_here, "Local memory and textures lie in device memory"));
  const std::vector<Fact> facts = test::conclusion(outcomes).facts;
  REQUIRE(facts.size() == 3);
  CHECK(facts[0].kind == FactKind::fastest);
  CHECK(facts[0].outcomes == std::vector<std::size_t>{5, 3, 4, 1, 2, 0});
  CHECK(std::get<double>(facts[0].values.at(1).items.front()) == 4);
  CHECK(facts[1].kind == FactKind::costs);
  CHECK(facts[1].outcomes == std::vector<std::size_t>{0, 1, 2, 3, 4, 5});
  CHECK(facts[2].kind == FactKind::capacity);
}

TEST_CASE("latency: the ladder is told of the rungs that ran", "[latency]") {
  const std::string three = advice({outcome("memory", 700), outcome("constant", 600), outcome("shared", 29)});
  CHECK(contains(three, "does not hold here: global 1.17 x constant."));  // ">>" is on the way
  CHECK_FALSE(contains(advice({outcome("memory", 700), outcome("register", 4)}), "guide"));
  CHECK(advice({outcome("l1", 33)}).empty());
}

TEST_CASE("latency: a step of the ladder takes more than intervals leave open", "[latency]") {
  std::vector<Outcome> outcomes = {outcome("constant", 32), outcome("shared", 29), outcome("register", 4)};
  CHECK(contains(advice(outcomes), "holds here."));
  outcomes[0].interval = {28, 36};
  CHECK(contains(advice(outcomes), "does not hold here: constant 1.10 x shared."));
}

TEST_CASE("latency: what fits a cache is no memory faster than its specification", "[latency]") {
  const std::string text = advice({outcome("l2", 281), outcome("memory", 700)});
  CHECK(contains(text, "measures that cache, not memory: 281 cycles instead of 700 cycles."));
  CHECK_FALSE(contains(advice({outcome("l1", 33), outcome("l2", 281)}), "specification"));
}

TEST_CASE("latency: both orders tell what leaving the page costs", "[latency]") {
  std::vector<Outcome> outcomes = {outcome("l2", 281), outcome("memory", 800), outcome("l2", 280, "paged"),
                                   outcome("memory", 650, "paged")};
  const std::string text = advice(outcomes);
  CHECK(contains(
      text, "Finish a page of 2 MiB before the next. A step that leaves it takes longer, by 150 cycles at memory:"));
  CHECK(contains(text, "memory 800 cycles"));  // the ladder is the random one
  const Fact fact = test::conclusion(outcomes).facts.at(1);
  CHECK(fact.kind == FactKind::costs);
  CHECK(fact.outcomes == std::vector<std::size_t>{1, 3});
  outcomes[1].interval = {640, 960};
  CHECK(contains(advice(outcomes), "Chases within pages of 2 MiB are no faster"));
  CHECK(contains(advice({outcome("memory", 651), outcome("memory", 650, "paged")}), "are no faster"));
  const std::string paged = advice({outcome("l2", 281, "paged"), outcome("memory", 650, "paged")});
  CHECK(contains(paged, "memory 650 cycles"));
  CHECK_FALSE(contains(paged, "page"));
}

}  // namespace gpumem::test_latency
