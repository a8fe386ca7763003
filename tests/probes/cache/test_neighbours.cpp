// Two at once: how a case is sized and described, what a GPU does not hold, and what is said of what a victim keeps.

#include <string>
#include <vector>

#include "engine/base/error.hpp"
#include "engine/model/predict.hpp"
#include "engine/model/profile.hpp"
#include "probes/cache/neighbours/neighbours_case.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::cache::test_neighbours {

namespace {

constexpr std::uint64_t mib = 1U << 20U;

Case neighbours_case(const std::string& victim, const std::string& protection = "none", std::uint64_t split = 50,
                     Value bytes = 16 * mib) {
  return test::any_case("neighbours", {{"victim", victim},
                                       {"protection", protection},
                                       {"split_percent", split},
                                       {"victim_data_bytes", std::move(bytes)}});
}

Workload described(const Case& tested) { return tested.probe->describe(tested, test::some_device()); }

Outcome reading(const std::string& protection, std::uint64_t split, double kept, double neighbour = 80,
                const std::string& victim = "l2") {
  return {.tested = neighbours_case(victim, protection, split),
          .headline = kept,
          .seconds = 1e-3,
          .metrics = {{"neighbour_kept_percent", neighbour}}};
}

std::string refusal(Case tested, const Device& device = test::some_device()) {
  try {
    tested.probe->size(std::span(&tested, 1), device);
    static_cast<void>(tested.probe->describe(tested, device));
  } catch (const Error& error) {
    return error.what();
  }
  return "nothing refused";
}

}  // namespace

TEST_CASE("neighbours: both have a multiprocessor at least", "[neighbours]") {
  CHECK(victim_multiprocessors(50, 132) == 66);
  CHECK(victim_multiprocessors(12, 132) == 16);
  CHECK(victim_multiprocessors(1, 20) == 1);
  CHECK(victim_multiprocessors(99, 20) == 19);
  CHECK(victim_multiprocessors(50, 2) == 1);
}

TEST_CASE("neighbours: the victim goes over its bytes for about as long on any part of the GPU", "[neighbours]") {
  const Workload half = described(neighbours_case("l2"));
  REQUIRE(half.about<Neighbours>());
  CHECK(half.about<Neighbours>()->victim_multiprocessors == 66);
  CHECK(half.about<Neighbours>()->neighbour_multiprocessors == 66);
  CHECK(half.about<Neighbours>()->neighbour_beside_multiprocessors == 66);
  CHECK_FALSE(half.about<Neighbours>()->persists);
  CHECK(half.blocks == 66);
  REQUIRE(half.sites.size() == 1);
  CHECK(half.sites[0].passes > 100);
  CHECK(half.sites[0].requests == half.sites[0].passes * 16 * mib / 512);
  CHECK(half.useful_bytes_read == half.sites[0].requests * 512);
  CHECK(half.sites[0].request(half.sites[0].requests / half.sites[0].passes).address[0] == 0);
  const Workload few = described(neighbours_case("l2", "none", 12));
  CHECK(few.useful_bytes_read / few.blocks == Approx(half.useful_bytes_read / half.blocks).epsilon(0.02));

  CHECK(described(neighbours_case("l2", "window")).about<Neighbours>()->persists);
  CHECK(described(neighbours_case("l2", "smaller-grid")).about<Neighbours>()->neighbour_beside_multiprocessors == 33);
  const Workload atomics = described(neighbours_case("atomics"));
  CHECK(atomics.sites.at(0).op == access::Op::atomic);
  CHECK(atomics.sites.at(0).request(0).word_bytes == 4);
  const Workload link = described(neighbours_case("link"));
  CHECK(link.sites.empty());
  CHECK(link.kernel.empty());
  CHECK(link.host_bytes == 16 * mib);
  CHECK(link.operations.at(0).bytes == link.operations.at(0).count * 16 * mib);
}

TEST_CASE("neighbours: auto is a quarter of L2", "[neighbours]") {
  Case tested = neighbours_case("l2", "none", 50, std::string("auto"));
  tested.probe->size(std::span(&tested, 1), test::some_device());
  CHECK(tested[axis::victim_bytes] == 15 * mib);
  Device small = test::some_device();
  small.l2_bytes = 100'000;
  tested = neighbours_case("l2", "none", 50, std::string("auto"));
  tested.probe->size(std::span(&tested, 1), small);
  CHECK(tested[axis::victim_bytes] == 64 * 1024);
}

