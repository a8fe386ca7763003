// The batching probe's descriptions of its cases, and its conclusions from times that were measured elsewhere.

#include <map>
#include <string>
#include <vector>

#include "probes/probe.hpp"
#include "tests/catch.hpp"
#include "tests/probes/any_case.hpp"

namespace gpumem::test_batching {

using gpumem::test::advice;
using gpumem::test::conclusion;
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
  const double seconds = microseconds * 1e-6;
  return {.tested = batching_case(how, copies),
          .headline = static_cast<double>(16 * mib) / seconds * per_giga,
          .seconds = seconds};
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

}  // namespace

TEST_CASE("batching moves all bytes whatever the pieces, and says what the host does for it") {
  const auto describe = [](const Case& tested) { return batching().describe(tested, Device{}); };
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
  CHECK(advice(all) ==
        "Pack pieces of 4 KiB or less, from 4096 of them on. At 65536 copies packing is 78 x as fast as separate "
        "copies. A copy call costs 2.36 us. Packing 16 MiB takes 1.29 ms, as long as 547 calls.");
  const Conclusion shown = conclusion(all);
  REQUIRE(shown.facts.size() == 2);
  CHECK(shown.facts[0].kind == FactKind::pays_from);
  CHECK(shown.facts[0].outcomes.size() == all.size());
  CHECK(std::get<double>(shown.facts[0].values[0].items[0]) == Approx(155'000.0 / 1990));
  CHECK(shown.facts[1].kind == FactKind::costs);
  CHECK(shown.facts[1].outcomes == std::vector<std::size_t>{0, 4, 6, 1});
  REQUIRE(shown.quantities.size() == 1);
  CHECK(shown.quantities[0].outcomes.size() == all.size());
  CHECK(shown.quantities[0].name == batching().concluded.front().name);
  CHECK(shown.quantities[0].value == 4096);
}

TEST_CASE("batching sets one call for all pieces against both alternatives") {
  CHECK(advice(outcomes({"separate", "packed", "batched"}))
            .find(" One call for all pieces (cudaMemcpyBatchAsync) is 2.63 x as fast as a call for each of 65536. "
                  "Packing is 30 x as fast as that. A copy call costs") != std::string::npos);
  CHECK(advice(outcomes({"separate", "batched"}, {256})) ==
        "One call for all pieces (cudaMemcpyBatchAsync) is 2.29 x as fast as a call for each of 256.");
  CHECK(advice(outcomes({"separate", "batched"}, {1})) ==
        "One call for all pieces (cudaMemcpyBatchAsync) is no faster than a call for each of 1.");
  CHECK(advice(outcomes({"separate", "packed", "batched"}, {256}))
            .ends_with("is 2.29 x as fast as a call for each of 256. Packing takes 3.93 x as long as that."));
}

TEST_CASE("batching sets packing against one call where there are no separate copies") {
  CHECK(advice(outcomes({"packed", "batched"})) ==
        "Pack pieces of 4 KiB or less, from 4096 of them on. At 65536 copies packing is 30 x as fast as one call for "
        "all of them (cudaMemcpyBatchAsync).");
  CHECK(advice(outcomes({"packed", "batched"}, {256})) ==
        "Do not pack pieces of 64 KiB: packing takes 3.93 x as long as one call for all of them "
        "(cudaMemcpyBatchAsync).");
  CHECK(conclusion(outcomes({"packed", "batched"})).quantities.empty());
}

TEST_CASE("batching says where one call gains nothing, or loses") {
  const auto with = [](double batched_us) {
    return advice({outcome("separate", 4, 100), outcome("packed", 4, 200), outcome("batched", 4, batched_us)});
  };
  CHECK(with(100).ends_with("is no faster than a call for each of 4. Packing takes 2.00 x as long as that."));
  CHECK(with(150).ends_with("takes 1.50 x as long as a call for each of 4. Packing takes 1.33 x as long as that."));
}

TEST_CASE("batching advises against packing where it does not pay") {
  const Conclusion few = conclusion(outcomes({"separate", "packed"}, {1, 16, 256}));
  CHECK(few.quantities.empty());
  CHECK(few.facts.front().kind == FactKind::costs);
  CHECK(report::say(few.facts.front()) ==
        "Do not pack pieces of 64 KiB or more. At 256 copies packing takes 1.72 x as long as separate copies.");
  CHECK(advice(outcomes({"separate", "packed"}, {16})) ==
        "Do not pack pieces of 1 MiB: packing takes 4.57 x as long as separate copies.");
  CHECK(advice(outcomes({"separate", "packed"}, {1})) ==
        "Do not pack pieces of 16 MiB: packing takes 5.16 x as long as separate copies.");
  // A count at which packing loses again takes back what smaller ones seemed to show.
  CHECK(conclusion(
            {outcome("separate", 4, 9), outcome("packed", 4, 8), outcome("separate", 8, 9), outcome("packed", 8, 10)})
            .quantities.empty());
}

TEST_CASE("batching does not advise from differences within the intervals") {
  Outcome separate = outcome("separate", 4, 110);
  Outcome packed = outcome("packed", 4, 100);
  CHECK(conclusion({separate, packed}).facts.front().kind == FactKind::pays_from);
  separate.interval = {separate.headline * 0.9, separate.headline * 1.1};
  packed.interval = {packed.headline * 0.9, packed.headline * 1.1};
  CHECK(conclusion({separate, packed}).facts.front().kind == FactKind::as_fast_as);
  CHECK(advice({separate, packed}) == "Packing pieces of 4 MiB gains nothing: it takes as long as separate copies.");
}

TEST_CASE("batching reads well when only a part was run") {
  CHECK(advice(outcomes({"separate", "packed"}, {4096})) ==
        "Pack pieces of 4 KiB, 4096 of them: packing is 6.33 x as fast as separate copies.");
  CHECK(advice(outcomes({"separate"})) == "A copy call costs 2.36 us.");
  CHECK(advice(outcomes({"separate"}, {1, 16})) ==
        "Copied separately, pieces of 16 MiB and 1 MiB take 310 us and 350 us.");
  CHECK(advice(outcomes({"separate"}, {256})) == "Copied separately, pieces of 64 KiB take 938 us.");
  CHECK(advice(outcomes({"separate"}, {1})) == "Copied separately, pieces of 16 MiB take 310 us.");
  CHECK(advice(outcomes({"packed"}, {1})) == "Packed, pieces of 16 MiB take 1.60 ms.");
  CHECK(advice(outcomes({"packed"})) == "Packed, pieces of 16 MiB and 256 bytes take 1.60 ms and 1.99 ms.");
  CHECK(advice({outcome("separate", 16, 350), outcome("packed", 4096, 1612)}) ==
        "Copied separately, pieces of 1 MiB take 350 us. Packed, pieces of 4 KiB take 1.61 ms.");
}

}  // namespace gpumem::test_batching
