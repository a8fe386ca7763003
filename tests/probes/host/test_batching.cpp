// What the batching probe says of its cases, and what it concludes from times that were measured elsewhere.

#include <map>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "tests/catch.hpp"

using namespace gpumem;
using Work = Operation::Work;

namespace {

constexpr std::uint64_t mib = 1U << 20U;

const Probe& batching() {
  const Probe* probe = find_probe("batching");
  REQUIRE(probe != nullptr);
  return *probe;
}

Case batching_case(const std::string& how, std::uint64_t copies, const std::string& direction = "to-device",
                   std::uint64_t bytes = 16 * mib) {
  return {&batching(), {{"copies", copies}, {"batching", how}, {"direction", direction}, {"size_bytes", bytes}}};
}

Outcome outcome(const std::string& how, std::uint64_t copies, double microseconds) {
  return {.one = batching_case(how, copies), .seconds = microseconds * 1e-6};
}

/// An H200's times, in microseconds.
const std::map<std::string, std::map<std::uint64_t, double>> h200 = {
    {"separate", {{1, 310}, {16, 350}, {256, 938}, {4096, 10'200}, {65'536, 155'000}}},
    {"packed", {{1, 1600}, {16, 1600}, {256, 1610}, {4096, 1612}, {65'536, 1990}}},
    {"batched", {{1, 311}, {16, 319}, {256, 410}, {4096, 5000}, {65'536, 59'000}}}};

std::vector<Outcome> outcomes(const std::vector<std::string>& alternatives,
                              const std::vector<std::uint64_t>& counts = {65'536, 1, 16, 256, 4096}) {
  std::vector<Outcome> all;
  for (const std::string& how : alternatives) {
    for (const std::uint64_t copies : counts) all.push_back(outcome(how, copies, h200.at(how).at(copies)));
  }
  return all;
}

std::string advice(const std::vector<Outcome>& all) { return batching().conclude(all).advice; }

}  // namespace

TEST_CASE("batching moves all bytes whatever the pieces, and says what the host does for it") {
  const auto describe = [](const Case& one) { return batching().describe(one, Device{}); };
  const Workload separate = describe(batching_case("separate", 64));
  CHECK(separate.kernel.empty());
  CHECK(separate.useful_bytes_written == 16 * mib);
  CHECK(separate.useful_bytes_read == 0);
  CHECK(separate.allocated_bytes == 16 * mib);
  CHECK(separate.host_bytes == 32 * mib);  // as much in gaps
  REQUIRE(separate.operations.size() == 1);
  CHECK(separate.operations[0].work == Work::copy_to_device);
  CHECK(separate.operations[0].bytes == 16 * mib);
  CHECK(separate.operations[0].count == 64);
  CHECK_FALSE(separate.operations[0].one_call);
  CHECK_FALSE(separate.operations[0].pageable);

  const Workload batched = describe(batching_case("batched", 64));
  REQUIRE(batched.operations.size() == 1);
  CHECK(batched.operations[0].count == 64);
  CHECK(batched.operations[0].one_call);

  const Workload packed = describe(batching_case("packed", 64));
  CHECK(packed.host_bytes == 48 * mib);  // and the staging buffer
  REQUIRE(packed.operations.size() == 2);
  CHECK(packed.operations[0].work == Work::pack);
  CHECK(packed.operations[0].count == 64);
  CHECK(packed.operations[0].bytes == 16 * mib);
  CHECK(packed.operations[1].work == Work::copy_to_device);
  CHECK(packed.operations[1].count == 1);

  const Workload back = describe(batching_case("packed", 64, "to-host"));
  CHECK(back.useful_bytes_read == 16 * mib);
  CHECK(back.useful_bytes_written == 0);
  REQUIRE(back.operations.size() == 2);
  CHECK(back.operations[0].work == Work::copy_to_host);
  CHECK(back.operations[1].work == Work::pack);
}

TEST_CASE("batching refuses pieces that are no whole words") {
  CHECK_NOTHROW(batching().validate(batching_case("separate", 65'536)));
  CHECK_NOTHROW(batching().validate(batching_case("separate", 3, "to-device", 12)));
  CHECK_THROWS_WITH(
      batching().validate(batching_case("packed", 3)),
      "--copies 3 does not divide --size 16777216 into pieces of whole 4-byte words; use --size 16777212");
}

TEST_CASE("batching says from how many copies on packing pays, and what a call costs") {
  const std::vector<Outcome> all = outcomes({"separate", "packed"});
  const Conclusion conclusion = batching().conclude(all);
  CHECK(
      conclusion.advice ==
      "Pack from 4096 copies (pieces of 4 KiB or less) on: 78 x as fast at 65536. One copy call costs 2.4 us here, so "
      "packing's 1.3 ms for 16 MiB buys 547 of them.");
  REQUIRE(conclusion.found.size() == 1);
  CHECK(conclusion.found[0].outcomes.size() == all.size());
  CHECK(conclusion.found[0].name == batching().concluded.front().name);
  CHECK(conclusion.found[0].value == 4096);
}

TEST_CASE("batching sets one call for all pieces against both other ways") {
  CHECK(advice(outcomes({"separate", "packed", "batched"}))
            .ends_with(" Handing over 65536 copies in one call (cudaMemcpyBatchAsync) is 2.63 x as fast, packing 30 x "
                       "as fast as that."));
  CHECK(advice(outcomes({"separate", "batched"}, {256})) ==
        "Handing over 256 copies in one call (cudaMemcpyBatchAsync) is 2.29 x as fast.");
  CHECK(advice(outcomes({"separate", "batched"}, {1})) ==
        "Handing over one copy in one call (cudaMemcpyBatchAsync) gains nothing.");
  CHECK(advice(outcomes({"separate", "packed", "batched"}, {256}))
            .ends_with("is 2.29 x as fast, and 3.93 x as fast as packing."));
}

TEST_CASE("batching sets packing against one call where there are no separate copies") {
  CHECK(advice(outcomes({"packed", "batched"})) ==
        "Pack from 4096 copies (pieces of 4 KiB or less) on: 30 x as fast as handing all over in one call "
        "(cudaMemcpyBatchAsync) at 65536.");
  CHECK(advice(outcomes({"packed", "batched"}, {256})) ==
        "Do not pack 256 copies (pieces of 64 KiB): it takes 3.93 x the time of handing all over in one call "
        "(cudaMemcpyBatchAsync).");
  CHECK(batching().conclude(outcomes({"packed", "batched"})).found.empty());
}

TEST_CASE("batching says where one call gains nothing, or loses") {
  const auto with = [](double batched_us) {
    return advice({outcome("separate", 4, 100), outcome("packed", 4, 200), outcome("batched", 4, batched_us)});
  };
  CHECK(with(100).ends_with("in one call (cudaMemcpyBatchAsync) gains nothing, but is 2.00 x as fast as packing."));
  CHECK(with(150).ends_with(
      "in one call (cudaMemcpyBatchAsync) takes 1.50 x the time, but is 1.33 x as fast as packing."));
}

TEST_CASE("batching advises against packing where it does not pay") {
  const Conclusion few = batching().conclude(outcomes({"separate", "packed"}, {1, 16, 256}));
  CHECK(few.found.empty());
  CHECK(few.advice.starts_with("Do not pack up to 256 copies (pieces of 64 KiB or more): 1.72 x the time at 256."));
  CHECK(advice(outcomes({"separate", "packed"}, {16})) ==
        "Do not pack 16 copies (pieces of 1 MiB): it takes 4.57 x the time.");
  CHECK(advice(outcomes({"separate", "packed"}, {1})) ==
        "Do not pack one copy (a piece of 16 MiB): it takes 5.16 x the time.");
  // A count at which packing loses again takes back what smaller ones seemed to show.
  CHECK(batching()
            .conclude(std::vector<Outcome>{outcome("separate", 4, 9), outcome("packed", 4, 8),
                                           outcome("separate", 8, 9), outcome("packed", 8, 10)})
            .found.empty());
}

TEST_CASE("batching reads well when only a part was run") {
  CHECK(advice(outcomes({"separate", "packed"}, {4096})) == "Pack 4096 copies (pieces of 4 KiB): 6.33 x as fast.");
  CHECK(advice(outcomes({"separate"})) == "One copy call costs 2.4 us here.");
  CHECK(advice(outcomes({"separate"}, {1, 16})) == "16 separate copies take 350 us, 1.13 x the time of 1.");
  CHECK(advice(outcomes({"separate"}, {256})) == "256 separate copies take 938 us.");
  CHECK(advice(outcomes({"separate"}, {1})) == "One separate copy takes 310 us.");
  CHECK(advice(outcomes({"packed"}, {1})) == "One piece, packed, takes 1.6 ms.");
  CHECK(advice(outcomes({"packed"})) == "65536 pieces, packed, take 2.0 ms, 1.24 x the time of 1.");
  CHECK(advice({outcome("separate", 16, 350), outcome("packed", 4096, 1612)}) ==
        "16 separate copies take 350 us. 4096 pieces, packed, take 1.6 ms.");
}