TEST_CASE("neighbours: what the GPU does not hold is refused in one line", "[neighbours]") {
  CHECK(refusal(neighbours_case("l2")) == "nothing refused");
  CHECK(refusal(neighbours_case("l2", "none", 50, 64 * mib)) ==
        "--victim-data: 64 MiB cannot stay in L2, which holds 60 MiB; pass a smaller --victim-data");
  CHECK(refusal(neighbours_case("atomics", "none", 50, 64 * mib)) != "nothing refused");
  CHECK(refusal(neighbours_case("link", "none", 50, 64 * mib)) == "nothing refused");
  CHECK(refusal(neighbours_case("link", "window")) ==
        "a persisting window is one of kernels: copies of a copy engine have none");
  Device device = test::some_device();
  device.compute_capability = "7.5";
  CHECK(refusal(neighbours_case("l2", "window"), device) ==
        "a persisting window takes compute capability 8.0, this GPU has 7.5");
  CHECK(refusal(neighbours_case("l2"), device) == "nothing refused");
  device.integrated = true;
  CHECK(refusal(neighbours_case("link"), device) == "this GPU shares the host's memory: there is no link to copy over");
  device.multiprocessors = 1;
  CHECK(refusal(neighbours_case("l2"), device) == "two kernels side by side take two multiprocessors at least");
}

TEST_CASE("neighbours: windows of copies are left out where nobody asked for them", "[neighbours]") {
  const Case copies = neighbours_case("link", "window");
  CHECK_FALSE(copies.probe->fits(copies, test::some_device()));
  const Case reads = neighbours_case("l2", "window");
  CHECK(reads.probe->fits(reads, test::some_device()));
}

TEST_CASE("neighbours: a profile without the rates predicts nothing and says which are missing", "[neighbours]") {
  model::Profile profile = model::load_profile("h200");
  profile.how.erase("l2_port_bytes_per_cycle");
  profile.how.erase("atomic_port_bytes_per_cycle");
  profile.how.erase("atomic_sectors_per_s");
  CHECK(model::why_unpredicted(described(neighbours_case("l2")), profile) ==
        "profile 'h200' does not know l2_port_bytes_per_cycle; 'gpumem calibrate' on such a GPU measures it");
  CHECK(model::why_unpredicted(described(neighbours_case("atomics")), profile) ==
        "profile 'h200' does not know l2_port_bytes_per_cycle, atomic_port_bytes_per_cycle, atomic_sectors_per_s; "
        "'gpumem calibrate' on such a GPU "
        "measures them");
  profile.how["l2_port_bytes_per_cycle"] = "measured";
  profile.rates.l2.port_bytes_per_cycle = 64;
  const Case tested = neighbours_case("l2");
  const Workload workload = described(tested);
  const auto kept = tested.probe->headline.predict(workload, model::predict(workload, profile), profile);
  REQUIRE(kept);
  CHECK(*kept > 10);
  CHECK(*kept <= 100);
}

TEST_CASE("neighbours: what the victim loses, then what saves something", "[neighbours]") {
  CHECK(test::advice({reading("none", 25, 70), reading("none", 50, 60, 75), reading("window", 25, 70.5),
                      reading("window", 50, 90), reading("priority", 50, 60), reading("smaller-grid", 50, 80)}) ==
        "Beside a stream through device memory, a kernel that lives in L2 on 50 % of the multiprocessors keeps 60 % of "
        "its rate, the stream 75 % of its own. Set a persisting window for the victim: it is faster, with 50 % 1.50 x. "
        "Give the neighbour half of its multiprocessors: the victim is faster, with 50 % 1.33 x. A persisting window "
        "saves nothing with 25 % of the multiprocessors. The priority of streams saves nothing with 50 % of the "
        "multiprocessors: it decides whose blocks start, not who is served.");
}

TEST_CASE("neighbours: a victim that loses nothing", "[neighbours]") {
  const auto alone = [](std::uint64_t split, double kept) { return reading("none", split, kept, 99, "link"); };
  CHECK(test::advice({alone(25, 99), alone(50, 98)}) ==
        "Beside a stream through device memory, a copy over the link loses nothing; at 50 % of the multiprocessors the "
        "stream keeps 99 % of its own.");
  CHECK(test::advice({reading("window", 50, 90)}).empty());
}

}  // namespace gpumem::cache::test_neighbours
